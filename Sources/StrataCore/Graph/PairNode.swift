/// Two derivations of one state as one value, always of one version.
final class PairNode<Root: Sendable, A: Sendable, B: Sendable>: DerivationNode {
  private final class Memo: NodeMemo {
    var rootVersion: UInt64
    var a: UInt64
    var b: UInt64
    var output: Version<(A, B)>

    init(rootVersion: UInt64, a: UInt64, b: UInt64, output: Version<(A, B)>) {
      self.rootVersion = rootVersion
      self.a = a
      self.b = b
      self.output = output
    }
  }

  private let a: any DerivationNode<Root, A>
  private let b: any DerivationNode<Root, B>
  private let computed = ComputedMemory()
  private let memory = NodeMemory<Memo>()
  let followers = NodeFollowers<Root, (A, B)>()

  init(_ a: any DerivationNode<Root, A>, _ b: any DerivationNode<Root, B>) {
    self.a = a
    self.b = b
  }

  var inputs: [any DerivationStep<Root>] { [a, b] }
  var parts: Set<Range<Int>>? { nil }

  func version(at root: Version<Root>, for consumer: DerivationConsumer) -> Version<(A, B)> {
    memory.output(for: consumer) { own, _, replaced in
      guard let own else { return first(at: root, for: consumer) }
      if own.rootVersion < root.number { replaced = advance(own, to: root, for: consumer) }
      return own
    }
  }

  func forget() {
    followers.forget()
    memory.forget()
  }

  func list(in listing: inout FollowerListing) { listing.add("combined", followers) }

  private func first(at root: Version<Root>, for consumer: DerivationConsumer) -> Memo {
    let a = a.version(at: root, for: consumer)
    let b = b.version(at: root, for: consumer)
    return Memo(
      rootVersion: root.number,
      a: a.number,
      b: b.number,
      output: joined(a, b, after: nil, for: consumer)
    )
  }

  /// Returns the output that was replaced; nil when neither has changed.
  private func advance(
    _ memo: Memo,
    to root: Version<Root>,
    for consumer: DerivationConsumer
  ) -> Version<(A, B)>? {
    memo.rootVersion = root.number
    let a = a.version(at: root, for: consumer)
    let b = b.version(at: root, for: consumer)
    if memo.a == a.number, memo.b == b.number { return nil }
    memo.a = a.number
    memo.b = b.number
    let replaced = memo.output
    memo.output = joined(a, b, after: replaced, for: consumer)
    return replaced
  }

  /// The later of the two says who made the version.
  private func joined(
    _ a: Version<A>,
    _ b: Version<B>,
    after replaced: Version<(A, B)>?,
    for consumer: DerivationConsumer
  ) -> Version<(A, B)> {
    let place = ComputedPlace(memory: computed, previous: replaced?.number)
    let value = (a.value, b.value)
    // A reader skips versions, so its previous value is not that of the version before.
    let previous = consumer == .subscribers ? replaced?.value : nil
    return Version(
      a.number >= b.number
        ? a.changes.replacing(value: value, previous: previous, computedPlace: place)
        : b.changes.replacing(value: value, previous: previous, computedPlace: place)
    )
  }
}
