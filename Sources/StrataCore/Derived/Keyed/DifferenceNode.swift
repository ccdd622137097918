/// The differences themselves, version by version: events, not a state.
///
/// Only subscribers receive them. A reader sees no difference.
final class DifferenceNode<Root: Sendable, Difference: KeyedDifference>: DerivationNode {
  typealias Value = KeyedChanges<Difference>

  private let step: KeyedStep<Root, Difference>
  let followers = NodeFollowers<Root, Value>()

  init(_ step: KeyedStep<Root, Difference>) { self.step = step }

  var inputs: [any DerivationStep<Root>] { [step] }
  var parts: Set<Range<Int>>? { nil }

  /// A difference that was delivered is over, so it is not kept.
  func notify() {
    followers.notify()
    followers.forget()
  }

  func list(in listing: inout FollowerListing) {
    listing.add(
      "changes of \(listing.text(of: step.path))",
      type: Difference.Whole.self,
      followers
    )
  }

  func version(at root: Version<Root>, for consumer: DerivationConsumer) -> Version<Value> {
    if consumer == .subscribers {
      if let changes = step.changes(at: root) { return changes }
      step.begin(at: root)
    }
    let whole = root.value[keyPath: step.path]
    let nothing = Value(old: whole, new: whole, elements: [])
    return Version(root.changes.replacing(value: nothing, previous: nil))
  }
}
