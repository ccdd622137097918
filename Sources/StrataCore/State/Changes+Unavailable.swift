// What the compiler says where a part has no `==`. Without these it speaks of `Any`.

extension Changes {
  /// Names the remedy where a type has no `==`.
  @available(
    *,
    unavailable,
    message: """
      hasChanges needs ==, which this type does not have. Make it Equatable, or compare \
      yourself: hasChanges(\\.part, by: { $0.x == $1.x }).
      """
  )
  public func hasChanges<T>(_ keyPath: KeyPath<Value, T>) -> Bool { false }

  /// Names the remedy where a type has no `==`.
  @available(
    *,
    unavailable,
    message: """
      hasChanges needs ==, which this type does not have. Make it Equatable, or compare \
      yourself: hasChanges({ … }, by: ==) for a tuple.
      """
  )
  public func hasChanges<T>(_ compose: (Changes) -> T) -> Bool { false }

  /// Names the remedy where a type has no `==`.
  @available(
    *,
    unavailable,
    message: """
      ifChanged needs ==, which this type does not have. Make it Equatable, or compare \
      yourself: ifChanged(\\.part, by: { $0.x == $1.x }) { … }.
      """
  )
  @discardableResult
  public func ifChanged<T, R, E: Error>(
    _ keyPath: KeyPath<Value, T>,
    _ perform: (T) throws(E) -> R
  ) throws(E) -> R? { nil }

  /// Names the remedy where a type has no `==`.
  @available(
    *,
    unavailable,
    message: """
      ifChanged needs ==, which this type does not have. Make it Equatable, or compare \
      yourself: ifChanged({ … }, by: ==) { … } for a tuple.
      """
  )
  @discardableResult
  public func ifChanged<T, R, E: Error>(
    _ compose: (Changes) -> T,
    _ perform: (T) throws(E) -> R
  ) throws(E) -> R? { nil }

  /// Names the remedy where a type has no `==`.
  @available(
    *,
    unavailable,
    message: """
      takeIfChanged needs ==, which this type does not have. Make it Equatable, or compare \
      yourself: takeIfChanged({ … }, by: ==) for a tuple.
      """
  )
  public func takeIfChanged<T, E: Error>(
    _ compose: (Value) throws(E) -> T
  ) throws(E) -> T? { nil }

  /// Names the remedy where a type has no `==`.
  @available(
    *,
    unavailable,
    message: """
      ifChanged needs ==, which one of these types does not have. Make it Equatable, or \
      compare yourself: ifChanged({ ($0.a, $0.b) }, by: { … }) { a, b in … }.
      """
  )
  @discardableResult
  public func ifChanged<A, B, R, E: Error>(
    _ first: (Changes) -> A,
    _ second: (Changes) -> B,
    perform: (A, B) throws(E) -> R
  ) throws(E) -> R? { nil }

  /// Names the remedy where a type has no `==`.
  @available(
    *,
    unavailable,
    message: """
      ifChanged needs ==, which one of these types does not have. Make it Equatable, or \
      compare yourself: ifChanged({ ($0.a, $0.b) }, by: { … }) { a, b in … }.
      """
  )
  @discardableResult
  public func ifChanged<A, B, C, R, E: Error>(
    _ first: (Changes) -> A,
    _ second: (Changes) -> B,
    _ third: (Changes) -> C,
    perform: (A, B, C) throws(E) -> R
  ) throws(E) -> R? { nil }

  /// Names the remedy where a type has no `==`.
  @available(
    *,
    unavailable,
    message: """
      ifChanged needs ==, which one of these types does not have. Make it Equatable, or \
      compare yourself: ifChanged({ ($0.a, $0.b) }, by: { … }) { a, b in … }.
      """
  )
  @discardableResult
  public func ifChanged<A, B, C, D, R, E: Error>(
    _ first: (Changes) -> A,
    _ second: (Changes) -> B,
    _ third: (Changes) -> C,
    _ fourth: (Changes) -> D,
    perform: (A, B, C, D) throws(E) -> R
  ) throws(E) -> R? { nil }

  /// Names the remedy where a type has no `==`.
  @available(
    *,
    unavailable,
    message: """
      ifChanged needs ==, which one of these types does not have. Make it Equatable, or \
      compare yourself: ifChanged({ ($0.a, $0.b) }, by: { … }) { a, b in … }.
      """
  )
  @discardableResult
  public func ifChanged<A, B, C, D, F, R, E: Error>(
    _ first: (Changes) -> A,
    _ second: (Changes) -> B,
    _ third: (Changes) -> C,
    _ fourth: (Changes) -> D,
    _ fifth: (Changes) -> F,
    perform: (A, B, C, D, F) throws(E) -> R
  ) throws(E) -> R? { nil }
}
