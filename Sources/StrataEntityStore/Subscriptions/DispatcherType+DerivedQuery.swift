public import StrataCore
public import StrataNormalization

extension DispatcherType {
  /// What a query makes of the table at `table`; subscribers are told when it is unequal to before.
  ///
  /// ```swift
  /// let count = store.derived(in: \.db.posts) { posts in posts.count { $0.isPublished } }
  /// ```
  ///
  /// The path starts at the own scope. The query must be pure. For each version in which the table was
  /// touched it is run once for subscribers, and once for readers if there are any; a commit to
  /// anything else costs the comparison of a few bytes. Each asking makes a query of its own.
  public func derived<Entity: EntityType, Output: Equatable & Sendable>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    _ query: @escaping @Sendable (EntityTable<Entity>) -> Output
  ) -> Derived<Output> {
    derived(from: table, .equality, query)
  }

  /// What a query makes of the table at `table`; subscribers are told whenever the table was touched
  /// unless `dropsOutput` says that the output is as good as before.
  public func derived<Entity: EntityType, Output: Sendable>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    dropsOutput: (@Sendable (Changes<Output>) -> Bool)? = nil,
    _ query: @escaping @Sendable (EntityTable<Entity>) -> Output
  ) -> Derived<Output> {
    derived(from: table, dropsOutput.map { .predicate($0) } ?? .nothing, query)
  }

  /// The entities that a query finds, each to be followed on its own.
  ///
  /// ```swift
  /// let shown = store.derivedEntities(in: \.db.posts) { posts in posts.ids.sorted() }
  /// let subscription = shown.sinkValue { changes in
  ///   list.show(changes.value.map { Row($0) })       // only when other posts are found
  /// }
  /// ```
  ///
  /// Subscribers are told when the query finds other IDs or another order of them. A change inside an
  /// entity is told to those who follow that entity; it is the same object as
  /// `derived(from:in:)` gives. The cost is that of the query, and O(IDs) when
  /// they differ.
  @inlinable
  public func derivedEntities<Entity: EntityType>(
    in table: StatePath<Scope, EntityTable<Entity>>,
    _ query: @escaping @Sendable (EntityTable<Entity>) -> [EntityID<Entity>]
  ) -> Derived<[Derived<Entity?>]> {
    let following = following(table)
    return derived(in: table, query)
      .chain(.map { ids in ids.value.map { following.entity($0) } }, dropsOutput: nil)
  }
}
