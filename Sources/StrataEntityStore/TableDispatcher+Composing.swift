public import StrataCore
public import StrataNormalization

extension TableDispatcherBase {
  /// A dispatcher of another table; the key path starts at the root of the state.
  public func detached<Other: EntityType>(
    to table: StatePath<State, EntityTable<Other>>
  ) -> TableDispatcherBase<State, Activity, Other> {
    TableDispatcherBase<State, Activity, Other>(targetStore: targetStore, table: table)
  }

  /// Changes this table and another one of the same store in one atomic step.
  ///
  /// ```swift
  /// try users.commit(with: posts, "leave") { users, posts in
  ///   users.remove("ada")
  ///   posts.remove(in: posts[Post.byAuthor]["ada"].ids)
  /// }
  /// ```
  ///
  /// Throws what the closure throws, and when a rule of the database refuses the commit; then it is
  /// rolled back. The two tables must be different tables of one store.
  @discardableResult
  public func commit<B, R, E: Error>(
    with b: TableDispatcherBase<State, Activity, B>,
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout EntityTable<Entity>, inout EntityTable<B>) throws(E) -> R
  ) throws(E) -> R {
    let (pathA, pathB) = (scope, b.scope)
    checkTables([pathA, pathB], [b.targetStore])
    return try targetStore.commit(name, fileID: fileID, function: function, line: line) {
      (state: inout State) throws(E) in
      var (tableA, tableB) = (state[keyPath: pathA], state[keyPath: pathB])
      let result = try mutation(&tableA, &tableB)
      state[keyPath: pathA] = tableA
      state[keyPath: pathB] = tableB
      return result
    }
  }

  /// Changes this table and two others of the same store in one atomic step.
  ///
  /// Throws as the form with one other table does. The three tables must be different tables of one
  /// store.
  @discardableResult
  public func commit<B, C, R, E: Error>(
    with b: TableDispatcherBase<State, Activity, B>,
    _ c: TableDispatcherBase<State, Activity, C>,
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (
      inout EntityTable<Entity>, inout EntityTable<B>, inout EntityTable<C>
    ) throws(E) -> R
  ) throws(E) -> R {
    let (pathA, pathB, pathC) = (scope, b.scope, c.scope)
    checkTables([pathA, pathB, pathC], [b.targetStore, c.targetStore])
    return try targetStore.commit(name, fileID: fileID, function: function, line: line) {
      (state: inout State) throws(E) in
      var (tableA, tableB) = (state[keyPath: pathA], state[keyPath: pathB])
      var tableC = state[keyPath: pathC]
      let result = try mutation(&tableA, &tableB, &tableC)
      state[keyPath: pathA] = tableA
      state[keyPath: pathB] = tableB
      state[keyPath: pathC] = tableC
      return result
    }
  }

  private func checkTables(_ paths: [AnyKeyPath], _ stores: [Store<State, Activity>]) {
    if Set(paths).count < paths.count {
      fatalError(
        """
        A commit over several tables got the same table twice: one of the two writes would be lost. \
        Make both changes in the table's own commit.
        """
      )
    }
    if stores.contains(where: { $0 !== targetStore }) {
      fatalError(
        """
        A commit over several tables got tables of two stores, which have no commit in common. \
        Commit to each store, or keep both databases in one state.
        """
      )
    }
  }
}

extension DispatcherType where Scope: DatabaseType {
  /// Makes several updates of the database as one commit: all of them, or none when the closure
  /// throws, aborts, or a rule of the database refuses the commit.
  ///
  /// Returns the result of the closure. See `DatabaseType.performBatchUpdates` for batches within a
  /// commit.
  @discardableResult
  public func performBatchUpdates<R>(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ updates: (inout BatchContext<Scope>) throws -> R
  ) throws -> R {
    try commit(name, fileID: fileID, function: function, line: line) {
      (database: inout Scope) throws in
      try database.performBatchUpdates(updates)
    }
  }
}
