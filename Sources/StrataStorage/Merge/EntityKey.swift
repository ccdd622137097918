/// Which entity, as stored: its table and its encoded ID.
///
/// The order is that of a snapshot.
package struct EntityKey: Hashable, Comparable {
  package let table: String
  package let id: ArraySlice<UInt8>

  package init(table: String, id: ArraySlice<UInt8>) {
    self.table = table
    self.id = id
  }

  package static func < (a: EntityKey, b: EntityKey) -> Bool {
    if a.table != b.table { return a.table.utf8.lexicographicallyPrecedes(b.table.utf8) }
    return a.id.withUnsafeBytes { a in b.id.withUnsafeBytes { precedes(a, $0) } }
  }

  /// Whether one encoded ID comes before another, as bytes.
  static func precedes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    for index in 0..<min(a.count, b.count) where a[index] != b[index] {
      return a[index] < b[index]
    }
    return a.count < b.count
  }

  /// The bytes at once: one by one they would cost several times as much.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(table)
    id.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

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
