public import StrataCore
public import StrataNormalization

extension DispatcherType {
  /// Calls `receive` for every commit that changes the table at `table`, in order, each once.
  ///
  /// ```swift
  /// let subscription = store.sinkEntityChanges(in: \.db.users) { changes in
  ///   for user in changes.put { search.index(user) }
  ///   for id in changes.removed { search.forget(id) }
  /// }
  /// ```
  ///
  /// The path starts at the own scope. The first delivery is that of the next commit; what the table
  /// holds already is not delivered. The subscription ends when the returned object is released.
  @inlinable
  public func sinkEntityChanges<Entity: EntityType>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (EntityChanges<Entity>) -> Void
  ) -> StoreSubscription {
    entities(table).sink(queue, receive)
  }

  /// The same on the main actor.
  @inlinable
  public func sinkEntityChanges<Entity: EntityType>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (EntityChanges<Entity>) -> Void
  ) -> StoreSubscription {
    entities(table).sink(queue, receive)
  }

  /// The same on an actor.
  @inlinable
  public func sinkEntityChanges<Entity: EntityType, Target: Actor>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, EntityChanges<Entity>) -> Void
  ) -> StoreSubscription {
    entities(table).sink(queue, receive)
  }

  /// The same as `sinkEntityChanges`, with what the scan has accumulated up to this delivery,
  /// inclusive.
  public func sinkEntityChanges<Entity: EntityType, Accumulated>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    scan: Scan<EntityChanges<Entity>, Accumulated>,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (EntityChanges<Entity>, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkEntityChanges(in: table, queue: queue) { receive($0, accumulate($0)) }
  }

  /// The same on the main actor.
  public func sinkEntityChanges<Entity: EntityType, Accumulated>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    scan: Scan<EntityChanges<Entity>, Accumulated>,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (EntityChanges<Entity>, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkEntityChanges(in: table, queue: queue) { receive($0, accumulate($0)) }
  }

  /// The same on an actor.
  public func sinkEntityChanges<Entity: EntityType, Accumulated, Target: Actor>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    scan: Scan<EntityChanges<Entity>, Accumulated>,
    queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, EntityChanges<Entity>, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkEntityChanges(in: table, queue: queue) { receive($0, $1, accumulate($1)) }
  }

  /// The changes of the table at `table`, commit by commit, as an asynchronous sequence.
  ///
  /// ```swift
  /// for await changes in store.entityChanges(in: \.db.users) {
  ///   upload(changes.put)
  /// }
  /// ```
  ///
  /// It starts with this call and is for one reader. It ends when the store is released, or when the
  /// task that reads it is cancelled. What a reader with `.newest` skips is lost: a commit was skipped if
  /// `previous` is not the table of the element before.
  @inlinable
  public func entityChanges<Entity: EntityType>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    buffering: ValueBuffering = .unbounded
  ) -> AsyncStream<EntityChanges<Entity>> {
    stream(buffering) { sinkEntityChanges(in: table, receive: $0) }
  }

  @usableFromInline
  func stream<Element: Sendable>(
    _ buffering: ValueBuffering,
    _ subscribe: (@escaping @Sendable (Element) -> Void) -> StoreSubscription
  ) -> AsyncStream<Element> {
    AsyncStream(buffering: buffering, subscribe: subscribe)
  }
}
