extension Changes {
  /// Whether the property differs from its previous value, or there is none.
  ///
  /// Costs one `==`.
  public func hasChanges<T: Equatable>(_ keyPath: KeyPath<Value, T>) -> Bool {
    hasChanges(keyPath, by: ==)
  }

  /// The same with a comparison in place of `==`.
  public func hasChanges<T>(
    _ keyPath: KeyPath<Value, T>,
    by areEqual: (T, T) -> Bool
  ) -> Bool {
    guard let previous else { return true }
    return !areEqual(previous[keyPath: keyPath], value[keyPath: keyPath])
  }

  /// Whether what `compose` makes of this version differs from what it makes of the one before, or
  /// there is none before: `changes.hasChanges { $0.items.count }`.
  ///
  /// It can read stored properties and, through `computed`, computed ones.
  public func hasChanges<T: Equatable>(_ compose: (Changes) -> T) -> Bool {
    hasChanges(compose, by: ==)
  }

  /// The same with a comparison in place of `==`.
  public func hasChanges<T>(_ compose: (Changes) -> T, by areEqual: (T, T) -> Bool) -> Bool {
    guard let before else { return true }
    return !areEqual(compose(before), compose(self))
  }
}

extension Changes {
  /// Calls `perform` with the property if it has changed.
  @discardableResult
  public func ifChanged<T: Equatable, R, E: Error>(
    _ keyPath: KeyPath<Value, T>,
    _ perform: (T) throws(E) -> R
  ) throws(E) -> R? {
    guard hasChanges(keyPath) else { return nil }
    return try perform(value[keyPath: keyPath])
  }

  /// Calls `perform` with the property if it has changed by a comparison:
  /// `changes.ifChanged(\.user, by: { $0.name == $1.name }) { user in … }`.
  @discardableResult
  public func ifChanged<T, R, E: Error>(
    _ keyPath: KeyPath<Value, T>,
    by areEqual: (T, T) -> Bool,
    _ perform: (T) throws(E) -> R
  ) throws(E) -> R? {
    guard hasChanges(keyPath, by: areEqual) else { return nil }
    return try perform(value[keyPath: keyPath])
  }

  /// Calls `perform` with what `compose` makes of this version, if it makes something else of the one
  /// before: `changes.ifChanged({ $0.items.count }) { count in … }`.
  ///
  /// It can read stored properties and, through `computed`, computed ones; a key path such as
  /// `\.computed.total` serves too.
  @discardableResult
  public func ifChanged<T: Equatable, R, E: Error>(
    _ compose: (Changes) -> T,
    _ perform: (T) throws(E) -> R
  ) throws(E) -> R? {
    try ifChanged(compose, by: ==, perform)
  }

  /// The same with a comparison; that of tuples is `==`:
  /// `changes.ifChanged({ ($0.name, $0.computed.total) }, by: ==) { name, total in … }`.
  @discardableResult
  public func ifChanged<T, R, E: Error>(
    _ compose: (Changes) -> T,
    by areEqual: (T, T) -> Bool,
    _ perform: (T) throws(E) -> R
  ) throws(E) -> R? {
    let composed = compose(self)
    if let before, areEqual(compose(before), composed) { return nil }
    return try perform(composed)
  }

  /// The result of `compose` for the value, or nil when it is equal to that for the previous value.
  public func takeIfChanged<T: Equatable, E: Error>(
    _ compose: (Value) throws(E) -> T
  ) throws(E) -> T? {
    try takeIfChanged(compose, by: ==)
  }

  /// The same with a comparison in place of `==`.
  public func takeIfChanged<T, E: Error>(
    _ compose: (Value) throws(E) -> T,
    by areEqual: (T, T) -> Bool
  ) throws(E) -> T? {
    let composed = try compose(value)
    guard let previous else { return composed }
    return areEqual(try compose(previous), composed) ? nil : composed
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
