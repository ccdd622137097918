extension Changes {
  /// Whether the property differs from its previous value, or there is none.
  ///
  /// Costs one `==`.
  public func hasChanges<T: Equatable>(_ keyPath: KeyPath<Value, T>) -> Bool {
    guard let previous else { return true }
    return previous[keyPath: keyPath] != value[keyPath: keyPath]
  }

  /// Calls `perform` with the property if it has changed.
  @discardableResult
  public func ifChanged<T: Equatable, R, E: Error>(
    _ keyPath: KeyPath<Value, T>,
    _ perform: (T) throws(E) -> R
  ) throws(E) -> R? {
    guard hasChanges(keyPath) else { return nil }
    return try perform(value[keyPath: keyPath])
  }

  /// Calls `perform` with all the properties if any of them has changed:
  /// `changes.ifChanged(\.name, \.age) { name, age in … }`.
  ///
  /// Costs at most one `==` per property.
  @discardableResult
  public func ifChanged<A: Equatable, B: Equatable, each More: Equatable, R, E: Error>(
    _ first: KeyPath<Value, A>,
    _ second: KeyPath<Value, B>,
    _ more: repeat KeyPath<Value, each More>,
    perform: (A, B, repeat each More) throws(E) -> R
  ) throws(E) -> R? {
    var isChanged = hasChanges(first) || hasChanges(second)
    for path in repeat each more {
      if isChanged { break }
      isChanged = hasChanges(path)
    }
    guard isChanged else { return nil }
    return try perform(
      value[keyPath: first],
      value[keyPath: second],
      repeat value[keyPath: each more]
    )
  }

  /// The result of `compose` for the value, or nil when it is equal to that for the previous value.
  public func takeIfChanged<T: Equatable, E: Error>(
    _ compose: (Value) throws(E) -> T
  ) throws(E) -> T? {
    let composed = try compose(value)
    guard let previous else { return composed }
    return try compose(previous) == composed ? nil : composed
  }
}

extension Changes where Value: Equatable {
  /// Whether the value differs from the previous one, or there is none.
  ///
  /// Costs one `==`.
  public var hasChanges: Bool { previous != value }

  /// Calls `perform` with the value if it has changed.
  @discardableResult
  public func ifChanged<R, E: Error>(_ perform: (Value) throws(E) -> R) throws(E) -> R? {
    guard hasChanges else { return nil }
    return try perform(value)
  }
}
