import StrataArchive
import StrataBase
public import StrataJournal
public import StrataNormalization
import StrataRecords
public import StrataStorage

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
  /// the commits that changed them. All else is written into a new file as it is, in a new epoch: the
  /// hashes from the first of these deltas on are computed again, and the file says so. The new file is verified
  /// before it takes the place of the old one; a crash leaves one or the other. The history of an erased
  /// entity says that it was erased, and nothing more.
  ///
  /// The entities must have been removed by a commit. The names and places of commits stay, and so do the
  /// scripts of migrations and what other entities say of them. Copies elsewhere are not changed: the report names those beside the store.
  /// An archive gets the rewritten history next: ``replicated(through:within:)`` returns once it has nothing else.
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
  /// Throws `PersistenceError`: `.stillPresent`, `.stillReferenced`, `.notFound` for an entity of which
  /// there is no trace, and for the disk. Then nothing was erased, except after an error of the disk when the
  /// new file was in place: call it again, which is no error for an entity that was erased.
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
    await reader.stop(.busy("entities are being erased"))
    await shipper?.suspend(.busy("entities are being erased"))
    let result: Result<ErasureReport, PersistenceError>
    do throws(PersistenceError) {
      result = .success(try await writer.erase(ErasedEntities(entities), references))
    } catch {
      result = .failure(error)
    }
    // Also after an error: the file may have been replaced.
    recent.withLock { $0.forgetEarlier() }
    await reader.resume()
    await shipper?.resume(isRewritten: true)
    return try result.get()
  }
}
