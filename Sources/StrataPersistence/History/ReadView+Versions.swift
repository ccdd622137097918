import Foundation
import StrataBase
import StrataJournal
import StrataNormalization
import StrataRecords

extension ReadView {
  /// The versions of one entity: its value in the oldest snapshot, and every change of it since.
  ///
  /// O(chunks of that snapshot, and all deltas after it); of the chunks one is read, and of the deltas those that
  /// change it, where the file has indexes.
  func versions<Entity: EntityType>(
    of id: EntityID<Entity>,
    in table: String,
    _ policy: StoragePolicy
  ) throws -> [EntityVersion<Entity>] {
    guard let oldest = anchors.last else { throw CorruptionError("it has no snapshot") }
    var records = try EntityDecoder<Entity>(of: table, in: identity.id, policy)
    let wanted = EntityKey(table: table, id: try EncodedID.bytes(of: id.raw)[...])
    var versions: [EntityVersion<Entity>] = []
    if let erasure = try erasure(of: [wanted]) {
      versions.append(
        EntityVersion(
          content: .erased,
          origin: .erasure,
          revisions: erasure.revision...erasure.revision,
          time: erasure.time,
          context: nil
        )
      )
    }
    var cursor = try cursor(oldest, .entities([wanted]))
    while let entity = try cursor.next() {
      guard entity.key == wanted else { continue }
      versions.append(
        EntityVersion(
          content: try put(entity.record, of: wanted, entity.layout, &records),
          origin: .snapshot,
          revisions: oldest.header.revision...oldest.header.revision,
          time: Date(microseconds: oldest.header.time),
          context: nil
        )
      )
    }
    var replay = replay(after: oldest.header)
    while replay.revision < last.revision,
      let (header, blocks) = try replay.next(changing: .entities([wanted]), through: last.revision)
    {
      guard let content = try content(of: wanted, in: blocks, &records) else { continue }
      versions.append(
        EntityVersion(
          content: content,
          origin: .commit(name: header.name, place: header.place),
          revisions: header.first...header.revision,
          time: Date(microseconds: header.time),
          context: try header.commitContexts()[header.revision]
        )
      )
    }
    return versions
  }

  private func content<Entity>(
    of wanted: EntityKey,
    in blocks: [ChangeBlock],
    _ records: inout EntityDecoder<Entity>
  ) throws -> EntityVersion<Entity>.Content? {
    for block in blocks where block.tables.contains(wanted.table) {
      for entry in block.entries where block.id(of: entry) == wanted.id {
        guard block.table(of: entry) == wanted.table else { continue }
        switch entry.change {
        case .put(let layout, let record):
          return try put(block.bytes[record], of: wanted, layout, &records)
        case .remove: return .removed
        case .notPersisted: return .notPersisted
        }
      }
    }
    return nil
  }

  private func put<Entity>(
    _ record: ArraySlice<UInt8>,
    of key: EntityKey,
    _ layout: Int64,
    _ records: inout EntityDecoder<Entity>
  ) throws -> EntityVersion<Entity>.Content {
    do {
      return .put(try records.entity(record, of: key.id, layout, catalog))
    } catch let error as CorruptionError {
      throw error
    } catch {
      let id = EncodedID.text(of: key.id)
      return .undecodable(PersistenceError.Reason(reading: error, table: key.table, id: id))
    }
  }
}
