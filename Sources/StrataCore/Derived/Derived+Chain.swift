extension Derived {
  /// A value derived from this one.
  ///
  /// It is looked at only when this one has changed, and told only when it is unequal to before.
  public func chain<Next: Equatable & Sendable>(
    _ pipeline: Pipeline<Value, Next>
  ) -> Derived<Next> {
    Derived<Next>(source.mapped(Projection(pipeline, .equality), keeping: self))
  }

  /// A value derived from this one, told whenever this one is unless `dropsOutput` says of it that
  /// it is as good as before.
  public func chain<Next: Sendable>(
    _ pipeline: Pipeline<Value, Next>,
    dropsOutput: (@Sendable (Changes<Next>) -> Bool)? = nil
  ) -> Derived<Next> {
    let comparison: OutputComparison<Next> = dropsOutput.map { .predicate($0) } ?? .nothing
    return Derived<Next>(source.mapped(Projection(pipeline, comparison), keeping: self))
  }
}
