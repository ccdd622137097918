/// What can be derived from the parts of one value in a store's state.
///
/// It holds neither the store nor what is derived with it.
@usableFromInline
package struct KeyedDerivations<
  Root: Sendable,
  Activity: Sendable,
  Difference: KeyedDifference
>: Sendable {
  private let delivery: Delivery<Root, Activity>
  private let step: KeyedStep<Root, Difference>
  private let place: Place

  init(
    _ difference: Difference,
    at path: PartPath<Root, Difference.Whole>,
    of delivery: Delivery<Root, Activity>,
    _ specialized: SpecializedKeyedStep<Root, Difference>
  ) {
    self.delivery = delivery
    place = Place(path: path, difference: difference)
    step = delivery.graph.cache.object(for: place) { KeyedStep(difference, at: path, specialized) }
  }

  private struct Place: Hashable {
    let path: PartPath<Root, Difference.Whole>
    let difference: Difference
  }

  /// What two requests must have in common to get the same object.
  private struct Shared<Form: Hashable>: Hashable {
    let place: Place
    let key: Difference.Key
    let form: Form
  }
}

extension KeyedDerivations {
  /// The part under `key`; the same object as long as it is held.
  package func part(under key: Difference.Key) -> Derived<Difference.Part> {
    shared(ObjectIdentifier(Difference.Part.self), under: key) {
      Derived(StoreDerivation(KeyNode(step, under: key), of: delivery))
    }
  }

  /// What `make` derives from a part; the same object for this key and form as long as it is held.
  ///
  /// `make` must not request anything that is shared itself, so it derives from a part requested before.
  package func shared<Output>(
    _ form: some Hashable,
    under key: Difference.Key,
    make: () -> Derived<Output>
  ) -> Derived<Output> {
    delivery.graph.cache.object(for: Shared(place: place, key: key, form: form), make: make)
  }

  /// The differences themselves, to be subscribed to; the value is never of interest.
  ///
  /// A subscriber receives what each commit changed, from the next commit on, and nothing from a commit
  /// that changed nothing.
  package var differences: Derived<KeyedChanges<Difference>> {
    Derived(StoreDerivation(DifferenceNode(step), of: delivery))
  }
}

extension DispatcherType {
  /// What can be derived from the parts of the value at `path`, which starts at the own scope.
  @inlinable
  package func keyed<Difference: KeyedDifference>(
    by difference: Difference,
    at path: StatePath<Scope, Difference.Whole>
  ) -> KeyedDerivations<State, Activity, Difference> {
    keyed(by: difference, at: path, SpecializedKeyedStep())
  }

  @usableFromInline
  func keyed<Difference: KeyedDifference>(
    by difference: Difference,
    at path: StatePath<Scope, Difference.Whole>,
    _ specialized: SpecializedKeyedStep<State, Difference>
  ) -> KeyedDerivations<State, Activity, Difference> {
    KeyedDerivations(difference, at: joining(scope, path), of: targetStore.delivery, specialized)
  }

  /// A value that `compute` derives from the part at `path`, computed once for each version in which
  /// the bytes of the part have changed.
  ///
  /// The bytes are compared instead of the part: the `==` of an entity table takes longer.
  package func derived<Part: Sendable, Output>(
    from path: StatePath<Scope, Part>,
    _ comparison: OutputComparison<Output>,
    _ compute: @escaping @Sendable (Part) -> Output
  ) -> Derived<Output> {
    let delivery = targetStore.delivery
    let part = delivery.graph.node(at: joining(scope, path))
    let projection = Projection(Pipeline.map(compute), comparison)
    return Derived(StoreDerivation(ProjectionNode(part, projection), of: delivery))
  }
}

extension DerivationGraph {
  /// The part of the state at `path`, new when its bytes are.
  func node<Part>(at path: PartPath<Root, Part>) -> ProjectionNode<Root, Root, Part> {
    cache.object(for: DerivedPart(part: path, comparison: .bytes)) {
      ProjectionNode(Projection(.map(path), .bytes))
    }
  }
}
