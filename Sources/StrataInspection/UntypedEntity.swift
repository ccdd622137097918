package import StrataJournal
package import StrataRecords

/// An entity, or a persisted value, read without its type.
package struct UntypedEntity: Sendable {
  package var table: String
  /// Nil for a persisted value, which has no ID.
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
    let value = try catalog.value(entity.layout, entity.record, of: entity.table)
    if let value = StoredValues.value(in: value, of: entity.table) {
      self.init(table: entity.table, id: nil, value: value)
    } else {
      let id = try EncodedID.value(of: Array(entity.id))
      self.init(table: entity.table, id: id, value: value)
    }
  }
}

extension StoredValues {
  /// The fields of a value, taken from the record that holds it; its kind if it has no fields.
  static func fields(in record: [Layout.Field]) -> [FieldSummary] {
    guard let value = record.first(where: { $0.name == field }) else {
      return record.map(FieldSummary.init)
    }
    if case .record(let fields) = value.kind { return fields.map(FieldSummary.init) }
    var summary = FieldSummary(value)
    summary.name = ""
    return [summary]
  }
}
