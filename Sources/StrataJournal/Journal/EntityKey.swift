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
    let count = min(a.count, b.count)
    var index = 0
    while index + 8 <= count {
      let first = UInt64(bigEndian: a.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let second = UInt64(bigEndian: b.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      if first != second { return first < second }
      index += 8
    }
    while index < count {
      if a[index] != b[index] { return a[index] < b[index] }
      index += 1
    }
    return a.count < b.count
  }

  /// Hashes all bytes at once: one by one they would cost several times as much.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(table)
    id.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
