import StrataBase

/// How a value goes on where its input says nothing.
package struct KeepingRule<Input: Sendable, Output: Sendable>: Sendable {
  /// The last value before anything was seen.
  let seed: Output
  /// What the input says; nil when it says nothing.
  let value: @Sendable (Input) -> Output?
  /// What the last value becomes while the input says nothing.
  let kept: @Sendable (Output) -> Output

  package init(
    seed: Output,
    value: @escaping @Sendable (Input) -> Output?,
    kept: @escaping @Sendable (Output) -> Output
  ) {
    self.seed = seed
    self.value = value
    self.kept = kept
  }
}

/// A derivation that goes on from its own last value where its input says nothing.
///
/// Whoever looks skips versions at which nobody looked. So that readers and subscribers agree on the
/// last value, each lane goes on from the newest that either has seen.
final class KeepingNode<Root: Sendable, Input: Sendable, Output: Sendable>: DerivationNode {
  /// What one lane has seen: an object, so that looking at it copies nothing.
  private final class Memo {
    var rootVersion: UInt64
    let inputVersion: UInt64
    /// The version at which the input was last seen to say something.
    var saidAt: UInt64
    let output: Version<Output>

    init(rootVersion: UInt64, inputVersion: UInt64, saidAt: UInt64, output: Version<Output>) {
      self.rootVersion = rootVersion
      self.inputVersion = inputVersion
      self.saidAt = saidAt
      self.output = output
    }
  }

  private let input: any DerivationNode<Root, Input>
  private let rule: KeepingRule<Input, Output>
  private let memos: Lock<LaneMemos<Memo>> = .lanes()
  let told = DerivationFollowers<Root, Output>()

  init(_ input: any DerivationNode<Root, Input>, _ rule: KeepingRule<Input, Output>) {
    self.input = input
    self.rule = rule
  }

  var inputs: [any DerivationStep<Root>] { [input] }
  var bytes: Range<Int>? { nil }

  func version(at root: Version<Root>, in lane: DerivationLane) -> Version<Output> {
    // Freed outside the lock: what goes with it may ask for this value.
    var replaced: Memo?
    let result = memos.withLock { memos in
      replaced = memos[lane]
      let memo = memo(at: root, in: lane, memos)
      memos[lane] = memo
      return memo.output
    }
    _ = consume replaced
    return result
  }

  private func memo(
    at root: Version<Root>,
    in lane: DerivationLane,
    _ memos: LaneMemos<Memo>
  ) -> Memo {
    let own = memos[lane]
    // Not one that is ahead of this state.
    let other = memos[lane.other].flatMap { other in
      other.rootVersion <= root.number && other.saidAt > own?.saidAt ?? 0 ? other : nil
    }
    if let own, own.rootVersion > root.number || own.rootVersion == root.number && other == nil {
      return own
    }
    let input = input.version(at: root, in: lane)
    let said = rule.value(input.value)
    if let own, own.inputVersion == input.number, said != nil || other == nil {
      own.rootVersion = root.number
      if said != nil { own.saidAt = root.number }
      return own
    }
    let last = other ?? own
    let value = said ?? rule.kept(last?.output.value ?? rule.seed)
    let previous = lane == .delivering ? own?.output.value : nil
    return Memo(
      rootVersion: root.number,
      inputVersion: input.number,
      saidAt: said == nil ? last?.saidAt ?? 0 : root.number,
      // The version grows also where only the other lane has seen something new.
      output: own?.inputVersion == input.number
        ? Version(root.changes.replacing(value: value, previous: previous))
        : Version(input.changes.replacing(value: value, previous: previous))
    )
  }
}
