/// The key of a stored entity: its table and its encoded ID.
///
/// Keys are ordered as the entities of a snapshot are: by table name, then by encoded ID, as bytes.
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

  /// Whether an encoded ID comes before another, compared as bytes.
  static func precedes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    for index in 0..<min(a.count, b.count) where a[index] != b[index] {
      return a[index] < b[index]
    }
    return a.count < b.count
  }

  /// Hashes all bytes at once: one by one they would cost several times as much.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(table)
    id.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
