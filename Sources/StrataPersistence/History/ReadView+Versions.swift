import Foundation
import StrataBase
import StrataNormalization
import StrataRecords
import StrataStorage

extension ReadView {
  /// The versions of one entity: how the oldest snapshot has it, and every change of it since.
  ///
  /// O(that snapshot, and all deltas after it).
  func versions<Entity: EntityType>(
    of id: EntityID<Entity>,
    in table: String,
    _ policy: StoragePolicy
  ) throws -> [EntityVersion<Entity>] {
    guard let oldest = anchors.last else { throw CorruptionError("it has no snapshot") }
    var records = try EntityDecoder<Entity>(of: table, in: identity.id, policy)
    let wanted = EntityKey(table: table, id: try EncodedID.bytes(of: id.raw)[...])
    var versions: [EntityVersion<Entity>] = []
    var cursor = try cursor(oldest)
    while let entity = try cursor.next(), !(wanted < entity.key) {
      guard entity.key == wanted else { continue }
      versions.append(
        EntityVersion(
          content: .put(try records.entity(entity.record, of: entity.id, entity.layout, catalog)),
          origin: .snapshot,
          revisions: oldest.header.revision...oldest.header.revision,
          time: Date(microseconds: oldest.header.time)
        )
      )
    }
    var replay = replay(after: oldest.header)
    while replay.revision < last.revision, let (header, blocks) = try replay.next() {
      guard let content = try content(of: wanted, in: blocks, &records) else { continue }
      versions.append(
        EntityVersion(
          content: content,
          origin: .commit(name: header.name, place: header.place),
          revisions: header.first...header.revision,
          time: Date(microseconds: header.time)
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
          return .put(try records.entity(block.bytes[record], of: wanted.id, layout, catalog))
        case .remove: return .removed
        case .notPersisted: return .notPersisted
        }
      }
    }
    return nil
  }
}
