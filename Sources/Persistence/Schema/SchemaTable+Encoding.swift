import StrataMigrations
import StrataNormalization
import StrataSQLite

/// Turns entities into stored records: one record writer a table, new layouts into the file.
struct EntityEncoder {
  /// A record larger than this is refused, so that no part outgrows what SQLite stores in a row.
  static let recordLimit = 32 << 20

  private var writers: [String: RecordWriter]

  /// Goes on with the layouts the tables used last.
  init(resuming layouts: [String: Layout]) {
    writers = layouts.mapValues { RecordWriter(resuming: $0) }
  }

  /// Appends an entity's record to `bytes` and gives the number of its layout.
  ///
  /// Throws what the entity's `encode(to:)` throws; then `bytes` is as it was.
  mutating func encode(
    _ entity: some Encodable,
    table: String,
    into bytes: inout [UInt8],
    _ catalog: inout LayoutCatalog,
    _ connection: Connection
  ) throws(EncodingFailure) -> Int64 {
    let start = bytes.count
    let layout: Layout
    do {
      layout = try writers[table, default: RecordWriter(resuming: nil)].encode(entity, into: &bytes)
    } catch {
      throw .refused("\(error)")
    }
    if bytes.count - start > Self.recordLimit {
      bytes.removeLast(bytes.count - start)
      throw .refused("its record is larger than \(Self.recordLimit >> 20) MB")
    }
    do {
      return try catalog.number(of: layout, table: table, in: connection)
    } catch {
      throw .sqlite(error)
    }
  }
}

/// Why an entity has no record.
enum EncodingFailure: Error {
  /// Its own `encode(to:)` threw, or it is too large: a matter of this entity alone.
  case refused(String)
  /// The file could not take its layout.
  case sqlite(SQLiteError)
}

extension SchemaTable {
  /// Every entity of the table as stored, in no order.
  func stored(
    in database: Database,
    _ encoder: inout EntityEncoder,
    _ catalog: inout LayoutCatalog,
    _ connection: Connection
  ) throws -> [StoredEntity] {
    try database[keyPath: path].map {
      try encoder.stored($0, in: name.text, &catalog, connection)
    }
  }
}

extension AnyTableChanges {
  /// Every entity that is put, as stored, in no order.
  func stored(
    _ encoder: inout EntityEncoder,
    _ catalog: inout LayoutCatalog,
    _ connection: Connection
  ) throws -> [StoredEntity] {
    var stored: [StoredEntity] = []
    for case .put(let entity) in changes {
      stored.append(try encoder.stored(entity, in: table.text, &catalog, connection))
    }
    return stored
  }
}

extension EntityEncoder {
  /// An entity as a new file has it.
  ///
  /// - Throws: `PersistenceError.Reason.Refusal` where it cannot be encoded.
  fileprivate mutating func stored<Entity: EntityType>(
    _ entity: Entity,
    in table: String,
    _ catalog: inout LayoutCatalog,
    _ connection: Connection
  ) throws -> StoredEntity {
    let id = try EncodedID.bytes(of: entity.id.raw)
    var record: [UInt8] = []
    do {
      let layout = try encode(entity, table: table, into: &record, &catalog, connection)
      return StoredEntity(table: table, id: id[...], layout: layout, record: record[...])
    } catch EncodingFailure.refused(let reason) {
      let entity = NotPersisted(table: table, id: "\(entity.id)", reason: reason)
      throw PersistenceError.Reason.Refusal(.notPersisted([entity]))
    }
  }
}
