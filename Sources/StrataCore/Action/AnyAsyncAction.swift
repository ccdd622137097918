/// An action that may wait: `func fetch() -> AsyncAction<[Todo]>`.
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
public struct AnyAsyncAction<Dispatcher: DispatcherType, Result>: AsyncActionType {
  /// What it does, on the actor of whoever dispatches it.
  public typealias Body =
    nonisolated(nonsending) (DispatcherContext<Dispatcher>) async -> Result

  /// Who wrote it.
  public let metadata: ActionMetadata
  private let body: Body

  /// Creates an action that may wait that does what the closure does.
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

  /// Does it.
  nonisolated(nonsending)
    public func run(in context: DispatcherContext<Dispatcher>) async -> Result
  {
    await body(context)
  }

  /// Creates an action that may wait that does what the closure does.
  public static func action(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping Body
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, action)
  }

  /// The same as `action`.
  public static func dispatch(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping Body
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, action)
  }
}

extension DispatcherType {
  /// An action that may wait of this dispatcher.
  public typealias AsyncAction<Result> = AnyAsyncAction<Self, Result>
}
