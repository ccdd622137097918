extension DispatcherType {
  /// A value derived from the scope: `store.derived(.map(\.count))`.
  ///
  /// Subscribers are notified only when it is not equal to the value before. Requesting the same key
  /// path again returns the same object as long as it is held.
  public func derived<Output: Equatable & Sendable>(
    _ pipeline: Pipeline<Scope, Output>
  ) -> Derived<Output> {
    let pipeline = pipeline.following(scope)
    guard case .part(let part) = pipeline.projection, pipeline.dropsInput == nil else {
      return makeDerived(pipeline, .equality)
    }
    let key = DerivedPart(part: part, comparison: .equality)
    return targetStore.delivery.graph.cache.object(for: key) {
      makeDerived(pipeline, .equality)
    }
  }

  /// A value derived from the scope, without a comparison by `==`.
  ///
  /// Subscribers are notified whenever its input may have changed, unless `dropsOutput` returns true
  /// for the new value. The input of a key path through stored properties may have changed when their
  /// bytes have, any other at every version.
  public func derived<Output: Sendable>(
    _ pipeline: Pipeline<Scope, Output>,
    dropsOutput: (@Sendable (Changes<Output>) -> Bool)? = nil
  ) -> Derived<Output> {
    let pipeline = pipeline.following(scope)
    guard case .part(let part) = pipeline.projection, pipeline.dropsInput == nil,
      dropsOutput == nil
    else { return makeDerived(pipeline, dropsOutput.map { .predicate($0) } ?? .nothing) }
    let key = DerivedPart(part: part, comparison: .nothing)
    return targetStore.delivery.graph.cache.object(for: key) {
      makeDerived(pipeline, .nothing)
    }
  }

  private func makeDerived<Output>(
    _ pipeline: Pipeline<State, Output>,
    _ comparison: OutputComparison<Output>
  ) -> Derived<Output> {
    let node = ProjectionNode(Projection(pipeline, comparison))
    return Derived(StoreDerivation(node, of: targetStore.delivery))
  }
}
