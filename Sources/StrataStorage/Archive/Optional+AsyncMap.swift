extension Optional {
  /// The result of an asynchronous closure with the value; nil if there is none.
  func asyncMap<R>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Wrapped) async throws -> R
  ) async rethrows -> R? {
    guard let self else { return nil }
    return try await body(self)
  }
}
