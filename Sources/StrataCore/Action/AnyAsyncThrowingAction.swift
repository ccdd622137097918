/// An action that may wait and may throw: `func fetch() -> AsyncThrowingAction<[Todo]>`.
///
/// `try await dispatcher.dispatch { $0.fetch() }` throws what it throws, `CancellationError` among
/// others. What it had committed before stays committed.
public struct AnyAsyncThrowingAction<Dispatcher: DispatcherType, Result>: AsyncActionType {
  /// What it throws.
  public typealias Failure = any Error

  /// What it does, on the actor of whoever dispatches it.
  public typealias Body =
    nonisolated(nonsending) (DispatcherContext<Dispatcher>) async throws -> Result

  /// Who wrote it.
  public let metadata: ActionMetadata
  private let body: Body

  /// Creates an action that may wait and may throw that does what the closure does.
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
    public func run(in context: DispatcherContext<Dispatcher>) async throws -> Result
  {
    try await body(context)
  }

  /// Creates an action that may wait and may throw that does what the closure does.
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
  /// An action that may wait and may throw of this dispatcher.
  public typealias AsyncThrowingAction<Result> = AnyAsyncThrowingAction<Self, Result>
}
