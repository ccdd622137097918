package import StrataRecords

/// An entity, or a persisted value, read without its type.
package struct UntypedEntity: Sendable {
  package var table: String
  /// Nil for a persisted value, which has none.
  package var id: RecordValue?
  package var value: RecordValue

  package init(table: String, id: RecordValue?, value: RecordValue) {
    self.table = table
    self.id = id
    self.value = value
  }
}

extension UntypedEntity {
  /// Decodes an entity as stored.
  package init(_ entity: StoredEntity, _ catalog: LayoutCatalog) throws {
    let value = try RecordValue(
      record: entity.record,
      layout: try catalog.layout(entity.layout)
    )
    if let value = StoredValues.value(in: value, of: entity.table) {
      self.init(table: entity.table, id: nil, value: value)
    } else {
      let id = try EncodedID.value(of: Array(entity.id))
      self.init(table: entity.table, id: id, value: value)
    }
  }
}

extension LayoutCatalog {
  /// The fields of a record of a table; a record without fields has one named `value`.
  package func members(
    _ layout: Int64,
    _ record: ArraySlice<UInt8>,
    of table: String
  ) throws -> [RecordValue.Member] {
    let stored = try RecordValue(record: record, layout: try self.layout(layout))
    let value = StoredValues.value(in: stored, of: table) ?? stored
    guard case .object(let members) = value else { return [RecordValue.Member("value", value)] }
    return Array(members)
  }
}
