extension Changes {
  /// The same version, seen through a function of the value.
  ///
  /// Costs two calls of `transform`. Computed properties of the result are computed on each read; `map`
  /// with a key path keeps their stored results.
  public func map<T: Sendable, E: Error>(
    _ transform: (Value) throws(E) -> T
  ) throws(E) -> Changes<T> {
    var before: T?
    if let previous { before = try transform(previous) }
    return replacing(value: try transform(value), previous: before)
  }

  /// The same version of a part of the value.
  ///
  /// Costs two reads of the part.
  public func map<T: Sendable>(_ part: PartPath<Value, T>) -> Changes<T> {
    let changes = replacing(
      value: storedValue[keyPath: part],
      previous: storedPrevious?[keyPath: part],
      computedPlace: computedPlace?.appending(part)
    )
    guard let place = readPlace?.part(part) else { return changes }
    return changes.tracked(by: place)
  }

  /// The same version of a part that may be absent; nil while it is.
  ///
  /// Its previous value is nil when it was absent before; then everything counts as changed.
  public func mapIfPresent<T: Sendable>(_ part: PartPath<Value, T?>) -> Changes<T>? {
    guard let present = value[keyPath: part] else { return nil }
    return replacing(value: present, previous: previous.flatMap { $0[keyPath: part] })
  }
}
