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
    guard let oldest = anchors.last?.header else { throw CorruptionError("it has no snapshot") }
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
    let found = try EntityVersions(
      of: table,
      .ids([Array(wanted.id)]),
      from: state(at: oldest.revision, scope: .entities([wanted])),
      through: last.revision,
      in: self
    )
    for version in found.versions[Array(wanted.id)] ?? [] {
      let content: EntityVersion<Entity>.Content =
        switch version.content {
        case .put(let layout, let record): try put(record[...], of: wanted, layout, &records)
        case .removed: .removed
        case .notPersisted: .notPersisted
        }
      if let commit = version.commit.map({ found.commits[$0] }) {
        versions.append(
          EntityVersion(
            content: content,
            origin: .commit(name: commit.name, place: commit.place),
            revisions: commit.first...commit.revision,
            time: Date(microseconds: commit.time),
            context: try commit.commitContexts()[commit.revision]
          )
        )
      } else {
        versions.append(
          EntityVersion(
            content: content,
            origin: .snapshot,
            revisions: oldest.revision...oldest.revision,
            time: Date(microseconds: oldest.time),
            context: nil
          )
        )
      }
    }
    return versions
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
      return .undecodable(PersistenceError.Reason(reading: error, table: key.table, id: id).text)
    }
  }
}
