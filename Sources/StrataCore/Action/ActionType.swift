/// Who created an action: the name it was given and the place in the source.
public typealias ActionMetadata = CommitTrace

/// An action as a value: an operation of a dispatcher that has not run yet.
///
/// It does not change the state directly. It commits, as often as it likes, through the context it
/// runs in. Dispatchers return ``ClosureAction``; conform a type of your own to give an action
/// parameters that can be inspected.
public protocol ActionType<Dispatcher, Result> {
  /// The kind of dispatcher that runs it.
  associatedtype Dispatcher: DispatcherType
  /// What it returns to the caller that dispatches it.
  associatedtype Result
  /// What it throws; `Never` for an action that cannot fail.
  associatedtype Failure: Error = Never

  /// Who created it.
  var metadata: ActionMetadata { get }

  /// Runs the action on the calling thread.
  func run(in context: DispatcherContext<Dispatcher>) throws(Failure) -> Result
}

/// An action that may suspend: to wait for the network, a timer, another action.
///
/// It runs in the task that dispatches it, on that task's actor. Cancelling the task cancels the
/// action; see ``DispatcherType/dispatch(isolation:_:)`` for what that means for its commits.
public protocol AsyncActionType<Dispatcher, Result> {
  /// The kind of dispatcher that runs it.
  associatedtype Dispatcher: DispatcherType
  /// What it returns to the caller that dispatches it.
  associatedtype Result
  /// What it throws; `Never` for an action that cannot fail.
  associatedtype Failure: Error = Never

  /// Who created it.
  var metadata: ActionMetadata { get }

  /// Runs the action on the actor of the caller.
  nonisolated(nonsending)
    func run(in context: DispatcherContext<Dispatcher>) async throws(Failure) -> Result
}
