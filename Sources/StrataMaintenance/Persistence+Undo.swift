import StrataBase
public import StrataCore
public import StrataEntityStore
public import StrataJournal
public import StrataMaintaining
public import StrataNormalization
public import StrataPersistence
import StrataStorage

extension Persistence {
  /// Takes commits back, by a commit that gives the entities and values that they changed what these were before.
  ///
  /// ```swift
  /// try await persistence.undo([25, 26])                      // what was wrong
  /// try await persistence.undo([31], conflicts: .overwrite)   // and what others have made of it
  /// try await persistence.undo([33], in: "tasks")             // but not the counter of their numbers
  /// ```
  ///
  /// It needs no `UndoStack`: the commits may be of any launch, as long as the history has them, and the new commit can be
  /// undone too. What other commits have written since is not touched. Rules of the database act on the new commit, and may
  /// refuse it. Excluded tables stay as they are. A field that this build does not know comes back with its entity where the
  /// record from before has it; where only such a field differs, it stays, and `strata undo` takes it back.
  /// O(deltas since the first of the commits), not under the edit lock.
  ///
  /// - Parameters:
  ///   - commits: The revisions of the commits.
  ///   - table: Only what they changed in this table; nil for all tables and values.
  ///   - conflicts: What to do about an entity that another commit has changed since.
  ///   - references: What to do if a reference would lead nowhere.
  ///   - name: The name of the new commit; nil for one that names the revisions.
  ///   - context: Who wants it, and why.
  ///   - fileID: The place of the new commit.
  ///   - function: The place of the new commit.
  ///   - line: The place of the new commit.
  /// - Returns: The revision it became, or the last one if nothing differs.
  ///
  /// Throws `PersistenceError`: `.refused` for a conflict, a reference that would lead nowhere, a migration of one of the
  /// tables since, and a part of commits that became one delta while the disk failed; `.notThere` for a revision that is not
  /// in the history, and a table that is not in the schema; `.busy` if commits change the same entities all the time; or an
  /// error of reading the file. Throws the violation of a rule too. Then nothing was changed. Traps before there is a store.
  @discardableResult
  public func undo(
    _ commits: [Revision],
    in table: TableName? = nil,
    conflicts: UndoConflict = .refuse,
    references: ReferencePolicy = .refuse,
    name: String? = nil,
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) async throws -> Revision {
    if let table, Database.schema.table(named: table) == nil {
      throw PersistenceError(
        .appending,
        path: path,
        .notFound("table \(table) in the schema of \(Database.self)")
      )
    }
    let ranges = Set(commits).sorted().map { $0...$0 }
    let undo = CommitUndo(
      of: .revisions(ranges),
      table.map { .table($0.text) } ?? .all,
      conflicts: conflicts == .overwrite ? .overwrite : .refuse,
      references: references
    )
    let trace = CommitTrace(
      ofCommit: name ?? "undo \(CommitUndo.text(ranges))",
      context,
      at: CommitPlace(fileID, function, line)
    )
    // A commit between reading the file and the new commit may change one of the entities.
    for _ in 0..<Self.undoAttempts {
      try await writePending(for: nil)
      let (now, then, fields) = try await records(of: undo, conflicts)
      if let revision = try replace(now, by: then, trace, carrying: fields) {
        return revision
      }
    }
    throw PersistenceError(
      .appending,
      path: path,
      .busy("other commits change the same entities all the time")
    )
  }

  /// How often an undo is tried while other commits change the same entities.
  package static var undoAttempts: Int { 10 }

  /// What the entities are, what they get, and the fields of that which this build does not know.
  private func records(
    of undo: CommitUndo,
    _ conflicts: UndoConflict
  ) async throws(PersistenceError) -> (now: Delta, then: Delta, fields: CarriedFields) {
    try await read(unknownFields: .collected) { view, decoder in
      let merge = try undo.merge(in: view)
      let refused = merge.result.refusals
      let changed = merge.result.changes.filter { $0.standing == .conflict && conflicts == .refuse }
      let named = changed.prefix(20).map {
        "revision \($0.changedSince?.revision ?? 0) has changed \($0.name) since"
      }
      guard refused.isEmpty, named.isEmpty else {
        throw MaintenanceError.notUndone(refused: refused, conflicts: named)
      }
      let blocks = try merge.blocks(in: view)
      guard let header = try view.journal.last()?.header else {
        throw CorruptionError("the journal has no delta")
      }
      let now = try decoder.decode(header, [blocks.now], view.catalog)
      let then = try decoder.decode(header, [blocks.then], view.catalog)
      return (now, then, decoder.carried)
    }
  }
}
