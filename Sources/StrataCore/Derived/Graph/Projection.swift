/// What one lane has seen of a projection: an object, so that looking at it copies nothing.
///
/// Its lane's lock guards it.
final class ProjectionMemo<Input: Sendable, Output: Sendable> {
  var rootVersion: UInt64
  var inputVersion: UInt64
  /// What the output was made from, for a pipeline that asks for it.
  var input: Input?
  var output: Version<Output>

  init(rootVersion: UInt64, inputVersion: UInt64, input: Input?, output: Version<Output>) {
    self.rootVersion = rootVersion
    self.inputVersion = inputVersion
    self.input = input
    self.output = output
  }
}

/// One step from an input to an output, in terms of what was seen and what is there now.
///
/// An object, so that asking it copies none of its closures.
final class Projection<Input: Sendable, Output: Sendable>: Sendable {
  typealias Memo = ProjectionMemo<Input, Output>

  let pipeline: Pipeline<Input, Output>
  private let comparison: OutputComparison<Output>
  /// Where computed properties of the output are remembered, when its path does not say.
  private let memory: ComputedMemory?

  init(_ pipeline: Pipeline<Input, Output>, _ comparison: OutputComparison<Output>) {
    self.pipeline = pipeline
    self.comparison = comparison
    if case .function = pipeline.projection { memory = ComputedMemory() } else { memory = nil }
  }

  /// What a lane has seen that sees `input`, which is of `rootVersion`, before anything else.
  ///
  /// `other` is what the other lane has seen: an output it made of the same version is not made
  /// again.
  func first(from input: Version<Input>, at rootVersion: UInt64, beside other: Memo?) -> Memo {
    Memo(
      rootVersion: rootVersion,
      inputVersion: input.number,
      input: pipeline.dropsInput == nil ? nil : input.value,
      output: Version(
        input.changes.replacing(
          value: output(of: input, at: rootVersion, beside: other),
          previous: nil,
          computedPlace: place(after: input)
        )
      )
    )
  }

  /// Brings what `lane` has seen up to `input`, and gives the output that this replaced.
  func advance(
    _ memo: Memo,
    to input: Version<Input>,
    at rootVersion: UInt64,
    in lane: DerivationLane,
    beside other: Memo?
  ) -> Version<Output>? {
    memo.rootVersion = rootVersion
    guard memo.inputVersion != input.number else { return nil }
    memo.inputVersion = input.number
    if let dropsInput = pipeline.dropsInput {
      // The two may lie far apart, so what is remembered of neighbouring versions does not apply.
      if dropsInput(input.changes.replacing(value: input.value, previous: memo.input)) {
        return nil
      }
      memo.input = input.value
    }
    let value = output(of: input, at: rootVersion, beside: other)
    switch comparison {
    case .nothing: break
    case .equality(let isEqual): if isEqual(value, memo.output.value) { return nil }
    case .predicate(let drops):
      let place = lane == .delivering ? place(after: input) : nil
      let previous = memo.output.value
      if drops(input.changes.replacing(value: value, previous: previous, computedPlace: place)) {
        return nil
      }
    }
    let replaced = memo.output
    // A reader skips versions, so its previous value is not that of the version before.
    memo.output = Version(
      input.changes.replacing(
        value: value,
        previous: lane == .delivering ? replaced.value : nil,
        computedPlace: place(after: input)
      )
    )
    return replaced
  }

  private func output(
    of input: Version<Input>,
    at rootVersion: UInt64,
    beside other: Memo?
  ) -> Output {
    if let other, other.rootVersion == rootVersion { return other.output.value }
    switch pipeline.projection {
    case .part(let part): return input.value[keyPath: part]
    case .function(let function): return function(input.changes)
    }
  }

  private func place(after input: Version<Input>) -> ComputedPlace? {
    switch pipeline.projection {
    case .part(let part): return input.changes.computedPlace?.appending(part)
    case .function: return memory.map { ComputedPlace(memory: $0) }
    }
  }
}
