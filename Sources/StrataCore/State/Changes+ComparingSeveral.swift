// One function for each number of parts; six are compared as a tuple, `by: ==`. A parameter pack would
// serve all, but the compiler (6.3) crashes where the closure has another number of parameters.

extension Changes {
  /// Calls `perform` with both properties if either has changed:
  /// `changes.ifChanged(\.name, \.age) { name, age in … }`.
  ///
  /// Costs at most one `==` per property.
  @discardableResult
  public func ifChanged<A: Equatable, B: Equatable, R, E: Error>(
    _ first: KeyPath<Value, A>,
    _ second: KeyPath<Value, B>,
    perform: (A, B) throws(E) -> R
  ) throws(E) -> R? {
    guard hasChanges(first) || hasChanges(second) else { return nil }
    return try perform(
      value[keyPath: first],
      value[keyPath: second]
    )
  }

  /// Calls `perform` with all three properties if any of them has changed.
  @discardableResult
  public func ifChanged<A: Equatable, B: Equatable, C: Equatable, R, E: Error>(
    _ first: KeyPath<Value, A>,
    _ second: KeyPath<Value, B>,
    _ third: KeyPath<Value, C>,
    perform: (A, B, C) throws(E) -> R
  ) throws(E) -> R? {
    guard hasChanges(first) || hasChanges(second) || hasChanges(third) else { return nil }
    return try perform(
      value[keyPath: first],
      value[keyPath: second],
      value[keyPath: third]
    )
  }

  /// Calls `perform` with all four properties if any of them has changed.
  @discardableResult
  public func ifChanged<A: Equatable, B: Equatable, C: Equatable, D: Equatable, R, E: Error>(
    _ first: KeyPath<Value, A>,
    _ second: KeyPath<Value, B>,
    _ third: KeyPath<Value, C>,
    _ fourth: KeyPath<Value, D>,
    perform: (A, B, C, D) throws(E) -> R
  ) throws(E) -> R? {
    guard
      hasChanges(first) || hasChanges(second) || hasChanges(third)
        || hasChanges(fourth)
    else { return nil }
    return try perform(
      value[keyPath: first],
      value[keyPath: second],
      value[keyPath: third],
      value[keyPath: fourth]
    )
  }

  /// Calls `perform` with all five properties if any of them has changed.
  @discardableResult
  public func ifChanged<
    A: Equatable,
    B: Equatable,
    C: Equatable,
    D: Equatable,
    F: Equatable,
    R,
    E: Error
  >(
    _ first: KeyPath<Value, A>,
    _ second: KeyPath<Value, B>,
    _ third: KeyPath<Value, C>,
    _ fourth: KeyPath<Value, D>,
    _ fifth: KeyPath<Value, F>,
    perform: (A, B, C, D, F) throws(E) -> R
  ) throws(E) -> R? {
    guard
      hasChanges(first) || hasChanges(second) || hasChanges(third)
        || hasChanges(fourth) || hasChanges(fifth)
    else { return nil }
    return try perform(
      value[keyPath: first],
      value[keyPath: second],
      value[keyPath: third],
      value[keyPath: fourth],
      value[keyPath: fifth]
    )
  }
}

extension Changes {
  /// Calls `perform` with both parts if either has changed; a part is a closure, or a key path to a
  /// stored or computed property:
  /// `changes.ifChanged(\.name, \.computed.total) { name, total in … }`.
  @discardableResult
  public func ifChanged<A: Equatable, B: Equatable, R, E: Error>(
    _ first: (Changes) -> A,
    _ second: (Changes) -> B,
    perform: (A, B) throws(E) -> R
  ) throws(E) -> R? {
    guard hasChanges(first) || hasChanges(second) else { return nil }
    return try perform(
      first(self),
      second(self)
    )
  }

  /// Calls `perform` with all three parts if any of them has changed.
  @discardableResult
  public func ifChanged<A: Equatable, B: Equatable, C: Equatable, R, E: Error>(
    _ first: (Changes) -> A,
    _ second: (Changes) -> B,
    _ third: (Changes) -> C,
    perform: (A, B, C) throws(E) -> R
  ) throws(E) -> R? {
    guard hasChanges(first) || hasChanges(second) || hasChanges(third) else { return nil }
    return try perform(
      first(self),
      second(self),
      third(self)
    )
  }

  /// Calls `perform` with all four parts if any of them has changed.
  @discardableResult
  public func ifChanged<A: Equatable, B: Equatable, C: Equatable, D: Equatable, R, E: Error>(
    _ first: (Changes) -> A,
    _ second: (Changes) -> B,
    _ third: (Changes) -> C,
    _ fourth: (Changes) -> D,
    perform: (A, B, C, D) throws(E) -> R
  ) throws(E) -> R? {
    guard
      hasChanges(first) || hasChanges(second) || hasChanges(third)
        || hasChanges(fourth)
    else { return nil }
    return try perform(
      first(self),
      second(self),
      third(self),
      fourth(self)
    )
  }

  /// Calls `perform` with all five parts if any of them has changed.
  @discardableResult
  public func ifChanged<
    A: Equatable,
    B: Equatable,
    C: Equatable,
    D: Equatable,
    F: Equatable,
    R,
    E: Error
  >(
    _ first: (Changes) -> A,
    _ second: (Changes) -> B,
    _ third: (Changes) -> C,
    _ fourth: (Changes) -> D,
    _ fifth: (Changes) -> F,
    perform: (A, B, C, D, F) throws(E) -> R
  ) throws(E) -> R? {
    guard
      hasChanges(first) || hasChanges(second) || hasChanges(third)
        || hasChanges(fourth) || hasChanges(fifth)
    else { return nil }
    return try perform(
      first(self),
      second(self),
      third(self),
      fourth(self),
      fifth(self)
    )
  }
}
