import StrataJournal
import StrataNormalization
import StrataRecords
import StrataStorage

extension EntityEncoder {
  /// Appends the record of an entity, redacted and sealed as the options of its table require, and
  /// returns the number of its layout.
  ///
  /// Throws if the entity's `encode(to:)` or its sealing throws; then `bytes` is as it was.
  ///
  /// - Parameters:
  ///   - unknown: fields that this build does not know and the record keeps.
  ///   - id: the encoded ID of the entity.
  mutating func encode<Entity: EntityType>(
    _ entity: Entity,
    _ unknown: UnknownFields?,
    id: [UInt8],
    table: String,
    _ transform: TableTransform<Entity>?,
    into bytes: inout [UInt8]
  ) throws(EncodingFailure) -> Int64 {
    try Self.check(id, of: entity.id)
    guard let transform else { return try encode(entity, unknown, table: table, into: &bytes) }
    let redacted: Entity
    do throws(TableTransform<Entity>.IDChanged) {
      redacted = try transform.redacted(entity)
    } catch {
      throw .refused("\(error)")
    }
    guard let sealing = transform.seal?.forWriting else {
      return try encode(redacted, unknown, table: table, into: &bytes)
    }
    var record: [UInt8] = []
    let inner = try encode(redacted, unknown, table: table, into: &record)
    let context = RecordContext(store: store, table: table, id: id)
    let sealed: [UInt8]
    let layout: Layout
    do {
      sealed = try SealedRecord.seal(record, inner, with: sealing, context)
      layout = try SealedRecord.layout()
    } catch {
      throw .refused("it could not be sealed: \(error)")
    }
    try Self.checkSize(sealed.count)
    SealedRecord.append(sealed, to: &bytes)
    return try number(of: layout, table: table)
  }

  /// Refuses an entity whose ID would come back with other bytes: nothing would find it under them.
  private static func check<Entity>(
    _ bytes: [UInt8],
    of id: EntityID<Entity>
  ) throws(EncodingFailure) {
    do {
      if try EncodedID.isKept(bytes, by: Entity.RawID.self) { return }
    } catch {
      throw .refused("its ID \(id) cannot be decoded: \(error)")
    }
    throw .refused(
      """
      its ID \(id) has other bytes when it is decoded and encoded again, so it would not be found: let \
      \(Entity.RawID.self) encode equal values alike, or conform to UnorderedCodable
      """
    )
  }

  private mutating func encode(
    _ entity: some EntityType,
    _ unknown: UnknownFields?,
    table: String,
    into bytes: inout [UInt8]
  ) throws(EncodingFailure) -> Int64 {
    guard let unknown else { return try encode(entity, table: table, into: &bytes) }
    return try encode(CarryingUnknownFields(entity, unknown), table: table, into: &bytes)
  }

  /// The entities as a new file stores them, in no particular order.
  ///
  /// Throws `PersistenceError.Reason` for one that cannot be encoded.
  mutating func stored<Entity: EntityType>(
    _ entities: some Sequence<Entity>,
    in table: String,
    _ policy: StoragePolicy
  ) throws -> [StoredEntity] {
    let transform: TableTransform<Entity>? = policy.transform(of: table)
    return try entities.map { entity in
      let id = try EncodedID.bytes(of: entity.id.raw)
      var record: [UInt8] = []
      do throws(EncodingFailure) {
        let layout = try encode(entity, nil, id: id, table: table, transform, into: &record)
        return StoredEntity(table: table, id: id[...], layout: layout, record: record[...])
      } catch {
        switch error {
        case .refused(let reason):
          let entity = NotPersisted(table: table, id: "\(entity.id)", reason: reason)
          throw PersistenceError.Reason.notPersisted([entity])
        case .sqlite(let error): throw error
        }
      }
    }
  }
}

extension SchemaTable {
  /// Adds the table's entities to the first snapshot of a store.
  func add(
    _ database: Database,
    to snapshot: inout InitialSnapshot,
    _ policy: StoragePolicy
  ) throws {
    try snapshot.add(table: name.text) { encoder in
      try encoder.stored(database[keyPath: path], in: name.text, policy)
    }
  }
}

extension AnyTableChanges {
  /// Adds the put entities to the first snapshot of a store.
  func add(to snapshot: inout InitialSnapshot, _ policy: StoragePolicy) throws {
    let entities = changes.compactMap { change in
      if case .put(let entity) = change { entity } else { nil }
    }
    try snapshot.add(table: table.text) { encoder in
      try encoder.stored(entities, in: table.text, policy)
    }
  }
}
