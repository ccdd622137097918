/// A derivation by a pipeline, from the state itself or from another derivation.
final class ProjectionNode<Root: Sendable, Input: Sendable, Output: Sendable>: DerivationNode {
  let inputs: [any DerivationStep<Root>]
  let bytes: Range<Int>?
  let followers = NodeFollowers<Root, Output>()
  private let projection: Projection<Input, Output>
  private let memory = NodeMemory<ProjectionMemo<Input, Output>>()
  private let input: @Sendable (Version<Root>, DerivationConsumer) -> Version<Input>

  /// A derivation from another one.
  init(_ input: any DerivationNode<Root, Input>, _ projection: Projection<Input, Output>) {
    self.projection = projection
    self.input = { root, consumer in input.version(at: root, for: consumer) }
    inputs = [input]
    bytes = nil
  }

  /// A derivation from the state itself.
  init(_ projection: Projection<Root, Output>) where Input == Root {
    self.projection = projection
    input = { root, _ in root }
    inputs = []
    switch projection.pipeline.projection {
    case .part(let part): bytes = part.bytes
    case .function: bytes = nil
    }
  }

  func version(at root: Version<Root>, for consumer: DerivationConsumer) -> Version<Output> {
    memory.output(for: consumer) { own, other, replaced in
      guard let own else {
        return projection.first(from: input(root, consumer), at: root.number, beside: other)
      }
      if own.rootVersion < root.number {
        let input = input(root, consumer)
        replaced = projection.advance(own, to: input, at: root.number, for: consumer, beside: other)
      }
      return own
    }
  }
}

extension KeyPath {
  /// The bytes of the root that it leads to; nil unless it goes through stored properties only.
  var bytes: Range<Int>? {
    guard let start = MemoryLayout<Root>.offset(of: self) else { return nil }
    return start..<start + MemoryLayout<Value>.size
  }
}
