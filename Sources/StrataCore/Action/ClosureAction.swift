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
