/// The differences themselves, version by version: what happened rather than what is.
///
/// Only subscribers are told; whoever looks without one sees no difference.
final class DifferenceNode<Root: Sendable, Difference: KeyedDifference>: DerivationNode {
  typealias Value = KeyedChanges<Difference>

  private let step: KeyedStep<Root, Difference>
  let told = DerivationFollowers<Root, Value>()

  init(_ step: KeyedStep<Root, Difference>) { self.step = step }

  var inputs: [any DerivationStep<Root>] { [step] }
  var bytes: Range<Int>? { nil }

  /// What was told is over, so nothing of it is kept.
  func tell() {
    told.tell()
    told.forget()
  }

  func version(at root: Version<Root>, in lane: DerivationLane) -> Version<Value> {
    if lane == .delivering {
      if let changes = step.changes(at: root) { return changes }
      step.begin(at: root)
    }
    let whole = root.value[keyPath: step.path]
    let nothing = Value(old: whole, new: whole, elements: [])
    return Version(root.changes.replacing(value: nothing, previous: nil))
  }
}
