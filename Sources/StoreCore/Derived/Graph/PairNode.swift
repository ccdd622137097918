/// Two derivations of one state side by side, never of two versions.
final class PairNode<Root: Sendable, A: Sendable, B: Sendable>: DerivationNode {
  /// What one lane has seen.
  private struct Memo: Sendable {
    var rootVersion: UInt64
    var a: UInt64
    var b: UInt64
    var output: Changes<(A, B)>
  }

  private let a: any DerivationNode<Root, A>
  private let b: any DerivationNode<Root, B>
  private let memory = ComputedMemory()
  private let memos = Lock<[Memo?]>([nil, nil])
  let told = DerivationFollowers<Root, (A, B)>()

  init(_ a: any DerivationNode<Root, A>, _ b: any DerivationNode<Root, B>) {
    self.a = a
    self.b = b
  }

  var inputs: [any DerivationStep<Root>] { [a, b] }
  var bytes: Range<Int>? { nil }

  func changes(at root: Changes<Root>, in lane: DerivationLane) -> Changes<(A, B)> {
    // Freed outside the lock: what goes with it may ask for this value.
    var replaced: Memo?
    let output = memos.withLock { memos in
      replaced = memos[lane.rawValue]
      if let memo = replaced, memo.rootVersion >= root.version { return memo.output }
      let memo = next(after: replaced, at: root, in: lane)
      memos[lane.rawValue] = memo
      return memo.output
    }
    _ = consume replaced
    return output
  }

  private func next(after known: Memo?, at root: Changes<Root>, in lane: DerivationLane) -> Memo {
    let a = a.changes(at: root, in: lane)
    let b = b.changes(at: root, in: lane)
    if var memo = known, memo.a == a.version, memo.b == b.version {
      memo.rootVersion = root.version
      return memo
    }
    // The later of the two says who made this version.
    let place = ComputedPlace(memory: memory)
    let value = (a.value, b.value)
    let previous = lane == .delivering ? known?.output.value : nil
    return Memo(
      rootVersion: root.version,
      a: a.version,
      b: b.version,
      output: a.version >= b.version
        ? a.replacing(value: value, previous: previous, computedPlace: place)
        : b.replacing(value: value, previous: previous, computedPlace: place)
    )
  }
}
