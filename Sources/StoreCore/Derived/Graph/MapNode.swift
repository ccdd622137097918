/// A derivation by a pipeline from one input.
final class MapNode<Root: Sendable, Input: Sendable, Output: Sendable>: DerivationNode {
  /// What one lane has seen.
  private struct Memo: Sendable {
    var rootVersion: UInt64
    var inputVersion: UInt64
    /// What the output was made from, for a pipeline that asks for it.
    var input: Input?
    var output: Changes<Output>

    /// The output, if it was computed at this very version.
    func value(at root: Changes<Root>) -> Output? {
      rootVersion == root.version ? output.value : nil
    }
  }

  private let input: DerivationInput<Root, Input>
  private let pipeline: Pipeline<Input, Output>
  private let dropsOutput: (@Sendable (Changes<Output>) -> Bool)?
  /// Where computed properties of the output are remembered, when its path does not say.
  private let memory: ComputedMemory?
  private let memos = Lock<[Memo?]>(
    [nil, nil],
    reentryRemedy: """
      A derived value was asked for inside a closure it is computed with: use what the closure is \
      given.
      """
  )
  let told = DerivationFollowers<Root, Output>()
  let bytes: Range<Int>?

  init(
    _ input: DerivationInput<Root, Input>,
    _ pipeline: Pipeline<Input, Output>,
    dropsOutput: (@Sendable (Changes<Output>) -> Bool)?
  ) {
    self.input = input
    self.pipeline = pipeline
    self.dropsOutput = dropsOutput
    switch pipeline.projection {
    case .part(let part):
      memory = nil
      bytes = input.isRoot ? Self.bytes(of: part) : nil
    case .function:
      memory = ComputedMemory()
      bytes = nil
    }
  }

  var inputs: [any DerivationStep<Root>] { input.node.map { [$0] } ?? [] }

  func changes(at root: Changes<Root>, in lane: DerivationLane) -> Changes<Output> {
    // Freed outside the lock: what goes with it may ask for this value.
    var replaced: Memo?
    let output = memos.withLock { memos in
      replaced = memos[lane.rawValue]
      if let memo = replaced, memo.rootVersion >= root.version { return memo.output }
      let memo = next(after: replaced, at: root, in: lane, beside: memos[1 - lane.rawValue])
      memos[lane.rawValue] = memo
      return memo.output
    }
    _ = consume replaced
    return output
  }
}

extension MapNode {
  private func next(
    after known: Memo?,
    at root: Changes<Root>,
    in lane: DerivationLane,
    beside other: Memo?
  ) -> Memo {
    let input = input.changes(at: root, in: lane)
    guard var memo = known else {
      let value = other?.value(at: root) ?? value(of: input)
      return Memo(
        rootVersion: root.version,
        inputVersion: input.version,
        input: pipeline.dropsInput == nil ? nil : input.value,
        output: input.replacing(value: value, previous: nil, computedPlace: place(after: input))
      )
    }
    memo.rootVersion = root.version
    guard memo.inputVersion != input.version else { return memo }
    memo.inputVersion = input.version
    if let dropsInput = pipeline.dropsInput,
      dropsInput(input.replacing(value: input.value, previous: memo.input))
    {
      return memo
    }
    let value = other?.value(at: root) ?? value(of: input)
    if pipeline.dropsInput != nil { memo.input = input.value }
    // A reader skips versions, so its previous value is not that of the version before.
    let place = place(after: input)
    let output = input.replacing(
      value: value,
      previous: memo.output.value,
      computedPlace: lane == .delivering ? place : nil
    )
    if let dropsOutput, dropsOutput(output) { return memo }
    memo.output =
      lane == .delivering
      ? output : input.replacing(value: value, previous: nil, computedPlace: place)
    return memo
  }

  private func value(of input: Changes<Input>) -> Output {
    switch pipeline.projection {
    case .part(let part): return input.value[keyPath: part]
    case .function(let function): return function(input)
    }
  }

  private func place(after input: Changes<Input>) -> ComputedPlace? {
    switch pipeline.projection {
    case .part(let part): return input.computedPlace?.appending(part)
    case .function: return memory.map { ComputedPlace(memory: $0) }
    }
  }

  private static func bytes(of part: PartPath<Input, Output>) -> Range<Int>? {
    guard let start = MemoryLayout<Input>.offset(of: part as KeyPath<Input, Output>) else {
      return nil
    }
    return start..<start + MemoryLayout<Output>.size
  }
}

extension DerivationInput {
  fileprivate var isRoot: Bool { node == nil }

  fileprivate var node: (any DerivationNode<Root, Value>)? {
    guard case .node(let node) = self else { return nil }
    return node
  }
}
