import StrataBase

/// What an action works with: the state of its dispatcher, and the ways to change it.
///
/// It may be passed to other threads and kept as long as the action has something to commit. It holds
/// the dispatcher, and so the store. A commit through it carries its own trace and those of the
/// actions that led to it.
public struct DispatcherContext<Dispatcher: DispatcherType>: Sendable {
  /// The dispatcher that runs the action.
  public let dispatcher: Dispatcher
  /// The running action, then the action that dispatched it, and so on outwards.
  public let actions: [ActionMetadata]

  /// Who created the running action.
  public var metadata: ActionMetadata { actions[0] }

  /// The last committed value of the dispatcher's scope.
  ///
  /// O(1).
  public var state: Dispatcher.Scope { dispatcher.state }

  /// The last committed value of the whole state.
  ///
  /// O(1).
  public var rootState: Dispatcher.State { dispatcher.rootState }

  /// Delivers an activity to the subscribers of `sinkActivity`.
  public func send(_ activity: Dispatcher.Activity) { dispatcher.send(activity) }
}

extension DispatcherContext {
  /// Commits the mutation that the closure returns: `context.commit { $0.someMutation() }`.
  @discardableResult
  public func commit<M: MutationType>(
    _ mutation: (Dispatcher) -> M
  ) throws(M.Failure) -> M.Result where M.State == Dispatcher.Scope {
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
  ) throws(E) -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try dispatcher.targetStore.commit(
      trace,
      causes: actions,
      by: ObjectIdentifier(dispatcher),
      scope: dispatcher.scope,
      mutation
    )
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
  ) throws(E) -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try dispatcher.targetStore.commit(
      trace,
      causes: actions,
      by: ObjectIdentifier(dispatcher),
      scope: (dispatcher.scope as WritableKeyPath).appending(path: part as WritableKeyPath),
      mutation
    )
  }
}

extension DispatcherContext {
  /// Runs another action of the dispatcher and returns its result.
  @discardableResult
  public func dispatch<A: ActionType>(
    _ action: (Dispatcher) -> A
  ) throws(A.Failure) -> A.Result where A.Dispatcher == Dispatcher {
    try dispatcher.run(action(dispatcher), causes: actions)
  }

  /// Runs another asynchronous action of the dispatcher and returns its result.
  @discardableResult
  public func dispatch<A: AsyncActionType>(
    isolation: isolated (any Actor)? = #isolation,
    _ action: (Dispatcher) -> A
  ) async throws(A.Failure) -> A.Result where A.Dispatcher == Dispatcher {
    try await dispatcher.run(action(dispatcher), causes: actions)
  }
}

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
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
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
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try dispatcher.targetStore.commit(
      trace,
      causes: actions,
      by: ObjectIdentifier(dispatcher),
      scope: (dispatcher.scope as WritableKeyPath).appending(path: part as WritableKeyPath)
    ) { (part) throws in try mutation(&part) }
  }
}
