extension DispatcherType {
  /// Runs the action that the closure returns, and returns its result:
  /// `dispatcher.dispatch { $0.someAction() }`.
  ///
  /// It runs on the calling thread. Rethrows what it throws; what it committed before the error stays
  /// committed.
  @discardableResult
  public func dispatch<A: ActionType>(
    _ action: (Self) -> A
  ) throws(A.Failure) -> A.Result where A.Dispatcher == Self {
    try run(action(self), causes: [])
  }

  /// Runs the asynchronous action that the closure returns, and returns its result:
  /// `await dispatcher.dispatch { $0.fetch() }`.
  ///
  /// It runs in the calling task and on its actor. Cancelling the task cancels the action as it
  /// cancels any asynchronous function: what it awaits may throw, and it may check
  /// `Task.isCancelled`. A commit never checks. A cancelled action commits like any other, and its
  /// earlier commits stay. To prevent commits after a cancellation, start the closure of the commit
  /// with `try Task.checkCancellation()`, which rolls the commit back.
  @discardableResult
  public func dispatch<A: AsyncActionType>(
    isolation: isolated (any Actor)? = #isolation,
    _ action: (Self) -> A
  ) async throws(A.Failure) -> A.Result where A.Dispatcher == Self {
    try await run(action(self), causes: [])
  }

  /// Commits the mutation that the closure returns, and returns its result:
  /// `dispatcher.accept { $0.someMutation() }`.
  ///
  /// The rules are those of `commit`.
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
      mutation.metadata.ofCommit(calling: mutation.call),
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

extension DispatcherType where State: RuledStateType {
  /// Commits the mutation that the closure returns, and returns its result:
  /// `try dispatcher.accept { $0.someMutation() }`.
  ///
  /// Throws like `commit`.
  @discardableResult
  public func accept<M: MutationType>(
    _ mutation: (Self) -> M
  ) throws -> M.Result where M.State == Scope {
    try commit(mutation(self), causes: [])
  }

  func commit<M: MutationType>(
    _ mutation: M,
    causes: [ActionMetadata]
  ) throws -> M.Result where M.State == Scope {
    try targetStore.commit(
      mutation.metadata.ofCommit(calling: mutation.call),
      causes: causes,
      by: ObjectIdentifier(self),
      scope: scope
    ) { (state) throws in try mutation.mutate(&state) }
  }
}

// What the compiler says where code that was written for Combine waits for an action. Without these it
// speaks of a member that `()` does not have.

/// Stands for the end of an action in a message of the compiler: an action has ended when the call that
/// runs it returns.
public struct ActionCompletion {
  fileprivate init() {}

  /// Names the remedy.
  public func sink(_ receive: () -> Void) {}
}

extension DispatcherType {
  /// Names the remedy where the end of an action is waited for by `sink`.
  @available(
    *,
    unavailable,
    message: """
      An action has ended when accept returns, so there is nothing to sink: write what follows it after the \
      call. For work that goes on, return an AsyncAction and write `await dispatcher.accept { $0.fetch() }`.
      """
  )
  public func accept<A: ActionType>(
    _ action: (Self) -> A
  ) -> ActionCompletion where A.Dispatcher == Self, A.Result == Void { ActionCompletion() }

  /// Names the remedy where the end of an action is waited for by `sink`.
  @available(
    *,
    unavailable,
    message: """
      An action has ended when dispatch returns, so there is nothing to sink: write what follows it after the \
      call. For work that goes on, return an AsyncAction and write `await dispatcher.dispatch { $0.fetch() }`.
      """
  )
  public func dispatch<A: ActionType>(
    _ action: (Self) -> A
  ) -> ActionCompletion where A.Dispatcher == Self, A.Result == Void { ActionCompletion() }
}
