import StrataBase

/// A derivation by a pipeline from another derivation.
final class MapNode<Root: Sendable, Input: Sendable, Output: Sendable>: DerivationNode {
  private let input: any DerivationNode<Root, Input>
  private let projection: Projection<Input, Output>
  private let memos: Lock<LaneMemos<ProjectionMemo<Input, Output>>> = .lanes()
  let told = DerivationFollowers<Root, Output>()

  init(_ input: any DerivationNode<Root, Input>, _ projection: Projection<Input, Output>) {
    self.input = input
    self.projection = projection
  }

  var inputs: [any DerivationStep<Root>] { [input] }
  var bytes: Range<Int>? { nil }

  func version(at root: Version<Root>, in lane: DerivationLane) -> Version<Output> {
    // Freed outside the lock: what goes with it may ask for this value.
    var replaced: Version<Output>?
    let result = memos.withLock { memos in
      let other = memos[lane.other]
      if let memo = memos[lane] {
        if memo.rootVersion < root.number {
          let input = input.version(at: root, in: lane)
          let version = root.number
          replaced = projection.advance(memo, to: input, at: version, in: lane, beside: other)
        }
        return memo.output
      }
      let input = input.version(at: root, in: lane)
      let memo = projection.first(from: input, at: root.number, beside: other)
      memos[lane] = memo
      return memo.output
    }
    _ = consume replaced
    return result
  }
}
