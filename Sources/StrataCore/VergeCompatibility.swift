// Second names for users who come from Verge: code written for it, also for its older versions,
// compiles with them. New code uses the names they stand for; nothing else in Strata uses these.
//
// One more stands in `DispatcherBase`: `init(target:)`. A subclass calls it by `super.init`, so it
// cannot be in an extension.

extension ClosureAction {
  /// Another name for `action`.
  public static func dispatch(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ action: @escaping (DispatcherContext<Dispatcher>) throws(Failure) -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, action)
  }
}

extension AsyncClosureAction {
  /// Another name for `action`.
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

extension DispatcherContext {
  /// Another name for `commit` with a closure over the state.
  @discardableResult
  public func commitInline<R, E: Error>(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Dispatcher.Scope) throws(E) -> R
  ) throws(E) -> R {
    try commit(name, fileID: fileID, function: function, line: line, mutation)
  }
}

extension DispatcherContext where Dispatcher.State: RuledStateType {
  /// Another name for `commit` with a closure over the state.
  @discardableResult
  public func commitInline<R, E: Error>(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Dispatcher.Scope) throws(E) -> R
  ) throws -> R {
    try commit(name, fileID: fileID, function: function, line: line, mutation)
  }
}

extension DispatcherType {
  /// Another name for `dispatch`.
  @discardableResult
  public func accept<A: ActionType>(
    _ action: (Self) -> A
  ) throws(A.Failure) -> A.Result where A.Dispatcher == Self {
    try dispatch(action)
  }

  /// Another name for `dispatch` of an asynchronous action.
  @discardableResult
  public func accept<A: AsyncActionType>(
    isolation: isolated (any Actor)? = #isolation,
    _ action: (Self) -> A
  ) async throws(A.Failure) -> A.Result where A.Dispatcher == Self {
    try await run(action(self), causes: [])
  }
}

extension Changes {
  /// The opposite of `hasChanges`.
  public func noChanges<T: Equatable>(_ keyPath: KeyPath<Value, T>) -> Bool {
    !hasChanges(keyPath)
  }
}

extension ComputedValues {
  /// The opposite of `hasChanges`.
  public func noChanges<Output: Equatable>(_ property: Property<Output>) -> Bool {
    !hasChanges(property)
  }
}

extension DispatcherType {
  /// Another name for `sinkState`.
  public func sinkChanges(
    first: FirstDelivery = .current,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    sinkState(first: first, queue: queue, receive: receive)
  }

  /// Another name for `sinkState` on the main actor.
  public func sinkChanges(
    first: FirstDelivery = .current,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    sinkState(first: first, queue: queue, receive: receive)
  }

  /// Another name for `sinkState` on an actor.
  public func sinkChanges<Target: Actor>(
    first: FirstDelivery = .current,
    queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, Changes<Scope>) -> Void
  ) -> StoreSubscription {
    sinkState(first: first, queue: queue, receive: receive)
  }
}

extension DerivedType {
  /// Another name for `sinkValue`.
  public func sinkChanges(
    first: FirstDelivery = .current,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Changes<Value>) -> Void
  ) -> StoreSubscription {
    sinkValue(first: first, queue: queue, receive: receive)
  }

  /// Another name for `sinkValue` on the main actor.
  public func sinkChanges(
    first: FirstDelivery = .current,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Changes<Value>) -> Void
  ) -> StoreSubscription {
    sinkValue(first: first, queue: queue, receive: receive)
  }

  /// Another name for `sinkValue` on an actor.
  public func sinkChanges<Target: Actor>(
    first: FirstDelivery = .current,
    queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, Changes<Value>) -> Void
  ) -> StoreSubscription {
    sinkValue(first: first, queue: queue, receive: receive)
  }
}

extension MainTargetQueue {
  /// Another name for `mainImmediate`.
  public static func mainIsolated() -> MainTargetQueue { .mainImmediate }
}
