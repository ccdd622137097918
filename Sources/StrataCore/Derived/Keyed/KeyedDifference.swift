/// How a value consists of parts, each under a key, and which of them differ between two versions.
///
/// With it a follower of one part is visited only when that part has changed. The parts of an entity
/// table are its entities, under their IDs. The parts of an index are its groups, under their keys.
///
/// It is hashed and compared because followers of one value by equal differences share one computation
/// of them. It is an empty struct, or one with the identity of an index.
@usableFromInline
package protocol KeyedDifference: Hashable, Sendable {
  /// What differs.
  associatedtype Whole: Sendable
  /// One difference.
  associatedtype Element: Sendable
  /// The identity of a part.
  associatedtype Key: Hashable & Sendable
  /// What is followed.
  associatedtype Part: Sendable

  /// All differences, in any order; a key may occur more than once.
  ///
  /// Called once for each version in which the bytes of the whole have changed, while there are
  /// followers. A follower of a key is not visited unless an element has that key, so none may be
  /// missing. `commit` has what the hooks computed for the version, such as its change set; the values
  /// it leads between may be others than these two.
  func elements(from old: Whole, to new: Whole, of commit: CommitAttachments) -> [Element]

  /// The key of a difference.
  func key(of element: Element) -> Key

  /// The part under the key.
  ///
  /// Readers call it at each version, so it must cost little more than a check whether the whole has
  /// changed.
  func part(of whole: Whole, under key: Key) -> Part

  /// The part of the new whole in which the difference is.
  func part(of element: Element, in new: Whole) -> Part

  /// Whether a part is certainly unchanged, so that no subscriber is notified.
  func isSame(_ old: Part, _ new: Part) -> Bool
}

extension KeyedDifference {
  /// Looks the part up under its key.
  package func part(of element: Element, in new: Whole) -> Part {
    part(of: new, under: key(of: element))
  }
}

/// What one commit changed in a value.
@usableFromInline
package struct KeyedChanges<Difference: KeyedDifference>: Sendable {
  /// The followed value before.
  package let old: Difference.Whole
  /// The followed value now.
  package let new: Difference.Whole
  /// How they differ; never empty when it is delivered.
  package let elements: [Difference.Element]

  @usableFromInline
  init(old: Difference.Whole, new: Difference.Whole, elements: [Difference.Element]) {
    self.old = old
    self.new = new
    self.elements = elements
  }
}

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
