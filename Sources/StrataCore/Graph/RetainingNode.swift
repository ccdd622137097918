/// How a value continues while its input is absent.
package struct RetainingRule<Input: Sendable, Output: Sendable>: Sendable {
  /// The last value before any input was seen.
  let seed: Output
  /// The output for an input; nil when the input is absent.
  let value: @Sendable (Input) -> Output?
  /// What the last value becomes while the input is absent.
  let retained: @Sendable (Output) -> Output

  package init(
    seed: Output,
    value: @escaping @Sendable (Input) -> Output?,
    retained: @escaping @Sendable (Output) -> Output
  ) {
    self.seed = seed
    self.value = value
    self.retained = retained
  }
}

/// A derivation that continues from its own last value while its input is absent.
///
/// Readers and subscribers skip versions at which the value is not computed for them. So that both
/// agree on the last value, each continues from the newest that either has seen.
final class RetainingNode<Root: Sendable, Input: Sendable, Output: Sendable>: DerivationNode {
  private final class Memo: NodeMemo {
    var rootVersion: UInt64
    let inputVersion: UInt64
    /// The latest version at which the input was seen to be present.
    var presentAt: UInt64
    let output: Version<Output>

    init(rootVersion: UInt64, inputVersion: UInt64, presentAt: UInt64, output: Version<Output>) {
      self.rootVersion = rootVersion
      self.inputVersion = inputVersion
      self.presentAt = presentAt
      self.output = output
    }
  }

  private let input: any DerivationNode<Root, Input>
  private let rule: RetainingRule<Input, Output>
  private let memory = NodeMemory<Memo>()
  let followers = NodeFollowers<Root, Output>()

  init(_ input: any DerivationNode<Root, Input>, _ rule: RetainingRule<Input, Output>) {
    self.input = input
    self.rule = rule
  }

  var inputs: [any DerivationStep<Root>] { [input] }
  var parts: Set<Range<Int>>? { nil }

  func version(at root: Version<Root>, for consumer: DerivationConsumer) -> Version<Output> {
    memory.output(for: consumer) { own, other, _ in
      memo(at: root, for: consumer, own, other)
    }
  }

  func list(in listing: inout FollowerListing) {
    listing.add("last value of \(Input.self)", followers)
  }

  private func memo(
    at root: Version<Root>,
    for consumer: DerivationConsumer,
    _ own: Memo?,
    _ other: Memo?
  ) -> Memo {
    // Not one that is ahead of this state.
    let other = other.flatMap { other in
      other.rootVersion <= root.number && other.presentAt > own?.presentAt ?? 0 ? other : nil
    }
    if let own, own.rootVersion > root.number || own.rootVersion == root.number && other == nil {
      return own
    }
    let input = input.version(at: root, for: consumer)
    let present = rule.value(input.value)
    if let own, own.inputVersion == input.number, present != nil || other == nil {
      own.rootVersion = root.number
      if present != nil { own.presentAt = root.number }
      return own
    }
    let last = other ?? own
    let value = present ?? rule.retained(last?.output.value ?? rule.seed)
    let previous = consumer == .subscribers ? own?.output.value : nil
    return Memo(
      rootVersion: root.number,
      inputVersion: input.number,
      presentAt: present == nil ? last?.presentAt ?? 0 : root.number,
      // The version grows also where only the other consumer has seen something new.
      output: own?.inputVersion == input.number
        ? Version(root.changes.replacing(value: value, previous: previous))
        : Version(input.changes.replacing(value: value, previous: previous))
    )
  }
}
