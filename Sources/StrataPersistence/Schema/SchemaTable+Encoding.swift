import Foundation
import StrataNormalization
import StrataRecords
import StrataSQLite

/// Turns entities into stored records: one record writer a table, new layouts into the file.
struct EntityEncoder {
  /// A record larger than this is refused, so that no part outgrows what SQLite stores in a row.
  static let recordLimit = 32 << 20

  private var writers: [String: RecordWriter]
  private let keeping: Keeping
  private let store: UUID

  /// Goes on with the layouts the tables used last.
  ///
  /// - Parameter store: the identity of the store whose file it is.
  init(resuming layouts: [String: Layout], _ keeping: Keeping, of store: UUID) {
    self.keeping = keeping
    self.store = store
    writers = layouts.mapValues { RecordWriter(resuming: $0) }
  }

  /// Appends the record of an entity, as the table's is to be, and gives the number of its layout.
  ///
  /// Throws what the entity's `encode(to:)` throws, or its seal; then `bytes` is as it was.
  ///
  /// - Parameter id: the entity's, encoded.
  mutating func encode<Entity: EntityType>(
    _ entity: Entity,
    id: [UInt8],
    table: String,
    into bytes: inout [UInt8],
    _ catalog: inout LayoutCatalog,
    _ connection: Connection
  ) throws(EncodingFailure) -> Int64 {
    guard !keeping.treatsNothing,
      let treatment: TableTreatment<Entity> = keeping.treatment(of: table)
    else {
      return try encode(entity, table: table, into: &bytes, &catalog, connection)
    }
    let redacted: Entity
    do throws(TableTreatment<Entity>.IDChanged) {
      redacted = try treatment.redacted(entity)
    } catch {
      throw .refused("\(error)")
    }
    guard let sealing = treatment.seal?.forWriting else {
      return try encode(redacted, table: table, into: &bytes, &catalog, connection)
    }
    var record: [UInt8] = []
    let inner = try encode(redacted, table: table, into: &record, &catalog, connection)
    let context = RecordContext(store: store, table: table, id: id)
    let sealed: [UInt8]
    let layout: Layout
    do {
      sealed = try sealing.seal(SealedRecord.contents(inner, record), context: context)
      layout = try SealedRecord.layout()
    } catch {
      throw .refused("it could not be sealed: \(error)")
    }
    try Self.checkSize(sealed.count)
    SealedRecord.append(sealed, to: &bytes)
    return try Self.number(of: layout, table: table, &catalog, connection)
  }

  private static func checkSize(_ size: Int) throws(EncodingFailure) {
    guard size > recordLimit else { return }
    throw .refused("its record is larger than \(recordLimit >> 20) MB")
  }

  private static func number(
    of layout: Layout,
    table: String,
    _ catalog: inout LayoutCatalog,
    _ connection: Connection
  ) throws(EncodingFailure) -> Int64 {
    do {
      return try catalog.number(of: layout, table: table, in: connection)
    } catch {
      throw .sqlite(error)
    }
  }

  /// Appends an entity's record as it is.
  private mutating func encode(
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
    do {
      try Self.checkSize(bytes.count - start)
    } catch {
      bytes.removeLast(bytes.count - start)
      throw error
    }
    return try Self.number(of: layout, table: table, &catalog, connection)
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
      let layout = try encode(entity, id: id, table: table, into: &record, &catalog, connection)
      return StoredEntity(table: table, id: id[...], layout: layout, record: record[...])
    } catch EncodingFailure.refused(let reason) {
      let entity = NotPersisted(table: table, id: "\(entity.id)", reason: reason)
      throw PersistenceError.Reason.Refusal(.notPersisted([entity]))
    }
  }
}
