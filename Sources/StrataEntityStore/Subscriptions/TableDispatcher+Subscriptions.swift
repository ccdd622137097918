public import StrataCore
public import StrataNormalization

extension TableDispatcherBase {
  /// The entity with this ID, nil while there is none.
  ///
  /// The same as `derived(from: id, in: table)` of the store.
  @inlinable
  public func derived(from id: EntityID<Entity>) -> Derived<Entity?> {
    derived(from: id, in: \.self)
  }

  /// The entity with this ID, retained when it is removed.
  ///
  /// Throws `EntityError.notFound` when there is no such entity now.
  @inlinable
  public func derivedNonNull(from id: EntityID<Entity>) throws -> Derived<RetainedEntity<Entity>> {
    try derivedNonNull(from: id, in: \.self)
  }

  /// Calls `receive` for every commit that changes the table, in order, each once.
  @inlinable
  public func sinkEntityChanges(
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (EntityChanges<Entity>) -> Void
  ) -> StoreSubscription {
    sinkEntityChanges(in: \.self, queue: queue, receive: receive)
  }
}
