import StrataJournal
import StrataRecords
import StrataStorage

/// Sealed records, as a step that can open them sees and stores them.
extension MigrationWorkspace {
  /// Whether a table has sealed records; O(layouts) unless it has had some.
  func isSealed(_ table: String) throws -> Bool {
    if sealing(of: table) != nil { return true }
    guard layouts(of: table).contains(where: { $0.value.isOfSealedRecords }) else { return false }
    var scan = scan(table)
    while let entity = try scan.next() {
      if try layout(entity.layout).isOfSealedRecords { return true }
    }
    return false
  }

  /// Refuses a table with sealed records that the step cannot open.
  func checkIsReadable(_ table: String) throws {
    guard sealing(of: table) == nil, try isSealed(table) else { return }
    throw DataMigrationError.sealed(table: table)
  }

  /// An entity as the step sees it: opened, if it can open the sealed records of the table.
  func opened(_ entity: StoredEntity) throws -> StoredEntity {
    guard let sealing = sealing(of: entity.table), try layout(entity.layout).isOfSealedRecords
    else {
      return entity
    }
    let context = context(of: Array(entity.id), in: entity.table)
    do {
      let (layout, record) = try SealedRecord.open(entity.record, with: sealing, context)
      return StoredEntity(table: entity.table, id: entity.id, layout: layout, record: record)
    } catch {
      let id = EncodedID.text(of: entity.id)
      throw MigrationStepError("\(entity.table) \(id) could not be opened: \(error)")
    }
  }

  /// A record as it is stored: sealed, if the step seals those of the table.
  func sealed(
    _ record: (layout: Int64, bytes: [UInt8]),
    id: [UInt8],
    in table: String
  ) throws -> (layout: Int64, bytes: [UInt8]) {
    guard let sealing = sealing(of: table), try !layout(record.layout).isOfSealedRecords else {
      return record
    }
    let sealed: [UInt8]
    do {
      let context = context(of: id, in: table)
      sealed = try SealedRecord.seal(record.bytes, record.layout, with: sealing, context)
    } catch {
      let id = EncodedID.text(of: id[...])
      throw MigrationStepError("\(table) \(id) could not be sealed: \(error)")
    }
    try checkSize(sealed, in: table)
    var bytes: [UInt8] = []
    SealedRecord.append(sealed, to: &bytes)
    return (try session.number(of: SealedRecord.layout(), table: table), bytes)
  }

  private func context(of id: [UInt8], in table: String) -> RecordContext {
    RecordContext(store: session.identity.id, table: table, id: id)
  }
}
