public import StrataCore
public import StrataNormalization

extension DispatcherType {
  /// The result of a query over the table at `table`; subscribers are notified when it is not equal to
  /// the one before.
  ///
  /// ```swift
  /// let count = store.derived(in: \.db.posts) { posts in posts.count { $0.isPublished } }
  /// ```
  ///
  /// The path starts at the own scope. The query must be pure. For each version that changed the table
  /// it runs once for subscribers, and once for readers if there are any. A commit to anything else
  /// costs the comparison of a few bytes. Each call creates a query of its own.
  public func derived<Entity: EntityType, Output: Equatable & Sendable>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    _ query: @escaping @Sendable (EntityTable<Entity>) -> Output
  ) -> Derived<Output> {
    derived(from: table, .equality, query)
  }

  /// The result of a query over the table at `table`; subscribers are notified whenever the table has
  /// changed, unless `dropsOutput` returns true for the new result.
  public func derived<Entity: EntityType, Output: Sendable>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    dropsOutput: (@Sendable (Changes<Output>) -> Bool)? = nil,
    _ query: @escaping @Sendable (EntityTable<Entity>) -> Output
  ) -> Derived<Output> {
    derived(from: table, dropsOutput.map { .predicate($0) } ?? .nothing, query)
  }

  /// The entities that a query finds, each as a derived value of its own.
  ///
  /// ```swift
  /// let shown = store.derivedEntities(in: \.db.posts) { posts in posts.ids.sorted() }
  /// let subscription = shown.sinkValue { changes in
  ///   list.show(changes.value.map { Row($0) })       // only when other posts are found
  /// }
  /// ```
  ///
  /// Subscribers are notified when the query finds other IDs or another order of them. A change inside
  /// an entity notifies the subscribers of that entity, which is the same object as that of
  /// `derived(from:in:)`. The cost is that of the query, and O(IDs) when they differ.
  @inlinable
  public func derivedEntities<Entity: EntityType>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    _ query: @escaping @Sendable (EntityTable<Entity>) -> [EntityID<Entity>]
  ) -> Derived<[Derived<Entity?>]> {
    let entities = entities(table)
    return derived(in: table, query)
      .chain(.map { ids in ids.map { entities.entity($0) } }, dropsOutput: nil)
  }
}
