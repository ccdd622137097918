import Foundation
import StrataBase
import StrataNormalization
import StrataRecords

/// Reads stored deltas as change sets of this build's types.
struct DeltaDecoder<Database: DatabaseType> {
  private let path: StorePath
  private var byName: [String: any TableChangesLoading] = [:]

  /// - Parameter store: the identity of the store whose deltas they are.
  init(_ path: StorePath, _ keeping: Keeping, of store: UUID) throws {
    self.path = path
    for table in Database.schema.tables(in: keeping) {
      byName[table.name.text] = try table.makeChangesLoader(of: store, keeping)
    }
    for value in keeping.values.tables {
      byName[value.table.text] = value.makeChangesLoader(of: store, keeping)
    }
  }

  /// O(entities of the delta); those of tables this build does not know are left out.
  func decode(_ header: DeltaHeader, _ parts: [Part], _ catalog: LayoutCatalog) throws -> Delta {
    var notPersisted: [NotPersisted] = []
    for part in parts {
      for entry in part.entries {
        let table = part.table(of: entry)
        guard let loader = byName[table] else { continue }
        let id = part.id(of: entry)
        do {
          switch entry.change {
          case .put(let layout, let record):
            try loader.put(part.bytes[record], of: id, layout, catalog)
          case .remove: try loader.remove(id)
          case .notPersisted:
            notPersisted.append(
              NotPersisted(table: table, id: EncodedID.text(of: id), reason: "encode(to:) threw")
            )
          }
        } catch let error as DamageFound {
          throw error
        } catch {
          throw PersistenceError(
            .inspecting,
            path: path.file,
            .init(reading: error, table: table, id: EncodedID.text(of: id))
          )
        }
      }
    }
    let all = ChangeSet(
      tables: byName.values.compactMap { $0.finish() }.sorted { $0.table < $1.table }
    )
    return Delta(
      revisions: header.first...header.revision,
      time: Date(microseconds: header.time),
      name: header.name,
      place: header.place,
      changes: all.filter { StoredValues.name(ofTable: $0.text) == nil },
      valueChanges: all.filter { StoredValues.name(ofTable: $0.text) != nil },
      notPersisted: notPersisted
    )
  }
}

/// Collects the changes of one table.
protocol TableChangesLoading: AnyObject {
  func put(
    _ record: ArraySlice<UInt8>,
    of id: ArraySlice<UInt8>,
    _ layout: Int64,
    _ catalog: LayoutCatalog
  ) throws
  func remove(_ id: ArraySlice<UInt8>) throws
  /// Whether the last record is stored as the table's are to be.
  var isAsKept: Bool { get }
  /// What was collected since the last call; nil for nothing.
  func finish() -> (any AnyTableChanges)?
}

extension SchemaTable {
  func makeChangesLoader(of store: UUID, _ keeping: Keeping) throws -> any TableChangesLoading {
    try TableChangesLoader<Entity>(name, EntityRecords(of: name.text, in: store, keeping))
  }
}

extension AnyTableChanges {
  /// A loader for a persisted value: what its records lack is taken from the one that is put here.
  func makeChangesLoader(of store: UUID, _ keeping: Keeping) -> any TableChangesLoading {
    var initial: Entity?
    for case .put(let value) in changes { initial = value }
    return TableChangesLoader<Entity>(
      table,
      EntityRecords(of: table.text, in: store, keeping, over: initial)
    )
  }
}

private final class TableChangesLoader<Entity: EntityType>: TableChangesLoading {
  private let table: TableName
  private var records: EntityRecords<Entity>
  private var changes: [EntityChange<Entity>] = []

  init(_ table: TableName, _ records: EntityRecords<Entity>) {
    self.table = table
    self.records = records
  }

  var isAsKept: Bool { records.isAsKept }

  func put(
    _ record: ArraySlice<UInt8>,
    of id: ArraySlice<UInt8>,
    _ layout: Int64,
    _ catalog: LayoutCatalog
  ) throws {
    changes.append(.put(try records.entity(record, of: id, layout, catalog)))
  }

  func remove(_ id: ArraySlice<UInt8>) throws {
    changes.append(.remove(EntityID(try EncodedID.decode(Entity.RawID.self, from: Array(id)))))
  }

  func finish() -> (any AnyTableChanges)? {
    defer { changes = [] }
    return changes.isEmpty ? nil : TableChanges(table: table, changes: changes)
  }
}
