extension DerivedType {
  /// A value derived from this one.
  ///
  /// It is computed only when this one has changed. Subscribers are notified only when it is not equal
  /// to the value before.
  public func chain<Next: Equatable & Sendable>(
    _ pipeline: Pipeline<Value, Next>
  ) -> Derived<Next> {
    Derived<Next>(derived.source.mapped(Projection(pipeline, .equality), holding: derived))
  }

  /// A value derived from this one, without a comparison by `==`.
  ///
  /// Subscribers are notified whenever those of this one are, unless `dropsOutput` returns true for the
  /// new value.
  public func chain<Next: Sendable>(
    _ pipeline: Pipeline<Value, Next>,
    dropsOutput: (@Sendable (Changes<Next>) -> Bool)? = nil
  ) -> Derived<Next> {
    let comparison: OutputComparison<Next> = dropsOutput.map { .predicate($0) } ?? .nothing
    let projection = Projection(pipeline, comparison)
    return Derived<Next>(derived.source.mapped(projection, holding: derived))
  }
}

extension Derived {
  /// A value derived from this one that continues from its own last value while this one is absent.
  ///
  /// The last value is the newest that was delivered to a subscriber or read.
  package func retaining<Next: Sendable>(_ rule: RetainingRule<Value, Next>) -> Derived<Next> {
    Derived<Next>(source.retained(rule, holding: self))
  }
}
