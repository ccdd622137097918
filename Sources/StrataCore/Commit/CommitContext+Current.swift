/// A context as commits carry it: one word, whatever it says.
@usableFromInline
final class CarriedContext: Sendable {
  let context: CommitContext

  init(_ context: CommitContext) { self.context = context }
}

extension CommitContext {
  @TaskLocal static var carried: CarriedContext?

  /// The context of the task: what every commit made here carries; nil if there is none.
  public static var current: CommitContext? { carried?.context }

  /// Runs `body`; every commit in it, of any store, carries the context.
  ///
  /// It follows structured concurrency: child tasks, `async` functions and asynchronous actions
  /// carry it on, and so do the actions that a `Dispatcher` of StrataFlux runs on its queues; a
  /// detached task and a closure on a dispatch queue do not. Inside another context it is completed by
  /// that one: see ``completed(by:)``. A subscriber that commits at once (on `.passthrough`) does so in the
  /// context of the commit that it was notified of.
  public static func with<Result>(
    _ context: CommitContext,
    _ body: () throws -> Result
  ) rethrows -> Result {
    try $carried.withValue(CarriedContext(inTask: context)) { try body() }
  }

  /// The same for an asynchronous body.
  nonisolated(nonsending)
    public static func with<Result>(
      _ context: CommitContext,
      _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result
  {
    try await $carried.withValue(CarriedContext(inTask: context)) { try await body() }
  }

  /// Runs `body` in the context of another place, or in none.
  package static func with<Result>(
    only context: CommitContext?,
    _ body: () throws -> Result
  ) rethrows -> Result {
    guard context != nil || carried != nil else { return try body() }
    return try $carried.withValue(context.map { CarriedContext($0) }) { try body() }
  }
}

extension CarriedContext {
  /// The context, completed by that of the task.
  convenience init(inTask context: CommitContext) {
    self.init(CommitContext.current.map { context.completed(by: $0) } ?? context)
  }

  /// The context of a commit that is given one, or none.
  static func ofCommit(_ context: CommitContext?) -> CarriedContext? {
    guard let context else { return CommitContext.carried }
    return CarriedContext(inTask: context)
  }

  /// Delivers a commit to its subscribers, in its context.
  @usableFromInline
  static func deliver(_ context: CarriedContext?, _ body: () -> Void) {
    if context === CommitContext.carried { return body() }
    CommitContext.$carried.withValue(context) { body() }
  }
}
