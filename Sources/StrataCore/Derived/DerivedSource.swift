/// What a derived value is computed from, whatever the store.
protocol DerivedSource<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// The value for the last committed state.
  var latest: Version<Value> { get }

  func follow(
    _ sink: Sink<Changes<Value>>,
    first: FirstDelivery,
    holding derived: Derived<Value>
  ) -> StoreSubscription

  func mapped<Next: Sendable>(
    _ projection: Projection<Value, Next>,
    holding derived: Derived<Value>
  ) -> any DerivedSource<Next>

  func retained<Next: Sendable>(
    _ rule: RetainingRule<Value, Next>,
    holding derived: Derived<Value>
  ) -> any DerivedSource<Next>

  /// Nil when the other is derived from another store.
  func paired<Other: Sendable>(
    with other: Derived<Other>,
    holding derived: Derived<Value>
  ) -> (any DerivedSource<(Value, Other)>)?
}

/// A node of the graph of one store's derivations, and the delivery that provides its state.
final class StoreDerivation<Root: Sendable, Activity: Sendable, Value: Sendable>: DerivedSource {
  private let delivery: Delivery<Root, Activity>
  private let node: any DerivationNode<Root, Value>
  /// The derived values this is computed from, held so that requesting them again gives the same ones.
  private let held: [any AnyObject & Sendable]

  init(
    _ node: any DerivationNode<Root, Value>,
    of delivery: Delivery<Root, Activity>,
    holding held: [any AnyObject & Sendable] = []
  ) {
    self.delivery = delivery
    self.node = node
    self.held = held
  }

  var latest: Version<Value> { node.version(at: delivery.current, for: .readers) }

  func follow(
    _ sink: Sink<Changes<Value>>,
    first: FirstDelivery,
    holding derived: Derived<Value>
  ) -> StoreSubscription {
    let graph = delivery.graph
    let startsNow = first == .current && sink.takesFirstTurn()
    let next = startsNow ? FirstDelivery.nextCommit : first
    return delivery.follow(
      now: !startsNow
        ? nil
        : { [node] root in
          // As a reader, because only the thread that delivers computes for subscribers.
          sink.deliverFirst(node.version(at: root, for: .readers).changes.droppedPrevious())
        },
      start: { [node] root in graph.begin(sink, following: node, at: root, first: next) },
      end: { [node, weak cancellation = sink.cancellation] in
        cancellation?.cancel()
        graph.end(following: node)
        withExtendedLifetime(derived) {}
      }
    )
  }

  func mapped<Next: Sendable>(
    _ projection: Projection<Value, Next>,
    holding derived: Derived<Value>
  ) -> any DerivedSource<Next> {
    StoreDerivation<Root, Activity, Next>(
      ProjectionNode(node, projection),
      of: delivery,
      holding: [derived]
    )
  }

  func retained<Next: Sendable>(
    _ rule: RetainingRule<Value, Next>,
    holding derived: Derived<Value>
  ) -> any DerivedSource<Next> {
    StoreDerivation<Root, Activity, Next>(
      RetainingNode(node, rule),
      of: delivery,
      holding: [derived]
    )
  }

  func paired<Other: Sendable>(
    with other: Derived<Other>,
    holding derived: Derived<Value>
  ) -> (any DerivedSource<(Value, Other)>)? {
    if let constant = other.source as? ConstantSource<Other> {
      let other = constant.latest.value
      let pair = Projection(Pipeline<Value, (Value, Other)>.map { ($0, other) }, .nothing)
      return mapped(pair, holding: derived)
    }
    guard
      let source = other.source as? StoreDerivation<Root, Activity, Other>,
      source.delivery === delivery
    else { return nil }
    return StoreDerivation<Root, Activity, (Value, Other)>(
      PairNode(node, source.node),
      of: delivery,
      holding: [derived, other]
    )
  }
}
