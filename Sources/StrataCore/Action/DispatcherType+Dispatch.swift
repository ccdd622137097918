extension DispatcherType {
  /// Runs the action that the closure makes and returns what it returns:
  /// `dispatcher.dispatch { $0.someAction() }`.
  ///
  /// It runs on the calling thread. What it throws is thrown here; what it had committed before
  /// stays committed.
  @discardableResult
  public func dispatch<A: ActionType>(
    _ action: (Self) -> A
  ) throws(A.Failure) -> A.Result where A.Dispatcher == Self {
    try run(action(self), causes: [])
  }

  /// Runs the action that the closure makes, waits for it and returns what it returns:
  /// `await dispatcher.dispatch { $0.fetch() }`.
  ///
  /// It runs in the calling task and on its actor. Cancelling the task cancels the action as it
  /// cancels any asynchronous function: what it awaits may throw, and it may ask
  /// `Task.isCancelled`. A commit never asks. One that a cancelled action makes happens like any
  /// other, and one it made before stays; an action that must not commit after a cancellation
  /// begins its commit's closure with `try Task.checkCancellation()`, which rolls the commit back.
  @discardableResult
  public func dispatch<A: AsyncActionType>(
    isolation: isolated (any Actor)? = #isolation,
    _ action: (Self) -> A
  ) async throws(A.Failure) -> A.Result where A.Dispatcher == Self {
    try await run(action(self), causes: [])
  }
}

extension DispatcherType {
  /// The same as `dispatch`.
  @discardableResult
  public func accept<A: ActionType>(
    _ action: (Self) -> A
  ) throws(A.Failure) -> A.Result where A.Dispatcher == Self {
    try dispatch(action)
  }

  /// The same as `dispatch` of an action that may wait.
  @discardableResult
  public func accept<A: AsyncActionType>(
    isolation: isolated (any Actor)? = #isolation,
    _ action: (Self) -> A
  ) async throws(A.Failure) -> A.Result where A.Dispatcher == Self {
    try await run(action(self), causes: [])
  }

  /// Commits the mutation that the closure makes and returns what it returns:
  /// `dispatcher.accept { $0.someMutation() }`.
  @discardableResult
  public func accept<M: MutationType>(
    _ mutation: (Self) -> M
  ) throws(M.Failure) -> M.Result where M.State == Scope {
    try commit(mutation(self), causes: [])
  }
}

extension DispatcherType {
  func commit<M: MutationType>(
    _ mutation: M,
    causes: [ActionMetadata]
  ) throws(M.Failure) -> M.Result where M.State == Scope {
    try targetStore.commit(
      mutation.metadata,
      causes: causes,
      by: ObjectIdentifier(self),
      scope: scope
    ) {
      (state: inout Scope) throws(M.Failure) in try mutation.mutate(&state)
    }
  }

  func run<A: ActionType>(
    _ action: A,
    causes: [ActionMetadata]
  ) throws(A.Failure) -> A.Result where A.Dispatcher == Self {
    let context = DispatcherContext(dispatcher: self, actions: [action.metadata] + causes)
    logDispatch(of: context.actions)
    return try action.run(in: context)
  }

  nonisolated(nonsending)
    func run<A: AsyncActionType>(
      _ action: A,
      causes: [ActionMetadata]
    ) async throws(A.Failure) -> A.Result where A.Dispatcher == Self
  {
    let context = DispatcherContext(dispatcher: self, actions: [action.metadata] + causes)
    logDispatch(of: context.actions)
    return try await action.run(in: context)
  }
}
