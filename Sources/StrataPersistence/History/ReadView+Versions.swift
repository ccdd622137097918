import Foundation
import StrataBase
import StrataJournal
import StrataNormalization
import StrataRecords

extension ReadView {
  /// The versions of one entity: its value in the oldest snapshot, and every change of it since.
  ///
  /// Those that it had before a migration gave it its ID or its table come first.
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
    let boundaries = try MigrationBoundaries(in: journal.connection)
    let all = try all(of: wanted, found)
    let changes = Set(all.flatMap { $0.of.commits.map(\.revision) })
    for (key, found, own) in all {
      for version in own {
        let commit = version.commit.map { found.commits[$0] }
        let revision = commit?.revision ?? oldest.revision
        // One that has not changed the entity has left its shape too.
        let migration = boundaries.after(revision).first { changes.contains($0.revision) }
        let content: EntityVersion<Entity>.Content =
          switch version.content {
          case .put(let layout, let record):
            if let migration {
              .earlier(try earlier(record[...], layout, of: key, before: migration.migration))
            } else {
              try put(record[...], of: key, layout, &records)
            }
          case .removed: .removed
          case .notPersisted: .notPersisted
          }
        versions.append(
          EntityVersion(
            content: content,
            origin: commit.map { .commit(name: $0.name, place: $0.place) } ?? .snapshot,
            revisions: (commit?.first ?? revision)...revision,
            time: Date(microseconds: commit?.time ?? oldest.time),
            context: try commit?.commitContexts()[revision]
          )
        )
      }
    }
    return versions
  }

  /// The versions that an entity had under each of its keys, the first key first.
  private func all(
    of key: EntityKey,
    _ versions: EntityVersions
  ) throws -> [(key: EntityKey, of: EntityVersions, versions: [EntityVersions.Version])] {
    var records = FormerRecords(in: self, .entity)
    var all = [(key: key, of: versions, versions: versions.versions(of: key.id))]
    while let first = all.first,
      let former = try records.former(of: first.key.id, first.of)
    {
      let key = former.entity.key
      let before = former.versions.versions(of: key.id, before: former.commit.revision)
      all.insert((key, former.versions, before), at: 0)
    }
    return all
  }

  private func earlier(
    _ record: ArraySlice<UInt8>,
    _ layout: Int64,
    of key: EntityKey,
    before migration: String
  ) throws -> EarlierRecord {
    EarlierRecord(
      migration: migration,
      table: key.table,
      id: try EncodedID.value(of: Array(key.id)),
      fields: .object(.init(try catalog.members(layout, record, of: key.table)))
    )
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
