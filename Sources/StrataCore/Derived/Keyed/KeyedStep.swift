public import StrataBase

/// The step that tells those who follow parts of a value whether it is their part that has changed.
///
/// It stands under the bytes of the value, and the steps computed from its parts wait under their
/// keys. So a version costs what has changed and who follows that, however many follow the rest.
@usableFromInline
final class KeyedStep<Root: Sendable, Difference: KeyedDifference>: DerivationStep {
  @usableFromInline typealias Whole = Difference.Whole

  @usableFromInline
  struct Seen: Sendable {
    /// The value that the subscribers were told of last; nil until somebody begins.
    @usableFromInline var whole: Whole?
    /// What this version changed, while those who follow all of it are visited.
    @usableFromInline var changes: Version<KeyedChanges<Difference>>?
  }

  /// Where the value is.
  @usableFromInline let path: PartPath<Root, Whole>
  @usableFromInline let bytes: Range<Int>?
  @usableFromInline let difference: Difference
  @usableFromInline let work: KeyedWork<Root, Difference>
  @usableFromInline let keyed = KeyedFollowers<Root, Difference>()
  @usableFromInline let seen = Lock(Seen())

  init(
    _ difference: Difference,
    at path: PartPath<Root, Whole>,
    _ work: KeyedWork<Root, Difference>
  ) {
    self.difference = difference
    self.path = path
    self.work = work
    bytes = path.bytes
  }

  @usableFromInline var inputs: [any DerivationStep<Root>] { [] }
  @usableFromInline var followers: any DerivationFollowing<Root> { keyed }

  @usableFromInline
  func advance(to root: Version<Root>, noting changed: inout DerivationNews) {
    work.advance(self, root, &changed)
  }

  /// Lets the next difference begin at this version, when nobody follows yet.
  func begin(at root: Version<Root>) {
    if keyed.isIdle { _ = replaceWhole(with: root.value[keyPath: path]) }
  }

  /// What this version has changed; nil when that is nothing.
  func changes(at root: Version<Root>) -> Version<KeyedChanges<Difference>>? {
    seen.withLock { $0.changes?.number == root.number ? $0.changes : nil }
  }

  /// Finds what this version has changed, and visits whom that concerns.
  ///
  /// The value before it is the one that subscribers were told of, which is not always that of the
  /// version before: after a detour the store takes up an older one.
  @inlinable
  func findChanges(at root: Version<Root>, noting changed: inout DerivationNews) {
    let new = whole(of: root)
    guard let old = replaceWhole(with: new) else { return }
    let elements = difference.elements(from: old, to: new)
    if elements.isEmpty { return }
    var hasOthers = false
    for element in elements {
      let key = difference.key(of: element)
      guard let node = keyed.node(under: key, noting: &hasOthers) else { continue }
      let version = root.of(
        difference.part(of: element, in: new),
        after: difference.part(of: old, under: key)
      )
      node.take(version, at: root, noting: &changed)
    }
    if hasOthers {
      visitOthers(KeyedChanges(old: old, new: new, elements: elements), root, &changed)
    }
  }

  /// Visits those who follow all changes.
  @usableFromInline
  func visitOthers(
    _ changes: KeyedChanges<Difference>,
    _ root: Version<Root>,
    _ changed: inout DerivationNews
  ) {
    replaceChanges(with: Version(root.changes.replacing(value: changes, previous: nil)))
    for step in keyed.others { step.advance(to: root, noting: &changed) }
    replaceChanges(with: nil)
  }

  /// The value at a version, by its place where that is known: a key path costs several times as much.
  @inlinable
  func whole(of root: Version<Root>) -> Whole {
    guard let bytes else { return root.changes.value[keyPath: path] }
    return withUnsafePointer(to: root.changes.value) { state in
      UnsafeRawPointer(state).advanced(by: bytes.lowerBound)
        .assumingMemoryBound(to: Whole.self).pointee
    }
  }

  /// Gives the value that was replaced; it and the changes are freed outside the lock.
  @inlinable
  func replaceWhole(with whole: Whole) -> Whole? {
    seen.withLock { seen in
      let old = seen.whole
      seen.whole = whole
      return old
    }
  }

  private func replaceChanges(with changes: Version<KeyedChanges<Difference>>?) {
    let replaced = seen.withLock { seen in
      defer { seen.changes = changes }
      return seen.changes
    }
    _ = replaced
  }
}
