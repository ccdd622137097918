/// The step that tells those who follow parts of a value whether it is their part that has changed.
///
/// It stands between the value, which is looked at once for each version, and the steps computed
/// from its parts, which wait under their keys. So a version costs what has changed and who follows
/// that, however many follow the rest.
final class KeyedStep<Root: Sendable, Difference: KeyedDifference>: DerivationStep {
  typealias Whole = Difference.Whole

  /// The value in which keys differ.
  let whole: any DerivationNode<Root, Whole>
  private let difference: Difference
  let keyed = KeyedFollowers<Root, Difference.Key>()
  /// What the last version changed, until all who follow it have been told.
  private let last = Lock<Changes<KeyedChanges<Difference>>?>(nil)

  init(_ difference: Difference, in whole: any DerivationNode<Root, Whole>) {
    self.difference = difference
    self.whole = whole
  }

  var inputs: [any DerivationStep<Root>] { [whole] }
  var bytes: Range<Int>? { nil }
  var followers: any DerivationFollowing<Root> { keyed }

  /// Finds what this version has changed; false when that is nothing.
  ///
  /// The value before it is the one that this lane has seen before, which is not always that of the
  /// version before: after a detour the store takes up an older one.
  func advance(to root: Changes<Root>) -> Bool {
    let whole = whole.changes(at: root, in: .delivering)
    guard whole.version == root.version, let old = whole.previous else { return false }
    let elements = difference.elements(from: old, to: whole.value)
    guard !elements.isEmpty else { return false }
    keyed.touch(elements.lazy.map { [difference] in difference.key(of: $0) })
    let changes = KeyedChanges<Difference>(old: old, new: whole.value, elements: elements)
    replaceLast(with: whole.replacing(value: changes, previous: nil))
    return true
  }

  /// What this version has changed; nil when that is nothing.
  func changes(at version: UInt64) -> Changes<KeyedChanges<Difference>>? {
    last.withLock { $0?.version == version ? $0 : nil }
  }

  /// Nobody follows the step itself; those it has visited have what they need.
  func tell() { replaceLast(with: nil) }

  private func replaceLast(with changes: Changes<KeyedChanges<Difference>>?) {
    // Freed outside the lock.
    let replaced = last.withLock { last in
      defer { last = changes }
      return last
    }
    _ = replaced
  }
}
