/// What can be derived from the parts of one value in a store's state.
///
/// It keeps neither the store nor what is derived with it.
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
    _ work: KeyedWork<Root, Difference>
  ) {
    self.delivery = delivery
    place = Place(path: path, difference: difference)
    step = delivery.graph.cache.object(for: place) { KeyedStep(difference, at: path, work) }
  }

  private struct Place: Hashable, @unchecked Sendable {
    let path: AnyKeyPath
    let difference: Difference
  }

  /// What two askers have to agree in to be given the same.
  private struct Shared<Form: Hashable>: Hashable {
    let place: Place
    let key: Difference.Key
    let form: Form
  }

  /// The form of a part that nothing is made of yet.
  private struct Bare: Hashable {}
}

extension KeyedDerivations {
  /// The part under `key`; the same as long as someone keeps it.
  package func part(under key: Difference.Key) -> Derived<Difference.Part> {
    shared(Bare(), under: key) {
      Derived(StoreDerivation(KeyNode(step, under: key), of: delivery))
    }
  }

  /// What `make` derives from a part; the same as long as someone keeps it for all who ask under this
  /// key for the same form of it.
  ///
  /// `make` may ask for nothing that is shared itself, so it goes on from a part got before.
  package func shared<Output>(
    _ form: some Hashable,
    under key: Difference.Key,
    make: () -> Derived<Output>
  ) -> Derived<Output> {
    delivery.graph.cache.object(for: Shared(place: place, key: key, form: form), make: make)
  }

  /// The differences themselves, to be followed: its value is never of interest.
  ///
  /// A subscriber is told what each commit changed from the next one on, and nothing by one that
  /// changed nothing.
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
    keyed(by: difference, at: path, KeyedWork())
  }

  @usableFromInline
  func keyed<Difference: KeyedDifference>(
    by difference: Difference,
    at path: StatePath<Scope, Difference.Whole>,
    _ work: KeyedWork<State, Difference>
  ) -> KeyedDerivations<State, Activity, Difference> {
    KeyedDerivations(difference, at: joining(scope, path), of: targetStore.delivery, work)
  }

  /// A value that `compute` makes of the part at `path`, computed once for each version in which the
  /// bytes of the part have changed.
  ///
  /// They are compared because the part is not: an entity table is never equal in less time.
  package func derived<Part: Sendable, Output>(
    from path: StatePath<Scope, Part>,
    _ comparison: OutputComparison<Output>,
    _ compute: @escaping @Sendable (Part) -> Output
  ) -> Derived<Output> {
    let delivery = targetStore.delivery
    let part = delivery.graph.node(at: joining(scope, path))
    let projection = Projection(Pipeline.map { compute($0.value) }, comparison)
    return Derived(StoreDerivation(MapNode(part, projection), of: delivery))
  }
}

extension DerivationGraph {
  /// The part of the state at `path`, new when its bytes are.
  func node<Part>(at path: PartPath<Root, Part>) -> FirstNode<Root, Part> {
    cache.object(for: DerivedPart(part: path, comparison: .bytes)) {
      FirstNode(Projection(.map(path), .bytes))
    }
  }
}
