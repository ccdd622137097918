import StrataBase
public import StrataJournal
@_exported public import StrataMaintaining
public import StrataNormalization
@_exported public import StrataPersistence
import StrataRecords
import StrataStorage

extension Persistence {
  /// Removes every trace of entities from the file: what the law may demand.
  ///
  /// ```swift
  /// store.commit("forget") { $0.db.users.remove("ada") }
  /// let report = try await persistence.erase([User.ID("ada")])
  /// for copy in report.copies { print("\(copy.path) still holds it") }
  /// ```
  ///
  /// Their records and IDs leave the deltas, the snapshots and the free pages, and with them the contexts of
  /// the commits that changed them. All else is written into a new file as it is, in a new lineage: the
  /// hashes from the first of these deltas on are computed again, and the file says so. The new file is verified
  /// before it takes the place of the old one; a crash leaves one or the other. The history of an erased
  /// entity says that it was erased, and nothing more. What an entity was before a migration gave it another ID, or its
  /// table another name, goes too.
  ///
  /// The entities must have been removed by a commit. The names and places of commits stay, and so do the
  /// scripts of migrations and what other entities say of them. Copies elsewhere are not changed: the report names
  /// those beside the store.
  /// An archive gets the rewritten history next: `replicated(through:within:)` returns once it has nothing else.
  /// A disk may keep freed blocks. An `UndoStack` and other values in memory are not touched.
  ///
  /// O(file), several times over. Commits wait in memory meanwhile, and reading the history throws `.busy`.
  /// The file may need its size once more on the disk.
  ///
  /// - Parameters:
  ///   - ids: The IDs of the entities.
  ///   - table: One of several tables of the type.
  ///   - references: What to do if entities of the database refer to one of them.
  ///
  /// Throws `PersistenceError`: `.refused` for an entity that is still in the database or that others refer to,
  /// `.notThere` for an entity that has left no trace in the file, and `.disk`. Then nothing was erased, except after
  /// an error of the disk when the new file was in place: call it again, which is no error for an entity that was
  /// erased.
  @discardableResult
  public func erase<Entity: EntityType>(
    _ ids: [EntityID<Entity>],
    in table: TableName? = nil,
    references: ReferencePolicy = .refuse
  ) async throws(PersistenceError) -> ErasureReport {
    if writer.configuration.restore == .readOnly {
      throw PersistenceError(.erasing, path: path, .readOnly)
    }
    let name = try tableName(of: Entity.self, or: table).text
    var entities: [ErasedEntities.Entity] = []
    do {
      for id in ids {
        entities.append(.init(table: name, encodedID: try EncodedID.bytes(of: id.raw)))
      }
    } catch {
      throw PersistenceError(.erasing, path: path, wrapping: error)
    }
    let erased = ErasedEntities(entities)
    return try await rewriteHistory(because: "entities are being erased") {
      writer throws(PersistenceError) in
      try await writer.erase(erased, references)
    }
  }
}

extension Persistence {
  /// Removes all history: what remains is a snapshot of everything committed before the call, and
  /// the named snapshots.
  ///
  /// Call it to make a file small: before it is sent somewhere, or after much was removed.
  /// **History is lost**: from now on `state(at:)`, `deltas` and `revert` reach back to this
  /// moment, and the contents of old deltas and snapshots are no longer in the file. A disk may
  /// keep freed blocks.
  ///
  /// The snapshot is read back and verified before anything is removed. A crash in between leaves
  /// an intact store with more or less of its history. Deltas that a reader of the history in this
  /// process has not read yet stay. O(entities + history); commits wait in memory meanwhile.
  ///
  /// Throws `PersistenceError` while the disk fails, and for a file that is closed, suspended or
  /// open for reading only.
  @discardableResult
  public func compact() async throws(PersistenceError) -> Compaction {
    if writer.configuration.restore == .readOnly {
      throw PersistenceError(.compacting, path: path, .readOnly)
    }
    return Compaction(try await writer.compact())
  }
}

/// The result of a compaction.
public struct Compaction: Sendable, Equatable {
  /// The snapshot of everything committed before, which was taken or existed already.
  public let snapshot: Revision
  /// The start of the history that is left: of earlier states only named snapshots are left.
  ///
  /// Earlier than `snapshot` if history was being read.
  public let historyFrom: Revision
  /// The size of the database file and SQLite's WAL before.
  public let bytesBefore: Int64
  /// Their size afterwards.
  public let bytesAfter: Int64

  init(_ result: (Revision, Revision, Int64, Int64)) {
    (snapshot, historyFrom, bytesBefore, bytesAfter) = result
  }
}
