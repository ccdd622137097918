extension DispatcherType {
  /// A value derived from the scope: `store.derived(.map(\.count))`.
  ///
  /// Subscribers are told only when it is unequal to before. Asking again with the same key path
  /// gives the same object for as long as someone keeps it.
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

  /// A value derived from the scope, told whenever what it reads from may have changed unless
  /// `dropsOutput` says of it that it is as good as before.
  ///
  /// A key path through stored properties is told when their bytes have changed, anything else at
  /// every version.
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
    let node = FirstNode(Projection(pipeline, comparison))
    return Derived(StoreDerivation(node, of: targetStore.delivery))
  }
}
