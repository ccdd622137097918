/// The step that tells those who follow parts of a value whether it is their part that has changed.
///
/// It stands under the bytes of the value, and the steps computed from its parts wait under their
/// keys. So a version costs what has changed and who follows that, however many follow the rest.
final class KeyedStep<Root: Sendable, Difference: KeyedDifference>: DerivationStep {
  typealias Whole = Difference.Whole

  private struct Seen: Sendable {
    /// The value that the subscribers were told of last; nil until somebody begins.
    var whole: Whole?
    /// What the last version changed, until all who follow it have been told.
    var changes: Changes<KeyedChanges<Difference>>?
  }

  /// Where the value is.
  let path: PartPath<Root, Whole>
  let bytes: Range<Int>?
  private let difference: Difference
  let keyed = KeyedFollowers<Root, Difference.Key>()
  private let seen = Lock(Seen())

  init(_ difference: Difference, at path: PartPath<Root, Whole>) {
    self.difference = difference
    self.path = path
    bytes = path.bytes
  }

  var inputs: [any DerivationStep<Root>] { [] }
  var followers: any DerivationFollowing<Root> { keyed }

  /// Lets the next difference begin at this version, when nobody follows yet.
  func begin(at root: Changes<Root>) {
    if keyed.isIdle { _ = replaceWhole(with: root.value[keyPath: path]) }
  }

  /// Finds what this version has changed; false when that concerns nobody.
  ///
  /// The value before it is the one that subscribers were told of, which is not always that of the
  /// version before: after a detour the store takes up an older one.
  func advance(to root: Changes<Root>) -> Bool {
    let new = root.value[keyPath: path]
    guard let old = replaceWhole(with: new) else { return false }
    let elements = difference.elements(from: old, to: new)
    guard !elements.isEmpty else { return false }
    switch keyed.touch(elements.lazy.map { [difference] in difference.key(of: $0) }) {
    case .nobody: return false
    case .keys: return true
    case .everyone:
      let changes = KeyedChanges<Difference>(old: old, new: new, elements: elements)
      replaceChanges(with: root.replacing(value: changes, previous: nil))
      return true
    }
  }

  /// What this version has changed; nil when that is nothing.
  func changes(at version: UInt64) -> Changes<KeyedChanges<Difference>>? {
    seen.withLock { $0.changes?.version == version ? $0.changes : nil }
  }

  /// Nobody follows the step itself; those it has visited have what they need.
  func tell() { replaceChanges(with: nil) }

  /// Gives the value that was replaced; it and the changes are freed outside the lock.
  private func replaceWhole(with whole: Whole) -> Whole? {
    seen.withLock { seen in
      defer { seen.whole = whole }
      return seen.whole
    }
  }

  private func replaceChanges(with changes: Changes<KeyedChanges<Difference>>?) {
    let replaced = seen.withLock { seen in
      defer { seen.changes = changes }
      return seen.changes
    }
    _ = replaced
  }
}
