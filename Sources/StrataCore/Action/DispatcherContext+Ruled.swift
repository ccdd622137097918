/// The commits of a state that is ruled: the same as for any state, and they throw in their type.
extension DispatcherContext where Dispatcher.State: RuledStateType {
  /// Commits the mutation that the closure returns: `try context.commit { $0.someMutation() }`.
  ///
  /// Throws what the mutation throws, and the error of a rule, middleware or file that refuses the
  /// commit; then it is rolled back.
  @discardableResult
  public func commit<M: MutationType>(
    _ mutation: (Dispatcher) -> M
  ) throws -> M.Result where M.State == Dispatcher.Scope {
    try dispatcher.commit(mutation(dispatcher), causes: actions)
  }

  /// Changes the scope in one atomic step and returns the result of the closure.
  ///
  /// The rules are those of a dispatcher's `commit`.
  @discardableResult
  public func commit<R, E: Error>(
    _ name: String = "",
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Dispatcher.Scope) throws(E) -> R
  ) throws -> R {
    let trace = CommitTrace(
      ofCommit: name,
      context,
      fileID: fileID,
      function: function,
      line: line
    )
    return try dispatcher.targetStore.commit(
      trace,
      causes: actions,
      by: ObjectIdentifier(dispatcher),
      scope: dispatcher.scope
    ) { (part) throws in try mutation(&part) }
  }

  /// Changes a part of the scope in one atomic step; the key path starts at the own scope.
  @discardableResult
  public func commit<Part, R, E: Error>(
    _ name: String = "",
    scope part: StatePath<Dispatcher.Scope, Part>,
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Part) throws(E) -> R
  ) throws -> R {
    let trace = CommitTrace(
      ofCommit: name,
      context,
      fileID: fileID,
      function: function,
      line: line
    )
    return try dispatcher.targetStore.commit(
      trace,
      causes: actions,
      by: ObjectIdentifier(dispatcher),
      scope: (dispatcher.scope as WritableKeyPath).appending(path: part as WritableKeyPath)
    ) { (part) throws in try mutation(&part) }
  }

  /// Changes the scope in one atomic step and returns the result of the closure with the version that
  /// the commit made; nil when it changed nothing.
  ///
  /// The rules are those of a dispatcher's `commitWithVersion`.
  public func commitWithVersion<R, E: Error>(
    _ name: String = "",
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Dispatcher.Scope) throws(E) -> R
  ) throws -> (result: R, version: UInt64?) {
    let trace = CommitTrace(
      ofCommit: name,
      context,
      fileID: fileID,
      function: function,
      line: line
    )
    var version: UInt64?
    let result = try dispatcher.targetStore.commit(
      trace,
      causes: actions,
      by: ObjectIdentifier(dispatcher),
      scope: dispatcher.scope,
      version: &version
    ) { (part, _) throws in try mutation(&part) }
    return (result, version)
  }
}
