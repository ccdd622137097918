/// What can be derived from the parts of one value in a store's state.
///
/// It keeps neither the store nor what is derived with it.
package struct KeyedDerivations<
  Root: Sendable,
  Activity: Sendable,
  Difference: KeyedDifference
>: Sendable {
  private let delivery: Delivery<Root, Activity>
  private let step: KeyedStep<Root, Difference>
  private let path: PartPath<Root, Difference.Whole>
  private let difference: Difference

  init(
    _ difference: Difference,
    at path: PartPath<Root, Difference.Whole>,
    of delivery: Delivery<Root, Activity>
  ) {
    self.difference = difference
    self.path = path
    self.delivery = delivery
    let cache = delivery.graph.cache
    step = cache.object(for: Place(path: path, difference: difference)) {
      KeyedStep(difference, at: path)
    }
  }

  private struct Place: Hashable {
    let path: AnyKeyPath
    let difference: Difference
  }

  /// What two askers have to agree in to be given the same.
  private struct Part<Form: Hashable>: Hashable {
    let place: Place
    let key: Difference.Key
    let form: Form
  }
}

extension KeyedDerivations {
  /// A value that `read` makes of the whole, looked at in a commit only when the part under `key` has
  /// changed.
  ///
  /// `read` must be pure and may depend on nothing but that part.
  package func derived<Output>(
    under key: Difference.Key,
    _ comparison: OutputComparison<Output>,
    _ read: @escaping @Sendable (Difference.Whole) -> Output
  ) -> Derived<Output> {
    let projection = Projection(Pipeline.map { read($0.value) }, comparison)
    let node = MapNode(delivery.graph.node(at: path), projection)
    return Derived(StoreDerivation(KeyNode(step, under: key, node), of: delivery))
  }

  /// The same for a `find` that costs little more than to ask whether the whole has changed: readers
  /// find anew at each version.
  package func derived<Output>(
    finding key: Difference.Key,
    _ comparison: OutputComparison<Output>,
    _ find: @escaping @Sendable (Difference.Whole) -> Output
  ) -> Derived<Output> {
    let pipeline = Pipeline<Root, Output>.map { [path] root in find(root.value[keyPath: path]) }
    let node = FirstNode(Projection(pipeline, comparison))
    return Derived(StoreDerivation(KeyNode(step, under: key, node), of: delivery))
  }

  /// What `make` derives; the same as long as someone keeps it for all who ask under this key for
  /// the same form of it.
  ///
  /// `make` may ask for nothing that is shared itself, so it finds what is under the key, or goes on
  /// from something derived before.
  package func shared<Output>(
    _ form: some Hashable,
    under key: Difference.Key,
    make: () -> Derived<Output>
  ) -> Derived<Output> {
    let place = Place(path: path, difference: difference)
    return delivery.graph.cache.object(for: Part(place: place, key: key, form: form), make: make)
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
  package func keyed<Difference: KeyedDifference>(
    by difference: Difference,
    at path: StatePath<Scope, Difference.Whole>
  ) -> KeyedDerivations<State, Activity, Difference> {
    KeyedDerivations(difference, at: joining(scope, path), of: targetStore.delivery)
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
