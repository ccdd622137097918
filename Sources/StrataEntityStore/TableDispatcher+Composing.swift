import StrataBase
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
  /// It is a commit of both dispatchers: an ``UndoStack`` of either records it. The rules are those of
  /// `commit`. The two tables must be different tables of one store.
  @discardableResult
  public func commit<B, R, E: Error>(
    with b: TableDispatcherBase<State, Activity, B>,
    _ name: String = "",
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout EntityTable<Entity>, inout EntityTable<B>) throws(E) -> R
  ) throws(E) -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try compose(trace, b, mutation)
  }

  /// Changes this table and two others of the same store in one atomic step.
  ///
  /// The same as with one other table; the three must be different tables of one store.
  @discardableResult
  public func commit<B, C, R, E: Error>(
    with b: TableDispatcherBase<State, Activity, B>,
    _ c: TableDispatcherBase<State, Activity, C>,
    _ name: String = "",
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (
      inout EntityTable<Entity>, inout EntityTable<B>, inout EntityTable<C>
    ) throws(E) -> R
  ) throws(E) -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try compose(trace, b, c, mutation)
  }
}

/// The same for a state that is ruled: they throw in their type.
extension TableDispatcherBase where State: RuledStateType {
  /// Changes this table and another one of the same store in one atomic step.
  ///
  /// Throws what the closure throws, and the error of a rule, middleware or file that refuses the
  /// commit; then it is rolled back. The two tables must be different tables of one store.
  @discardableResult
  public func commit<B, R, E: Error>(
    with b: TableDispatcherBase<State, Activity, B>,
    _ name: String = "",
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout EntityTable<Entity>, inout EntityTable<B>) throws(E) -> R
  ) throws -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try compose(trace, b) { (tableA, tableB) throws in try mutation(&tableA, &tableB) }
  }

  /// Changes this table and two others of the same store in one atomic step.
  ///
  /// Throws like the form with one other table; the three must be different tables of one store.
  @discardableResult
  public func commit<B, C, R, E: Error>(
    with b: TableDispatcherBase<State, Activity, B>,
    _ c: TableDispatcherBase<State, Activity, C>,
    _ name: String = "",
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (
      inout EntityTable<Entity>, inout EntityTable<B>, inout EntityTable<C>
    ) throws(E) -> R
  ) throws -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try compose(trace, b, c) { (tableA, tableB, tableC) throws in
      try mutation(&tableA, &tableB, &tableC)
    }
  }
}

extension TableDispatcherBase {
  private func compose<B, R, E: Error>(
    _ trace: CommitTrace,
    _ b: TableDispatcherBase<State, Activity, B>,
    _ mutation: (inout EntityTable<Entity>, inout EntityTable<B>) throws(E) -> R
  ) throws(E) -> R {
    let (pathA, pathB) = (scope, b.scope)
    checkTables([pathA, pathB], [b.targetStore])
    return try targetStore.commit(
      trace,
      by: ObjectIdentifier(self),
      and: [ObjectIdentifier(b)],
      scope: targetStore.scope
    ) { (state, _) throws(E) in
      var (tableA, tableB) = (state[keyPath: pathA], state[keyPath: pathB])
      let result = try mutation(&tableA, &tableB)
      state[keyPath: pathA] = tableA
      state[keyPath: pathB] = tableB
      return result
    }
  }

  private func compose<B, C, R, E: Error>(
    _ trace: CommitTrace,
    _ b: TableDispatcherBase<State, Activity, B>,
    _ c: TableDispatcherBase<State, Activity, C>,
    _ mutation: (
      inout EntityTable<Entity>, inout EntityTable<B>, inout EntityTable<C>
    ) throws(E) -> R
  ) throws(E) -> R {
    let (pathA, pathB, pathC) = (scope, b.scope, c.scope)
    checkTables([pathA, pathB, pathC], [b.targetStore, c.targetStore])
    return try targetStore.commit(
      trace,
      by: ObjectIdentifier(self),
      and: [ObjectIdentifier(b), ObjectIdentifier(c)],
      scope: targetStore.scope
    ) { (state, _) throws(E) in
      var (tableA, tableB) = (state[keyPath: pathA], state[keyPath: pathB])
      var tableC = state[keyPath: pathC]
      let result = try mutation(&tableA, &tableB, &tableC)
      state[keyPath: pathA] = tableA
      state[keyPath: pathB] = tableB
      state[keyPath: pathC] = tableC
      return result
    }
  }

  private func checkTables(_ paths: [AnyKeyPath], _ stores: [Store]) {
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
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ updates: (inout BatchContext<Scope>) throws -> R
  ) throws -> R {
    try commit(name, context: context, fileID: fileID, function: function, line: line) {
      (database: inout Scope) throws in
      try database.performBatchUpdates(updates)
    }
  }
}
