import StrataBase

/// Adds to every commit of a store, inside the same commit.
///
/// ```swift
/// store.add(middleware: .modify { edit in
///   edit.changes.ifChanged(\.items) { edit.state.itemsCount = $0.count }
/// })
/// ```
///
/// After the edit and before every ``CommitHook``, so that change sets, indexes and the journal see
/// what middleware writes. It runs under the edit lock, in the order in which it was added, for each
/// commit that changed something; it must be quick and must not commit to the same store.
public protocol StoreMiddleware<State>: Sendable {
  /// The state of the stores it can be added to.
  associatedtype State: StateType

  /// Completes or refuses an edit.
  ///
  /// Throwing means that the commit has not happened.
  func modify(_ edit: inout Edit<State>) throws
}

/// Middleware made of a closure.
public struct ModifyingMiddleware<State: StateType>: StoreMiddleware {
  private let body: @Sendable (inout Edit<State>) throws -> Void

  /// Creates middleware that does what the closure does.
  public init(_ modify: @escaping @Sendable (inout Edit<State>) throws -> Void) {
    body = modify
  }

  /// Completes or refuses an edit.
  public func modify(_ edit: inout Edit<State>) throws { try body(&edit) }
}

extension ModifyingMiddleware {
  /// Middleware that does what the closure does.
  public static func modify(
    _ modify: @escaping @Sendable (inout Edit<State>) throws -> Void
  ) -> ModifyingMiddleware {
    ModifyingMiddleware(modify)
  }
}

extension Store {
  /// Adds middleware; it takes part in every commit whose edit begins after this returns.
  ///
  /// Waits for a commit that is under way. It stays for the life of the store.
  public func add<Middleware: StoreMiddleware>(middleware: Middleware)
  where Middleware.State == State {
    editLock.withLock { _ in stages.withLock { $0.middleware.append(middleware) } }
  }

  /// Adds middleware that is made of a closure: `store.add(middleware: .modify { edit in … })`.
  public func add(middleware: ModifyingMiddleware<State>) {
    editLock.withLock { _ in stages.withLock { $0.middleware.append(middleware) } }
  }
}
