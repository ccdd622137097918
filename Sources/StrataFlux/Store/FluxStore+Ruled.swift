extension FluxStore where State: RuledStateType {
  /// Changes the state in one atomic step and returns the result of the closure.
  ///
  /// The same as `updateState` for any state, and it throws in its type: what the closure throws, and the
  /// error of a rule, middleware or file that refuses the commit; then it is rolled back.
  @discardableResult
  public func updateState<R, E: Error>(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: @escaping @Sendable (inout State) throws(E) -> R
  ) throws -> R {
    guard let observer = changeObserver.withLock({ $0 }) else {
      return try commit(name, fileID: fileID, function: function, line: line, mutation)
    }
    return try commit(name, fileID: fileID, function: function, line: line) {
      (state, attachments) in
      observer.willUpdate(&attachments) { _ = try mutation(&$0) }
      return try mutation(&state)
    }
  }
}
