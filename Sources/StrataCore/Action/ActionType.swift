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

/// An action made of a closure: what the methods of a dispatcher return.
///
/// ```swift
/// final class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {
///   func increment() -> Mutation<Void> { .mutation { $0.count += 1 } }
///
///   func incrementTwice() -> Action<Int> {
///     .action { context in
///       context.commit { $0.increment() }
///       context.commit { state in state.count += 1 }
///       return context.state.count
///     }
///   }
/// }
///
/// let count = dispatcher.dispatch { $0.incrementTwice() }
/// ```
///
/// Creating an action runs nothing. It runs on the thread that dispatches it, each time it is
/// dispatched. It may pass its context to another thread and commit there later.
///
/// One that may throw is a `ThrowingAction<Result>`: `try dispatcher.dispatch { $0.save() }` rethrows
/// its error. What the action committed before the error stays committed: a commit is atomic, an
/// action is not.
public struct ClosureAction<Dispatcher: DispatcherType, Result, Failure: Error>: ActionType {
  /// Who created it.
  public let metadata: ActionMetadata
  private let body: (DispatcherContext<Dispatcher>) throws(Failure) -> Result

  /// Creates an action that runs the closure.
  public init(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping (DispatcherContext<Dispatcher>) throws(Failure) -> Result
  ) {
    metadata = ActionMetadata(name: name, fileID: fileID, function: function, line: line)
    body = action
  }

  /// Creates an action that runs the closure.
  public static func action(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping (DispatcherContext<Dispatcher>) throws(Failure) -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, action)
  }

  /// Runs the closure.
  public func run(in context: DispatcherContext<Dispatcher>) throws(Failure) -> Result {
    try body(context)
  }
}

/// An action made of a closure that cannot fail.
public typealias AnyAction<Dispatcher: DispatcherType, Result> =
  ClosureAction<Dispatcher, Result, Never>

extension DispatcherType {
  /// An action of this dispatcher.
  public typealias Action<Result> = ClosureAction<Self, Result, Never>
  /// An action of this dispatcher that may throw.
  public typealias ThrowingAction<Result> = ClosureAction<Self, Result, any Error>
}

/// An action made of an asynchronous closure.
///
/// ```swift
/// func fetch() -> AsyncAction<Int> {
///   .action { [client] context in
///     let todos = await client.todos()
///     context.commit { state in state.todos = todos }
///     return todos.count
///   }
/// }
///
/// let count = await dispatcher.dispatch { $0.fetch() }
/// ```
///
/// One that may throw is an `AsyncThrowingAction<Result>`: `try await dispatcher.dispatch { … }`
/// rethrows its error, `CancellationError` included. What it committed before stays committed.
///
/// It is a type beside ``ClosureAction`` because one type for both would make a synchronous call ask
/// for `try await`.
public struct AsyncClosureAction<Dispatcher: DispatcherType, Result, Failure: Error>:
  AsyncActionType
{
  /// A closure that runs on the actor of the caller that dispatches it.
  public typealias Body =
    nonisolated(nonsending) (DispatcherContext<Dispatcher>) async throws(Failure) -> Result

  /// Who created it.
  public let metadata: ActionMetadata
  private let body: Body

  /// Creates an action that runs the closure.
  public init(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping Body
  ) {
    metadata = ActionMetadata(name: name, fileID: fileID, function: function, line: line)
    body = action
  }

  /// Creates an action that runs the closure.
  public static func action(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping Body
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, action)
  }

  /// Runs the closure.
  nonisolated(nonsending)
    public func run(in context: DispatcherContext<Dispatcher>) async throws(Failure) -> Result
  {
    try await body(context)
  }
}

/// An action made of an asynchronous closure that cannot fail.
public typealias AnyAsyncAction<Dispatcher: DispatcherType, Result> =
  AsyncClosureAction<Dispatcher, Result, Never>

extension DispatcherType {
  /// An asynchronous action of this dispatcher.
  public typealias AsyncAction<Result> = AsyncClosureAction<Self, Result, Never>
  /// An asynchronous action of this dispatcher that may throw.
  public typealias AsyncThrowingAction<Result> = AsyncClosureAction<Self, Result, any Error>
}
