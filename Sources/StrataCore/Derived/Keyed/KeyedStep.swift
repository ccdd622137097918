public import StrataBase

/// The step that finds which parts of a value a version has changed, and visits their followers.
///
/// It is listed under the bytes of the value, and the steps computed from its parts are listed under
/// their keys. So a version costs what has changed and its followers, however many follow the rest.
@usableFromInline
final class KeyedStep<Root: Sendable, Difference: KeyedDifference>: DerivationStep {
  @usableFromInline typealias Whole = Difference.Whole

  @usableFromInline
  struct Seen: Sendable {
    /// The value at the version that was delivered last; nil until there is a subscriber.
    @usableFromInline var whole: Whole?
    /// What this version changed, while the followers of all changes are visited.
    @usableFromInline var changes: Version<KeyedChanges<Difference>>?
  }

  /// The path to the value.
  @usableFromInline let path: PartPath<Root, Whole>
  @usableFromInline let bytes: Range<Int>?
  @usableFromInline let difference: Difference
  @usableFromInline let specialized: SpecializedKeyedStep<Root, Difference>
  @usableFromInline let followers = KeyedFollowers<Root, Difference>()
  @usableFromInline let seen = Lock(Seen())

  init(
    _ difference: Difference,
    at path: PartPath<Root, Whole>,
    _ specialized: SpecializedKeyedStep<Root, Difference>
  ) {
    self.difference = difference
    self.path = path
    self.specialized = specialized
    bytes = path.bytes
  }

  @usableFromInline var inputs: [any DerivationStep<Root>] { [] }
  @usableFromInline var parts: Set<Range<Int>>? { bytes.map { [$0] } }
  @usableFromInline var stepFollowers: any StepFollowers<Root> { followers }

  @usableFromInline
  func advance(to root: Version<Root>, adding changed: inout ChangedNodes) {
    specialized.advance(self, root, &changed)
  }

  @usableFromInline
  func forget() {
    let last = seen.withLock { seen in
      defer { seen = Seen() }
      return seen
    }
    withExtendedLifetime(last) {}
  }

  /// The last follower may have left since the step was found.
  @usableFromInline
  func forgetIfIdle() { if followers.isIdle { forget() } }

  /// What is followed are the nodes of its parts.
  @usableFromInline
  func list(in listing: inout FollowerListing) {}

  /// Makes this version the start of the next difference, if there are no followers yet.
  func begin(at root: Version<Root>) {
    if followers.isIdle { _ = replaceWhole(with: root.value[keyPath: path]) }
  }

  /// What this version has changed; nil if nothing.
  func changes(at root: Version<Root>) -> Version<KeyedChanges<Difference>>? {
    seen.withLock { $0.changes?.number == root.number ? $0.changes : nil }
  }

  /// Finds what this version has changed, and visits the followers concerned.
  ///
  /// The difference starts at the value that was delivered last. That is not always the value of the
  /// version before: after a preview the store continues from an older one.
  @inlinable
  func findChanges(at root: Version<Root>, adding changed: inout ChangedNodes) {
    let new = whole(of: root)
    guard let old = replaceWhole(with: new) else { return forgetIfIdle() }
    let elements = difference.elements(from: old, to: new, of: root.changes.storedAttachments)
    if elements.isEmpty { return }
    var hasOthers = false
    for element in elements {
      let key = difference.key(of: element)
      guard let node = followers.node(under: key, noting: &hasOthers) else { continue }
      let version = root.of(
        difference.part(of: element, in: new),
        after: difference.part(of: old, under: key)
      )
      node.take(version, at: root, adding: &changed)
    }
    if hasOthers {
      visitOthers(KeyedChanges(old: old, new: new, elements: elements), root, &changed)
    }
  }

  /// Visits the followers of all changes.
  @usableFromInline
  func visitOthers(
    _ changes: KeyedChanges<Difference>,
    _ root: Version<Root>,
    _ changed: inout ChangedNodes
  ) {
    replaceChanges(with: Version(root.changes.replacing(value: changes, previous: nil)))
    for step in followers.others { step.advance(to: root, adding: &changed) }
    replaceChanges(with: nil)
  }

  /// The value at a version, read at its offset where that is known: a key path costs several times as
  /// much.
  @inlinable
  func whole(of root: Version<Root>) -> Whole {
    guard let bytes else { return root.changes.storedValue[keyPath: path] }
    return withUnsafePointer(to: root.changes.storedValue) { state in
      UnsafeRawPointer(state).advanced(by: bytes.lowerBound)
        .assumingMemoryBound(to: Whole.self).pointee
    }
  }

  /// Returns the value that was replaced; it and the changes are freed outside the lock.
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

/// The hot methods of ``KeyedStep``, specialized for the types of a difference.
///
/// The closures are created in the module of the follower, where the types are known, so the compiler
/// specializes them: several times as fast as generic code that is called through a protocol.
@usableFromInline
package struct SpecializedKeyedStep<Root: Sendable, Difference: KeyedDifference>: Sendable {
  @usableFromInline typealias Step = KeyedStep<Root, Difference>

  @usableFromInline
  let advance: @Sendable (Step, Version<Root>, inout ChangedNodes) -> Void
  @usableFromInline let notify: @Sendable (KeyNode<Root, Difference>) -> Void

  @inlinable
  package init() {
    advance = { step, root, changed in step.findChanges(at: root, adding: &changed) }
    notify = { node in node.followers.notifyAndForget() }
  }
}
