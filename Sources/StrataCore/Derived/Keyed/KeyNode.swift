import StrataBase

/// The part of a value under one key.
///
/// It is computed like any other derivation, and listed under its key to be visited.
@usableFromInline
final class KeyNode<Root: Sendable, Difference: KeyedDifference>: DerivationNode {
  @usableFromInline typealias Part = Difference.Part

  /// What readers have seen, and at which version of the state.
  private struct Seen {
    let at: UInt64
    let version: Version<Part>
  }

  @usableFromInline let step: KeyedStep<Root, Difference>
  @usableFromInline let key: Difference.Key
  /// The followers; they also store what was computed last for the subscribers.
  @usableFromInline let followers = NodeFollowers<Root, Part>()
  private let seen = Lock<Seen?>(nil)

  init(_ step: KeyedStep<Root, Difference>, under key: Difference.Key) {
    self.step = step
    self.key = key
  }

  @usableFromInline var inputs: [any DerivationStep<Root>] { [step] }
  @usableFromInline var parts: Set<Range<Int>>? { nil }

  /// The step is the only input.
  @usableFromInline
  func join(_ input: any DerivationStep<Root>) { step.followers.add(self) }
  @usableFromInline
  func leave(_ input: any DerivationStep<Root>) { step.followers.remove(self) }

  /// The part stays in the whole; a copy is kept only for the steps computed from it.
  @usableFromInline
  func notify() { step.specialized.notify(self) }

  @usableFromInline
  func version(at root: Version<Root>, for consumer: DerivationConsumer) -> Version<Part> {
    switch consumer {
    case .subscribers:
      step.begin(at: root)
      let part = part(at: root)
      return followers.look(at: root) { unchanged($0, part) ?? root.of(part, after: $0?.value) }
    case .readers: return read(at: root)
    }
  }

  @usableFromInline
  func list(in listing: inout FollowerListing) {
    listing.add("\(listing.text(of: step.path))[…]", followers)
  }

  private func read(at root: Version<Root>) -> Version<Part> {
    if let seen = seen.withLock({ $0 }), seen.at >= root.number { return seen.version }
    let part = part(at: root)
    // Freed outside the lock.
    var replaced: Version<Part>?
    let version = seen.withLock { seen in
      if let seen, seen.at >= root.number { return seen.version }
      replaced = seen?.version
      // A reader skips versions, so its previous value is not that of the version before.
      let next = unchanged(replaced, part) ?? root.of(part, after: nil)
      seen = Seen(at: root.number, version: next)
      return next
    }
    _ = consume replaced
    return version
  }

  /// What was seen before, if the part is certainly unchanged.
  private func unchanged(_ seen: Version<Part>?, _ part: Part) -> Version<Part>? {
    guard let seen, step.difference.isSame(seen.value, part) else { return nil }
    return seen
  }

  private func part(at root: Version<Root>) -> Part {
    step.difference.part(of: root.value[keyPath: step.path], under: key)
  }

  /// Stores the part of this version, in which it differs, and visits what is computed from it.
  @inlinable
  func take(
    _ part: Version<Part>,
    at root: Version<Root>,
    adding changed: inout ChangedNodes
  ) {
    guard let steps = followers.take(part, at: root) else { return }
    changed.append(self)
    for step in steps { step.advance(to: root, adding: &changed) }
  }
}
