import StrataBase

/// A derivation by a pipeline from the state itself.
final class FirstNode<Root: Sendable, Output: Sendable>: DerivationNode {
  private let projection: Projection<Root, Output>
  private let memos: Lock<LaneMemos<ProjectionMemo<Root, Output>>> = .lanes()
  let told = DerivationFollowers<Root, Output>()
  let bytes: Range<Int>?

  init(_ projection: Projection<Root, Output>) {
    self.projection = projection
    switch projection.pipeline.projection {
    case .part(let part): bytes = part.bytes
    case .function: bytes = nil
    }
  }

  var inputs: [any DerivationStep<Root>] { [] }

  func version(at root: Version<Root>, in lane: DerivationLane) -> Version<Output> {
    // Freed outside the lock: what goes with it may ask for this value.
    var replaced: Version<Output>?
    let result = memos.withLock { memos in
      let other = memos[lane.other]
      if let memo = memos[lane] {
        if memo.rootVersion < root.number {
          let version = root.number
          replaced = projection.advance(memo, to: root, at: version, in: lane, beside: other)
        }
        return memo.output
      }
      let memo = projection.first(from: root, at: root.number, beside: other)
      memos[lane] = memo
      return memo.output
    }
    _ = consume replaced
    return result
  }
}

extension KeyPath {
  /// The bytes of the root that it leads to; nil when it does not go through stored properties alone.
  var bytes: Range<Int>? {
    guard let start = MemoryLayout<Root>.offset(of: self) else { return nil }
    return start..<start + MemoryLayout<Value>.size
  }
}
