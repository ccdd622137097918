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
