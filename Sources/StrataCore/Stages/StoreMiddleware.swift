import StrataBase

/// Adds to every commit of a store, inside the same commit.
///
/// ```swift
/// store.add(middleware: .modify { edit in
///   edit.changes.ifChanged(\.items) { edit.state.itemsCount = $0.count }
/// })
/// ```
///
/// It runs after the edit and before every `CommitHook`, so change sets, indexes and the journal see
/// what middleware writes. It runs under the edit lock, in the order in which it was added, for each
/// commit that changed something. It must be quick and must not commit to the same store.
public protocol StoreMiddleware<State>: Sendable {
  /// The state of the stores it can be added to.
  associatedtype State: StateType

  /// Completes or refuses an edit.
  ///
  /// An error rolls the commit back.
  func modify(_ edit: inout Edit<State>) throws
}

/// Middleware made of a closure.
///
/// An object, so that it can be removed: keep it, and pass it to `store.remove(middleware:)`.
public final class ModifyingMiddleware<State: StateType>: StoreMiddleware {
  private let body: @Sendable (inout Edit<State>) throws -> Void

  /// Creates middleware that runs the closure.
  public init(_ modify: @escaping @Sendable (inout Edit<State>) throws -> Void) {
    body = modify
  }

  /// Completes or refuses an edit.
  public func modify(_ edit: inout Edit<State>) throws { try body(&edit) }
}

extension ModifyingMiddleware {
  /// Middleware that runs the closure.
  public static func modify(
    _ modify: @escaping @Sendable (inout Edit<State>) throws -> Void
  ) -> ModifyingMiddleware {
    ModifyingMiddleware(modify)
  }
}
