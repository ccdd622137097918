public import StrataCore
public import StrataNormalization

extension Store {
  /// A dispatcher of one entity table of this kind of store.
  public typealias TableDispatcher<Entity: EntityType> =
    TableDispatcherBase<State, Activity, Entity>
}

/// A dispatcher of one entity table.
///
/// ```swift
/// let users = AppStore.TableDispatcher<User>(targetStore: store, table: \.db.users)
/// try users.insert(User(id: "42", name: "Ada"))
/// try users.update("42") { $0.name = "Ada Lovelace" }
/// ```
///
/// Each verb is one commit; to make several changes in one, use `commit { table in … }`. Every
/// dispatcher whose scope is a table has the same verbs, such as a `StoreComponentType` with
/// `static let scope = \AppState.db.users`.
open class TableDispatcherBase<State: StateType, Activity: Sendable, Entity: EntityType>:
  ScopedDispatcherBase<State, Activity, EntityTable<Entity>>, @unchecked Sendable
{
  /// Creates a dispatcher of the table at `table`.
  public init(
    targetStore: StrataCore.Store<State, Activity>,
    table: StatePath<State, EntityTable<Entity>>
  ) {
    super.init(targetStore: targetStore, scope: table)
  }
}

/// The verbs of a dispatcher whose scope is an entity table.
extension DispatcherType {
  /// The entity with this ID as last committed, or nil.
  ///
  /// O(log n).
  public subscript<Entity>(id: EntityID<Entity>) -> Entity? where Scope == EntityTable<Entity> {
    state[id]
  }

  /// Inserts an entity, or replaces the one with its ID.
  ///
  /// Throws when a rule of the database refuses the commit; then it is rolled back.
  public func insert<Entity>(
    _ entity: Entity,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) throws where Scope == EntityTable<Entity> {
    try commit("insert", fileID: fileID, function: function, line: line) {
      table throws in table.insert(entity)
    }
  }

  /// Inserts or replaces all the entities in one commit.
  ///
  /// Throws when a rule of the database refuses the commit; then it is rolled back.
  public func insert<Entity>(
    contentsOf entities: some Sequence<Entity>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) throws where Scope == EntityTable<Entity> {
    try commit("insert", fileID: fileID, function: function, line: line) {
      table throws in table.insert(contentsOf: entities)
    }
  }

  /// Changes the entity with this ID.
  ///
  /// Throws `EntityError` when it is absent or its ID changed, and what the closure throws.
  @discardableResult
  public func update<Entity, R>(
    _ id: EntityID<Entity>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ change: (inout Entity) throws -> R
  ) throws -> R where Scope == EntityTable<Entity> {
    try commit("update", fileID: fileID, function: function, line: line) {
      table throws in try table.update(id, change)
    }
  }

  /// Changes the entity with this ID if there is one, and returns the changed entity.
  ///
  /// Throws as `update` does, except that it returns nil for an absent entity.
  @discardableResult
  public func updateIfExists<Entity>(
    _ id: EntityID<Entity>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ change: (inout Entity) throws -> Void
  ) throws -> Entity? where Scope == EntityTable<Entity> {
    try commit("update", fileID: fileID, function: function, line: line) {
      table throws in try table.updateIfExists(id, change)
    }
  }

  /// Removes the entity with this ID and returns it, or nil when there is none.
  ///
  /// Throws when a rule of the database refuses the commit; then it is rolled back.
  @discardableResult
  public func remove<Entity>(
    _ id: EntityID<Entity>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) throws -> Entity? where Scope == EntityTable<Entity> {
    try commit("remove", fileID: fileID, function: function, line: line) {
      table throws in table.remove(id)
    }
  }

  /// Removes the entities with these IDs in one commit; absent ones are skipped.
  ///
  /// Throws when a rule of the database refuses the commit; then it is rolled back.
  public func remove<Entity>(
    in ids: some Sequence<EntityID<Entity>>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) throws where Scope == EntityTable<Entity> {
    try commit("remove", fileID: fileID, function: function, line: line) {
      table throws in table.remove(in: ids)
    }
  }

  /// Removes every entity in one commit.
  ///
  /// Throws when a rule of the database refuses the commit; then it is rolled back.
  public func removeAll<Entity>(
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) throws where Scope == EntityTable<Entity> {
    try commit("remove all", fileID: fileID, function: function, line: line) {
      table throws in table.removeAll()
    }
  }
}
