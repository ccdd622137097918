import Foundation
import StrataBase
import StrataCore
public import StrataNormalization
public import StrataStorage

extension Persistence {
  /// The database as it was at a point of its history: a value, which changes nothing.
  ///
  /// ```swift
  /// let yesterday = try await persistence.state(at: .time(.now - 86_400))
  /// let before = try await persistence.state(at: .snapshot("before-upgrade"))
  /// ```
  ///
  /// O(the nearest snapshot before it, and the deltas from there on); the writer and committers go on
  /// meanwhile. Commits made before the call count, so it may flush first. Tables that the file did
  /// not have by then are empty, and so are excluded ones.
  ///
  /// Throws ``PersistenceError`` with the reason `.notReached`, `.trimmed`, `.beforeHistory`,
  /// `.merged` (the revision lies inside commits that became one delta while the disk refused),
  /// `.notFound` for a name, or what reading the file says.
  public func state(at point: HistoryPoint) async throws(PersistenceError) -> Database {
    try await contents(at: point).database
  }

  /// The database and the values that the file had at a point.
  func contents(
    at point: HistoryPoint
  ) async throws(PersistenceError) -> (database: Database, values: ChangeSet) {
    try await writeWhatWaits(for: point)
    let (path, policy) = (writer.path, policy)
    return try await reader.read { view in
      try view.contents(
        at: try view.revision(of: point),
        over: Database(),
        policy,
        path
      )
    }
  }

  /// The deltas from one revision to another, both included: what was committed, one by one.
  ///
  /// ```swift
  /// for try await delta in persistence.deltas(from: 100, to: 200) {
  ///   print(delta.revision, delta.time, delta.name, delta.changes)
  /// }
  /// ```
  ///
  /// Without bounds it is all that is kept at the moment of the first one. They are read as they are
  /// asked for, about a megabyte at a time, each proved by its hash, and nothing is trimmed that an
  /// iterator has not come past.
  ///
  /// Its iterator throws ``PersistenceError`` with the reason `.notReached`, `.trimmed` or `.merged`,
  /// or what reading the file says.
  public func deltas(
    from first: Revision? = nil,
    to last: Revision? = nil
  ) -> Deltas<State, Database> {
    Deltas(of: self, from: first, to: last)
  }

  /// Every version of one entity that is kept, the oldest first.
  ///
  /// The first one may come from the oldest snapshot; after it come the commits that put or removed
  /// the entity. Empty for one that never was. Name the table where the type is in several. O(journal).
  ///
  /// Throws ``PersistenceError`` with the reason `.notFound` for a table that is not in the schema, or
  /// what reading the file says.
  public func history<Entity: EntityType>(
    of id: EntityID<Entity>,
    in table: TableName? = nil
  ) async throws(PersistenceError) -> [EntityVersion<Entity>] {
    let name = table ?? Entity.tableName
    guard Database.schema.table(named: name) is Entities<Database, Entity> else {
      throw PersistenceError(
        .inspecting,
        path: path,
        .notFound("table \(name) of \(Entity.self) in the schema of \(Database.self)")
      )
    }
    try await writeWhatWaits(for: nil)
    let policy = policy
    return try await reader.read { view in try view.versions(of: id, in: name.text, policy) }
  }

  /// Makes the store's database and persisted values what they were at a point of its history, as one
  /// new commit.
  ///
  /// Nothing of the history goes: it is a commit like any other, and `revert` back is one too. What is
  /// not kept stays as it is, and so does a value that the file did not have by then. O(entities) under
  /// the edit lock, to compare.
  ///
  /// Gives the revision it became, or the last one when nothing differed.
  ///
  /// Throws what `state(at:)` throws, and what a rule of the database says against it; then nothing
  /// has happened. Before there is a store it traps.
  @discardableResult
  public func revert(
    to point: HistoryPoint,
    name: String? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) async throws -> Revision {
    let then = try await contents(at: point)
    let trace = CommitTrace(
      name: name ?? "revert to \(point)",
      fileID: fileID,
      function: function,
      line: line
    )
    return try commit(trace) { state in
      let now = state[keyPath: database]
      let changes = ChangeSet(from: now, to: then.database)
      state[keyPath: database].apply(changes.reverting(now, policy))
      for value in values { value.place(then.values, in: &state) }
    }
  }

  /// Commits to the store; gives the revision that it became, or the last one when
  /// it changed nothing that is kept.
  private func commit(
    _ trace: CommitTrace,
    _ edit: (inout State) throws -> Void
  ) throws -> Revision {
    let ticket = CommitTicket()
    do {
      try connection.withLock { $0 }.commit(trace) { state, attachments in
        attachments[CommitTicket.key] = ticket
        try edit(&state)
      }
    } catch let error as PersistenceError.Reason {
      throw PersistenceError(.appending, path: path, error)
    }
    return ticket.revision ?? writer.queue.lastRevision
  }

  /// Sees to it that what was committed before can be read.
  func writeWhatWaits(for point: HistoryPoint?) async throws(PersistenceError) {
    var target = writer.queue.lastRevision
    switch point {
    case .revision(let revision): target = min(target, revision)
    case .snapshot: return
    case .time, nil: break
    }
    if writer.queue.current.written < target { try await writer.durable(through: target) }
  }
}

extension HistoryPoint: CustomStringConvertible {
  /// `revision 12`, `2026-11-21T13:03:00Z`, `snapshot “before-upgrade”`.
  public var description: String {
    switch self {
    case .revision(let revision): "revision \(revision)"
    case .time(let time): time.formatted(.iso8601)
    case .snapshot(let name): "snapshot “\(name)”"
    }
  }
}
