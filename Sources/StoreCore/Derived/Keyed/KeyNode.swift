/// A derivation from the part of a value under one key.
///
/// It is computed like any other, and waits under its key to be visited.
final class KeyNode<Root: Sendable, Difference: KeyedDifference, Output: Sendable>: DerivationNode {
  private let step: KeyedStep<Root, Difference>
  private let key: Difference.Key
  private let node: any DerivationNode<Root, Output>
  let told: DerivationFollowers<Root, Output>

  /// Lets what `node` computes wait under the key; `node` itself is never followed.
  init(
    _ step: KeyedStep<Root, Difference>,
    under key: Difference.Key,
    _ node: any DerivationNode<Root, Output>
  ) {
    self.step = step
    self.key = key
    self.node = node
    told = node.told
  }

  var inputs: [any DerivationStep<Root>] { [step] }
  var bytes: Range<Int>? { nil }

  /// The step is the only input.
  func join(_ input: any DerivationStep<Root>) { step.keyed.add(self, under: key) }
  func leave(_ input: any DerivationStep<Root>) { step.keyed.remove(self, under: key) }

  func look<R>(
    at root: Changes<Root>,
    in lane: DerivationLane,
    _ read: (Changes<Output>) -> R
  ) -> R {
    if lane == .delivering { step.begin(at: root) }
    return node.look(at: root, in: lane, read)
  }
}
