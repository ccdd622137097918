/// An action as a value: an operation of a dispatcher that has yet to be run.
///
/// It does not change the state directly; it commits, as often as it likes, through the context it
/// is run in. Dispatchers make ``AnyAction``; conform a type of your own to give an action
/// parameters that can be looked at.
public protocol ActionType<Dispatcher, Result> {
  /// The kind of dispatcher it is an action of.
  associatedtype Dispatcher: DispatcherType
  /// What it returns to whoever dispatches it.
  associatedtype Result
  /// What it throws; `Never` for an action that cannot fail.
  associatedtype Failure: Error = Never

  /// Who wrote it.
  var metadata: ActionMetadata { get }

  /// Does it, on the calling thread.
  func run(in context: DispatcherContext<Dispatcher>) throws(Failure) -> Result
}

/// An action that may wait: for the network, a timer, another action.
///
/// It runs in the task that dispatches it, on that task's actor, so cancelling the task cancels the
/// action; see ``DispatcherType/dispatch(isolation:_:)`` for what that means for its commits.
public protocol AsyncActionType<Dispatcher, Result> {
  /// The kind of dispatcher it is an action of.
  associatedtype Dispatcher: DispatcherType
  /// What it returns to whoever dispatches it.
  associatedtype Result
  /// What it throws; `Never` for an action that cannot fail.
  associatedtype Failure: Error = Never

  /// Who wrote it.
  var metadata: ActionMetadata { get }

  /// Does it, on the actor of the caller.
  nonisolated(nonsending)
    func run(in context: DispatcherContext<Dispatcher>) async throws(Failure) -> Result
}
