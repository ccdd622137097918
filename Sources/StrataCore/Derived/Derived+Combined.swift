extension Derived {
  /// Two derived values of one store as one: `Derived.combined(a, b)`.
  ///
  /// Subscribers are notified once per commit if either has changed, and both are always of the same
  /// version. Derived values of two stores have no version in common: combining them traps. A constant
  /// can be combined with any.
  public static func combined<A: Sendable, B: Sendable>(
    _ a: Derived<A>,
    _ b: Derived<B>
  ) -> Derived<(A, B)> where Value == (A, B) {
    guard let source = a.source.paired(with: b, holding: a) else {
      fatalError(
        """
        Derived.combined was called with derived values of two stores, which share no version. \
        Commit one into the other's state with assign(to:), or keep both states in one store.
        """
      )
    }
    return Derived(source)
  }

  /// Three derived values of one store as one.
  public static func combined<A: Sendable, B: Sendable, C: Sendable>(
    _ a: Derived<A>,
    _ b: Derived<B>,
    _ c: Derived<C>
  ) -> Derived<(A, B, C)> where Value == (A, B, C) {
    let pairs = Derived<((A, B), C)>.combined(.combined(a, b), c)
    return pairs.chain(.map { ($0.value.0.0, $0.value.0.1, $0.value.1) }, dropsOutput: nil)
  }

  /// Four derived values of one store as one.
  public static func combined<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
    _ a: Derived<A>,
    _ b: Derived<B>,
    _ c: Derived<C>,
    _ d: Derived<D>
  ) -> Derived<(A, B, C, D)> where Value == (A, B, C, D) {
    let pairs = Derived<((A, B), (C, D))>.combined(.combined(a, b), .combined(c, d))
    return pairs.chain(
      .map { ($0.value.0.0, $0.value.0.1, $0.value.1.0, $0.value.1.1) },
      dropsOutput: nil
    )
  }
}
