public import StrataBase

/// The commits of a state that is ruled: the same as for any state, and they throw in their type.
///
/// The compiler prefers these, because they are more constrained.
extension DispatcherType where State: RuledStateType {
  /// Changes the scope in one atomic step and returns the result of the closure.
  ///
  /// Throws what the closure throws, and the error of a rule, middleware or file that refuses the
  /// commit; then it is rolled back. The rest is that of `commit` for any state.
  @inlinable
  @discardableResult
  public func commit<R, E: Error>(
    _ name: String = "",
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Scope) throws(E) -> R
  ) throws -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try targetStore.commit(trace, by: ObjectIdentifier(self), scope: scope) {
      (part) throws in try mutation(&part)
    }
  }

  /// Changes a part of the scope in one atomic step; the key path starts at the own scope.
  ///
  /// Throws like the form for the whole scope.
  @inlinable
  @discardableResult
  public func commit<Part, R, E: Error>(
    _ name: String = "",
    scope part: StatePath<Scope, Part>,
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Part) throws(E) -> R
  ) throws -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try targetStore.commit(
      trace,
      by: ObjectIdentifier(self),
      scope: scope
    ) { (whole) throws in try mutation(&whole[keyPath: part]) }
  }

  /// Changes the scope in one atomic step and attaches values that are carried with the commit.
  ///
  /// Throws like the form without attachments.
  @inlinable
  @discardableResult
  public func commit<R, E: Error>(
    _ name: String = "",
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Scope, inout CommitAttachments) throws(E) -> R
  ) throws -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try targetStore.commit(trace, by: ObjectIdentifier(self), scope: scope) {
      (part: inout Scope, attachments: inout CommitAttachments) throws in
      try mutation(&part, &attachments)
    }
  }
}
