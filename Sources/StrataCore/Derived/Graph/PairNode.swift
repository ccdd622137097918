import StrataBase

/// Two derivations of one state side by side, never of two versions.
final class PairNode<Root: Sendable, A: Sendable, B: Sendable>: DerivationNode {
  /// What one lane has seen: an object, so that looking at it copies nothing.
  private final class Memo {
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
  private let memory = ComputedMemory()
  private let memos: Lock<LaneMemos<Memo>> = .lanes()
  let told = DerivationFollowers<Root, (A, B)>()

  init(_ a: any DerivationNode<Root, A>, _ b: any DerivationNode<Root, B>) {
    self.a = a
    self.b = b
  }

  var inputs: [any DerivationStep<Root>] { [a, b] }
  var bytes: Range<Int>? { nil }

  func version(at root: Version<Root>, in lane: DerivationLane) -> Version<(A, B)> {
    // Freed outside the lock: what goes with it may ask for this value.
    var replaced: Version<(A, B)>?
    let result = memos.withLock { memos in
      if let memo = memos[lane] {
        if memo.rootVersion < root.number { replaced = advance(memo, to: root, in: lane) }
        return memo.output
      }
      let memo = first(at: root, in: lane)
      memos[lane] = memo
      return memo.output
    }
    _ = consume replaced
    return result
  }

  private func first(at root: Version<Root>, in lane: DerivationLane) -> Memo {
    let a = a.version(at: root, in: lane)
    let b = b.version(at: root, in: lane)
    return Memo(
      rootVersion: root.number,
      a: a.number,
      b: b.number,
      output: joined(a, b, previous: nil)
    )
  }

  /// Gives the output that was replaced; nil when neither has changed.
  private func advance(
    _ memo: Memo,
    to root: Version<Root>,
    in lane: DerivationLane
  ) -> Version<(A, B)>? {
    memo.rootVersion = root.number
    let a = a.version(at: root, in: lane)
    let b = b.version(at: root, in: lane)
    if memo.a == a.number, memo.b == b.number { return nil }
    memo.a = a.number
    memo.b = b.number
    let replaced = memo.output
    // A reader skips versions, so its previous value is not that of the version before.
    memo.output = joined(a, b, previous: lane == .delivering ? replaced.value : nil)
    return replaced
  }

  /// The later of the two says who made the version.
  private func joined(_ a: Version<A>, _ b: Version<B>, previous: (A, B)?) -> Version<(A, B)> {
    let place = ComputedPlace(memory: memory)
    let value = (a.value, b.value)
    return Version(
      a.number >= b.number
        ? a.changes.replacing(value: value, previous: previous, computedPlace: place)
        : b.changes.replacing(value: value, previous: previous, computedPlace: place)
    )
  }
}
