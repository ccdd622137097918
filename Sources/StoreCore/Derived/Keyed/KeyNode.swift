/// A derivation from the part of a value under one key.
///
/// It is computed from the whole value, like any other, and waits under its key to be visited.
final class KeyNode<Root: Sendable, Difference: KeyedDifference, Output: Sendable>: DerivationNode {
  private let step: KeyedStep<Root, Difference>
  private let key: Difference.Key
  private let node: MapNode<Root, Difference.Whole, Output>

  init(
    _ step: KeyedStep<Root, Difference>,
    under key: Difference.Key,
    _ projection: Projection<Difference.Whole, Output>
  ) {
    self.step = step
    self.key = key
    node = MapNode(step.whole, projection)
  }

  var told: DerivationFollowers<Root, Output> { node.told }
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
    node.look(at: root, in: lane, read)
  }
}
