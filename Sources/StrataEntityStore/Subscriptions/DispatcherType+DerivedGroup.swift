public import StrataCore
public import StrataNormalization

extension DispatcherType {
  /// The entities of one group of an index, in the order of the index.
  ///
  /// ```swift
  /// let posts = store.derived(Post.byAuthor, of: "ada", in: \.db.posts)
  /// let subscription = posts.sinkValue { changes in show(changes.value.suffix(10)) }
  /// ```
  ///
  /// The path starts at the own scope. Subscribers are notified when an entity enters or leaves the
  /// group, and when one in it is written; entities are never compared with their `==`. Nothing is
  /// copied: the value is a view of the table at that version.
  ///
  /// Requesting the same table, index and key again returns the same object as long as it is held. A
  /// commit costs O(entities changed + subscribers of their groups), however many subscribers follow
  /// other groups. The entity type must list the index.
  public func derived<Entity: EntityType, Key>(
    _ index: GroupIndex<Entity, Key>,
    of key: Key,
    in table: StatePath<Scope, EntityTable<Entity>>
  ) -> Derived<IndexedEntities<Entity>> {
    keyed(by: GroupDifference(index: index), at: table).part(under: key)
  }
}
