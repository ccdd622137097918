/// What a derived value is made from, whatever the store.
protocol DerivedSource<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// The value for the last committed state.
  var latest: Version<Value> { get }

  func follow(
    _ sink: Sink<Changes<Value>>,
    first: FirstDelivery,
    keeping derived: Derived<Value>
  ) -> StoreSubscription

  func mapped<Next: Sendable>(
    _ projection: Projection<Value, Next>,
    keeping derived: Derived<Value>
  ) -> any DerivedSource<Next>

  func kept<Next: Sendable>(
    _ rule: KeepingRule<Value, Next>,
    keeping derived: Derived<Value>
  ) -> any DerivedSource<Next>

  /// Nil when the other is derived from another store.
  func paired<Other: Sendable>(
    with other: Derived<Other>,
    keeping derived: Derived<Value>
  ) -> (any DerivedSource<(Value, Other)>)?
}

/// A node of the graph of one store's derivations, and where its state comes from.
final class StoreDerivation<Root: Sendable, Activity: Sendable, Value: Sendable>: DerivedSource {
  private let delivery: Delivery<Root, Activity>
  private let node: any DerivationNode<Root, Value>
  /// The derived values this is made from; whoever has them may ask for the same ones again.
  private let kept: [any AnyObject & Sendable]

  init(
    _ node: any DerivationNode<Root, Value>,
    of delivery: Delivery<Root, Activity>,
    keeping kept: [any AnyObject & Sendable] = []
  ) {
    self.delivery = delivery
    self.node = node
    self.kept = kept
  }

  var latest: Version<Value> { node.version(at: delivery.current, in: .reading) }

  func follow(
    _ sink: Sink<Changes<Value>>,
    first: FirstDelivery,
    keeping derived: Derived<Value>
  ) -> StoreSubscription {
    let graph = delivery.graph
    return delivery.follow(
      begin: { [node] root in graph.begin(sink, following: node, at: root, first: first) },
      end: { [node, weak sinkEnd = sink.end] in
        sinkEnd?.cancel()
        graph.end(following: node)
        withExtendedLifetime(derived) {}
      }
    )
  }

  func mapped<Next: Sendable>(
    _ projection: Projection<Value, Next>,
    keeping derived: Derived<Value>
  ) -> any DerivedSource<Next> {
    StoreDerivation<Root, Activity, Next>(
      MapNode(node, projection),
      of: delivery,
      keeping: [derived]
    )
  }

  func kept<Next: Sendable>(
    _ rule: KeepingRule<Value, Next>,
    keeping derived: Derived<Value>
  ) -> any DerivedSource<Next> {
    StoreDerivation<Root, Activity, Next>(
      KeepingNode(node, rule),
      of: delivery,
      keeping: [derived]
    )
  }

  func paired<Other: Sendable>(
    with other: Derived<Other>,
    keeping derived: Derived<Value>
  ) -> (any DerivedSource<(Value, Other)>)? {
    guard
      let source = other.source as? StoreDerivation<Root, Activity, Other>,
      source.delivery === delivery
    else { return nil }
    return StoreDerivation<Root, Activity, (Value, Other)>(
      PairNode(node, source.node),
      of: delivery,
      keeping: [derived, other]
    )
  }
}
