import Dispatch
import StrataBase

/// The hub of many stores: gives each action to the stores that answer its type.
///
/// ```swift
/// try Dispatcher.default.register(store: counter)
/// try Dispatcher.default.register(store: prices, waitingFor: ["counter"])
///
/// Dispatcher.default.dispatch(CounterAction.increase) {
///   Dispatcher.default.dispatch(CounterAction.decrease)   // right after it
/// }
/// try await Dispatcher.default.dispatch(CounterAction.increase)   // returns when all are done
/// ```
///
/// An action reaches the stores that are registered when its turn comes, in the order of their
/// registration; a store that others wait for is pulled forward. For each store, in this order:
/// middleware is told, the reducer is asked for an operation, the operation starts. A store starts
/// after those before it have *started*, and after those that it waits for have *finished*; when
/// one of these failed, it is not reached. Then the observers are told of every store that is done,
/// and middleware once more. When all stores are done, in whatever way, `then` runs, once for each
/// dispatch, also when no store answered.
///
/// A dispatch is allowed everywhere, also inside a dispatch: ``DispatchMode`` says when it runs.
/// Everything here may be called from any thread.
///
/// A program with a store of `Strata` beside it: `Dispatcher` is a member type of stores
/// (`MyStore.Dispatcher`), which hides this one inside subclasses of `Store`. There, write
/// `StrataFlux.Dispatcher`.
public final class Dispatcher: Sendable {
  /// The hub of a program that needs but one.
  public static let `default` = Dispatcher(name: "default")

  /// What the ids of its dispatches begin with.
  public let name: String

  let identity = HubIdentity()
  let registry: Lock<HubRegistry>
  private let line = SerialLine()
  private let background: DispatchQueue
  private let lineQueue: DispatchQueue

  /// Creates a hub without stores.
  ///
  /// - Parameters:
  ///   - name: What the ids of its dispatches begin with.
  ///   - mainThread: Where ``DispatchMode/mainThread`` runs. The usual one needs a main loop that
  ///     runs; see ``DispatchExecutor``.
  public init(name: String = "dispatcher", mainThread: DispatchExecutor = .mainQueue) {
    self.name = name
    registry = Lock(HubRegistry(mainThread: mainThread))
    background = DispatchQueue(label: "Dispatcher \(name)", attributes: .concurrent)
    lineQueue = DispatchQueue(label: "Dispatcher \(name), one after another")
  }

  /// Where ``DispatchMode/mainThread`` runs from now on.
  public var mainThread: DispatchExecutor {
    get { registry.withLock { $0.mainThread } }
    set { registry.withLock { $0.mainThread = newValue } }
  }

  /// The dispatches that are not done, in the order of the calls.
  ///
  /// What an operation that never finishes holds up is found here, and cancelled. O(n log n).
  public var underWay: [DispatchTransaction] { registry.withLock { $0.underWay } }
}

extension Dispatcher {
  /// Gives an action to the stores that answer it, and returns at once unless the mode is `.sync`.
  ///
  /// A few microseconds for each store that answers, its commit included, and for the hand-over to
  /// another thread. Observers of what did not change cost next to nothing.
  ///
  /// - Parameters:
  ///   - action: What happened.
  ///   - identifier: The only store to reach; nil reaches all.
  ///   - mode: Where and when; see ``DispatchMode``.
  ///   - then: Called once, when every store is done, in whatever way, in the place that the mode
  ///     gives. What it dispatches comes right after.
  /// - Returns: The dispatch, to look at how it ended, or to cancel it.
  @discardableResult
  public func dispatch(
    _ action: some FluxAction,
    to identifier: String? = nil,
    mode: DispatchMode = .async,
    then: (@Sendable () -> Void)? = nil
  ) -> DispatchTransaction {
    let route = DispatchRoute(
      hub: identity,
      executor: executor(for: mode),
      open: { [self] action throws(DispatchError) in try open(action, to: identifier) },
      didEnd: { [self] transaction in
        registry.withLock { $0.end(transaction) }
        if mode == .serial { line.remove(transaction) }
      }
    )
    let transaction = registry.withLock { registry in
      registry.begin { number in
        DispatchTransaction(
          number,
          of: name,
          action: action,
          mode: mode,
          route: route,
          then: then
        )
      }
    }
    switch mode {
    case .sync: transaction.runHere()
    case .serial: line.append(transaction)
    case .async, .mainThread: transaction.goOn()
    }
    return transaction
  }

  /// Gives an action to the stores that answer it, and returns when every store is done.
  ///
  /// When the task is cancelled, so is the dispatch. The mode `.sync` is `.async` here: a task does
  /// not block its thread.
  ///
  /// - Throws: ``DispatchError``; `CancellationError` when the task was cancelled first.
  public func dispatch(
    _ action: some FluxAction,
    to identifier: String? = nil,
    mode: DispatchMode = .async
  ) async throws {
    let mode = mode == .sync ? .async : mode
    try await dispatch(action, to: identifier, mode: mode, then: nil).finished()
  }

  private func executor(for mode: DispatchMode) -> DispatchExecutor? {
    switch mode {
    case .async: .queue(background)
    case .serial: .queue(lineQueue)
    case .sync: nil
    case .mainThread: mainThread
    }
  }

  private func open(
    _ action: any FluxAction,
    to identifier: String?
  ) throws(DispatchError) -> OpenDispatch {
    let middleware = registry.withLock { $0.middleware }
    for case let companion as any HubCompanion in middleware { try companion.admit(action) }
    let seats = try registry.withLock { registry throws(DispatchError) in
      try registry.seats(for: action, to: identifier)
    }
    return OpenDispatch(seats: seats, middleware: middleware)
  }
}
