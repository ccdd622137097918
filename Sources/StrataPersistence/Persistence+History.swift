import Foundation
import StrataBase
public import StrataCore
public import StrataJournal
public import StrataNormalization
import StrataStorage

extension Persistence {
  /// The database as it was at a point of its history: a value, which changes nothing.
  ///
  /// ```swift
  /// let yesterday = try await persistence.state(at: .time(.now - 86_400))
  /// let before = try await persistence.state(at: .snapshot("before-upgrade"))
  /// ```
  ///
  /// O(tables) for one of the last states, which stay in memory (`PersistenceConfiguration.recentStates`)
  /// unless tables are redacted or sealed; else O(the nearest snapshot before it, and the deltas from
  /// there on). The writer and committers continue meanwhile. Commits made before the call count, so it may write
  /// pending ones first.
  /// Tables that the file did not have by then are empty, and so are excluded ones.
  ///
  /// Throws `PersistenceError`: `.notThere` for a revision, time or name that is not in the history (not reached,
  /// trimmed, or inside commits that became one delta while the disk failed); `.refused` where a migration of the data ran
  /// or was taken back since, as the types of this build do not read that state: fork the store there, and open the copy,
  /// which is brought up; or an error of reading the file.
  public func state(at point: HistoryPoint) async throws(PersistenceError) -> Database {
    try await contents(at: point).database
  }

  /// The database and the values that the file had at a point, and the fields that this build does
  /// not know, if they are collected.
  func contents(
    at point: HistoryPoint,
    _ unknownFields: UnknownFieldsPolicy = .ignored
  ) async throws(PersistenceError) -> (
    database: Database, values: ChangeSet, carried: CarriedFields
  ) {
    try await writePending(for: point)
    let (path, policy) = (writer.path, policy)
    return try await reader.read { view in
      let revision = try view.revision(of: point)
      if let recent = recentContents(at: revision, unknownFields) {
        try view.checkIsKept(revision)
        return (recent.database, recent.values, CarriedFields())
      }
      try view.checkShape(at: revision)
      return try view.contents(at: revision, over: Database(), policy, path, unknownFields)
    }
  }

  /// What the file has at a revision, if it is among the last states in memory.
  ///
  /// O(changes since · log n).
  private func recentContents(
    at revision: Revision,
    _ unknownFields: UnknownFieldsPolicy
  ) -> RecentStates<Database>.Contents? {
    // An entity that could not be encoded is not in the file as it is in memory.
    guard keepsRecentStates, !writer.statusTracker.current.hasHadUnpersisted else { return nil }
    if unknownFields == .collected, !carried.withLock(\.isEmpty) { return nil }
    let recent = recent.withLock { $0 }
    guard let contents = recent.contents(at: revision) else { return nil }
    var database = Database()
    for table in Database.schema.tables(in: policy) {
      table.copy(from: contents.database, to: &database)
    }
    return RecentStates.Contents(database: database, values: contents.values)
  }

  /// The deltas from one revision to another, both included: what was committed, one by one.
  ///
  /// ```swift
  /// for try await delta in persistence.deltas(from: 100, to: 200) {
  ///   print(delta.revision, delta.time, delta.name, delta.changes)
  /// }
  /// ```
  ///
  /// Without bounds these are all deltas that are kept when the first one is read. They are read on
  /// demand, about a megabyte at a time, each verified by its hash. Deltas that an iterator has not
  /// read yet are not trimmed.
  ///
  /// The iterator throws `PersistenceError`: `.notThere` for revisions that are not in the history (not reached,
  /// trimmed, or inside commits that became one delta while the disk failed), or an error of reading the file.
  public func deltas(
    from first: Revision? = nil,
    to last: Revision? = nil
  ) -> Deltas<State, Database> {
    Deltas(of: self, from: first, to: last)
  }

  /// Every kept version of one entity, the oldest first.
  ///
  /// The first version may come from the oldest snapshot; the others come from the commits that put
  /// or removed the entity. Empty for an entity that never existed. Versions from before a migration of the data that has
  /// changed the entity are `.earlier`: the record with the names of that time, also under another ID or in another table.
  /// One that this build cannot read for another cause is `.undecodable`, and the others are as they are. Name the table if
  /// several tables have the type. O(journal).
  ///
  /// Throws `PersistenceError` of the kind `.notThere` for a table that is not in the schema, or
  /// an error of reading the file.
  public func history<Entity: EntityType>(
    of id: EntityID<Entity>,
    in table: TableName? = nil
  ) async throws(PersistenceError) -> [EntityVersion<Entity>] {
    let name = try tableName(of: Entity.self, or: table)
    try await writePending(for: nil)
    let policy = policy
    return try await reader.read { view in try view.versions(of: id, in: name.text, policy) }
  }

  /// The table of that name, or of the entity type; throws `.notFound` unless the schema lists it with the
  /// type.
  package func tableName<Entity: EntityType>(
    of type: Entity.Type,
    or table: TableName?
  ) throws(PersistenceError) -> TableName {
    let name = table ?? Entity.tableName
    guard Database.schema.table(named: name) is Entities<Database, Entity> else {
      throw PersistenceError(
        .inspecting,
        path: path,
        .notFound("table \(name) of \(Entity.self) in the schema of \(Database.self)")
      )
    }
    return name
  }

  /// Makes the store's database and persisted values what they were at a point of its history, as
  /// one new commit.
  ///
  /// No history is lost: it is a commit like any other, and so is a `revert` of it. Excluded tables
  /// stay as they are, and so does a value that the file did not have by then. An entity is written if its record would
  /// be another one: one with a NaN, which equals nothing, stays as it is stored. Its context is that of the caller.
  /// Under the edit lock it costs O(differences) for one of the last states in memory, else O(entities).
  ///
  /// Returns the revision it became, or the last one if nothing differed.
  ///
  /// Throws what `state(at:)` throws, and the violation of a rule of the database; then the commit
  /// is rolled back. Throws `PersistenceError` of the kind `.closed` where the store was deallocated, and traps before there is one.
  @discardableResult
  public func revert(
    to point: HistoryPoint,
    name: String? = nil,
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) async throws -> Revision {
    let then = try await contents(at: point, .collected)
    let trace = CommitTrace(
      ofCommit: name ?? "revert to \(point)",
      context,
      at: CommitPlace(fileID, function, line)
    )
    return try commit(trace) { state, attachments in
      attachments[CarriedFields.restored] = then.carried
      let now = state[keyPath: database]
      let changes = ChangeSet(from: now, to: then.database)
      state[keyPath: database].apply(changes.reverting(now, policy))
      for value in values { value.assign(then.values, to: &state) }
    }
  }

  /// Commits other records of entities, if the store still has those that are expected.
  ///
  /// Returns the revision it became, the last one if nothing differed, or nil if a commit has changed one of them.
  ///
  /// - Parameter fields: Those of the wanted records that this build does not know.
  /// - Throws: the violation of a rule of the database; then the commit is rolled back.
  package func replace(
    _ expected: Delta,
    by wanted: Delta,
    _ trace: CommitTrace,
    carrying fields: CarriedFields = CarriedFields()
  ) throws -> Revision? {
    var isExpected = true
    let revision = try commit(trace) { state, attachments in
      var now = state
      let present = state[keyPath: database]
      now[keyPath: database].apply(expected.changes.reverting(present, policy))
      for value in values { value.assign(expected.valueChanges, to: &now) }
      isExpected =
        ChangeSet(from: present, to: now[keyPath: database]).isEmpty
        && [any AnyTableChanges](values, from: state, to: now).isEmpty
      if !isExpected { return }
      attachments[CarriedFields.returned] = fields
      state[keyPath: database].apply(wanted.changes.reverting(present, policy))
      for value in values { value.assign(wanted.valueChanges, to: &state) }
    }
    return isExpected ? revision : nil
  }

  /// Commits to the store and returns the revision it became, or the last one if it changed nothing
  /// that is stored.
  private func commit(
    _ trace: CommitTrace,
    _ edit: (inout State, inout CommitAttachments) throws -> Void
  ) throws -> Revision {
    let revision = CommitRevision()
    do {
      let isThere = try connection.withLock { $0 }.commit(trace) { state, attachments in
        attachments[CommitRevision.key] = revision
        try edit(&state, &attachments)
      }
      if !isThere { throw PersistenceError.Reason.storeGone }
    } catch let error as PersistenceError.Reason {
      throw PersistenceError(.appending, path: path, error)
    }
    return revision.number.map { Revision($0) } ?? writer.queue.lastRevision
  }

  /// Reads the file with what decodes its deltas.
  ///
  /// - Parameter unknownFields: Whether `DatabaseDecoder.carried` is wanted.
  package func read<Answer: Sendable>(
    unknownFields: UnknownFieldsPolicy = .ignored,
    _ body: @Sendable @escaping (ReadView, DatabaseDecoder<Database>) throws -> Answer
  ) async throws(PersistenceError) -> Answer {
    let (path, policy) = (writer.path, policy)
    return try await reader.read { view in
      let decoder = try DatabaseDecoder<Database>(
        known: nil,
        of: view.identity.id,
        policy,
        as: .inspecting,
        at: path,
        unknownFields: unknownFields
      )
      return try body(view, decoder)
    }
  }

  /// Writes commits that a question about `point` needs and that still wait in memory.
  package func writePending(for point: HistoryPoint?) async throws(PersistenceError) {
    var target = writer.queue.lastRevision
    switch point {
    case .revision(let revision): target = min(target, revision)
    case .snapshot: return
    case .time, nil: break
    }
    if writer.queue.current.written < target { try await writer.durable(through: target) }
  }
}
