/// What the methods of a dispatcher return to describe what is to be done.
///
/// ```swift
/// final class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {
///   func increment() -> Mutation<Void> { .mutation { $0.count += 1 } }
///
///   func incrementTwice() -> Action<Int> {
///     .action { context in
///       context.commit { $0.increment() }
///       context.commitInline { state in state.count += 1 }
///       return context.state.count
///     }
///   }
/// }
///
/// let count = dispatcher.dispatch { $0.incrementTwice() }
/// ```
///
/// Creating it runs nothing. It runs on the thread that dispatches it, as often as it is
/// dispatched. It may hand its context to another thread and commit there later.
public struct AnyAction<Dispatcher: DispatcherType, Result>: ActionType {
  /// Who wrote it.
  public let metadata: ActionMetadata
  private let body: (DispatcherContext<Dispatcher>) -> Result

  /// Creates an action that does what the closure does.
  public init(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping (DispatcherContext<Dispatcher>) -> Result
  ) {
    metadata = ActionMetadata(name: name, fileID: fileID, function: function, line: line)
    body = action
  }

  /// Does it.
  public func run(in context: DispatcherContext<Dispatcher>) -> Result {
    body(context)
  }

  /// Creates an action that does what the closure does.
  public static func action(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping (DispatcherContext<Dispatcher>) -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, action)
  }

  /// The same as `action`.
  public static func dispatch(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping (DispatcherContext<Dispatcher>) -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, action)
  }
}

extension DispatcherType {
  /// An action of this dispatcher.
  public typealias Action<Result> = AnyAction<Self, Result>
}
