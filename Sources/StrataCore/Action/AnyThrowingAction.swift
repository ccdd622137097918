/// An action that may throw: `func save() -> ThrowingAction<Void>`.
///
/// `try dispatcher.dispatch { $0.save() }` throws what it throws. What it had committed before stays
/// committed: a commit is atomic, an action is not.
public struct AnyThrowingAction<Dispatcher: DispatcherType, Result>: ActionType {
  /// What it throws.
  public typealias Failure = any Error

  /// Who wrote it.
  public let metadata: ActionMetadata
  private let body: (DispatcherContext<Dispatcher>) throws -> Result

  /// Creates an action that may throw that does what the closure does.
  public init(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping (DispatcherContext<Dispatcher>) throws -> Result
  ) {
    metadata = ActionMetadata(name: name, fileID: fileID, function: function, line: line)
    body = action
  }

  /// Does it.
  public func run(in context: DispatcherContext<Dispatcher>) throws -> Result {
    try body(context)
  }

  /// Creates an action that may throw that does what the closure does.
  public static func action(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping (DispatcherContext<Dispatcher>) throws -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, action)
  }

  /// The same as `action`.
  public static func dispatch(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping (DispatcherContext<Dispatcher>) throws -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, action)
  }
}

extension DispatcherType {
  /// An action that may throw of this dispatcher.
  public typealias ThrowingAction<Result> = AnyThrowingAction<Self, Result>
}
