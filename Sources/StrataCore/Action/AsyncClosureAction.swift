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
