/// What a projection computed last for one consumer.
final class ProjectionMemo<Input: Sendable, Output: Sendable>: NodeMemo {
  var rootVersion: UInt64
  var inputVersion: UInt64
  /// The input of the output, for a pipeline that compares inputs.
  var input: Input?
  /// The parts of the input that were read for the output; nil if that may be everything.
  var parts: Set<Range<Int>>?
  var output: Version<Output>

  init(
    rootVersion: UInt64,
    inputVersion: UInt64,
    input: Input?,
    parts: Set<Range<Int>>?,
    output: Version<Output>
  ) {
    self.rootVersion = rootVersion
    self.inputVersion = inputVersion
    self.input = input
    self.parts = parts
    self.output = output
  }
}

/// One step from an input to an output, from what was computed last and what the input is now.
///
/// An object, so that calling it copies none of its closures.
final class Projection<Input: Sendable, Output: Sendable>: Sendable {
  typealias Memo = ProjectionMemo<Input, Output>

  let pipeline: Pipeline<Input, Output>
  private let comparison: OutputComparison<Output>
  /// The memory of the computed properties of an output that has no path from the state.
  private let memory: ComputedMemory?
  /// Whether an output is the same as long as what its function has read is.
  ///
  /// Not where subscribers are notified of equal outputs, or a predicate decides.
  let dependsOnReadsAlone: Bool

  init(_ pipeline: Pipeline<Input, Output>, _ comparison: OutputComparison<Output>) {
    self.pipeline = pipeline
    self.comparison = comparison
    if case .function = pipeline.projection { memory = ComputedMemory() } else { memory = nil }
    if case .function = pipeline.projection, case .equality = comparison {
      dependsOnReadsAlone = pipeline.dropsInput == nil
    } else {
      dependsOnReadsAlone = false
    }
  }

  /// The first memo of a consumer, from `input` at `rootVersion`.
  ///
  /// `other` is the memo of the other consumer: an output it has for the same version is used again.
  func first(from input: Version<Input>, at rootVersion: UInt64, beside other: Memo?) -> Memo {
    let (output, parts) = output(of: input, at: rootVersion, beside: other)
    return Memo(
      rootVersion: rootVersion,
      inputVersion: input.number,
      input: pipeline.dropsInput == nil ? nil : input.value,
      parts: parts,
      output: Version(
        input.changes.replacing(
          value: output,
          previous: nil,
          computedPlace: place(of: input, after: nil)
        )
      )
    )
  }

  /// Updates the memo of a consumer to `input`, and returns the output that this replaced.
  func advance(
    _ memo: Memo,
    to input: Version<Input>,
    at rootVersion: UInt64,
    for consumer: DerivationConsumer,
    beside other: Memo?
  ) -> Version<Output>? {
    memo.rootVersion = rootVersion
    guard memo.inputVersion != input.number else { return nil }
    memo.inputVersion = input.number
    if let dropsInput = pipeline.dropsInput {
      // The two may be far apart, so what is remembered of neighbouring versions does not apply.
      if dropsInput(input.changes.replacing(value: input.value, previous: memo.input)) {
        return nil
      }
      memo.input = input.value
    }
    let (value, parts) = output(of: input, at: rootVersion, beside: other)
    memo.parts = parts
    switch comparison {
    case .nothing: break
    case .equality(let isEqual): if isEqual(value, memo.output.value) { return nil }
    case .predicate(let drops):
      let place = consumer == .subscribers ? place(of: input, after: memo.output.number) : nil
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
        previous: consumer == .subscribers ? replaced.value : nil,
        computedPlace: place(of: input, after: replaced.number)
      )
    )
    return replaced
  }

  private func output(
    of input: Version<Input>,
    at rootVersion: UInt64,
    beside other: Memo?
  ) -> (output: Output, parts: Set<Range<Int>>?) {
    // A reader of an older version may have been given a newer input.
    if let other, other.rootVersion == rootVersion, other.inputVersion <= rootVersion {
      return (other.output.value, other.parts)
    }
    switch pipeline.projection {
    case .part(let part): return (input.value[keyPath: part], nil)
    case .function(let function) where dependsOnReadsAlone:
      return StateReads.output(of: function, reading: input.changes)
    case .function(let function): return (function(input.changes), nil)
    }
  }

  /// The previous output is the one of another version than that before the input.
  private func place(of input: Version<Input>, after previous: UInt64?) -> ComputedPlace? {
    switch pipeline.projection {
    case .part(let part): return input.changes.computedPlace?.appending(part)?.after(previous)
    case .function: return memory.map { ComputedPlace(memory: $0, previous: previous) }
    }
  }
}

/// When a new output counts as unchanged.
package enum OutputComparison<Output: Sendable>: Sendable {
  /// Never.
  case nothing
  /// When it is equal to the one before.
  case equality(@Sendable (Output, Output) -> Bool)
  /// When the predicate holds.
  case predicate(@Sendable (Changes<Output>) -> Bool)
}

extension OutputComparison where Output: Equatable {
  package static var equality: OutputComparison { .equality { $0 == $1 } }
}

extension OutputComparison {
  /// When every byte is equal: then so are the values, because both are held.
  static var bytes: OutputComparison { .equality { BitwiseEquality.areEqual($0, $1) } }
}
