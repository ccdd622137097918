/// An entity as stored.
package struct StoredEntity: Equatable, Sendable {
  package let table: String
  package let id: ArraySlice<UInt8>
  package let layout: Int64
  package let record: ArraySlice<UInt8>

  package init(table: String, id: ArraySlice<UInt8>, layout: Int64, record: ArraySlice<UInt8>) {
    self.table = table
    self.id = id
    self.layout = layout
    self.record = record
  }

  package var key: EntityKey { EntityKey(table: table, id: id) }
}
