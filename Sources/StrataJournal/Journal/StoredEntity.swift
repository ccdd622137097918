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

/// Consecutive entries of one table in a block.
package struct EntitySlice {
  package let block: ChangeBlock
  package private(set) var entries: Range<Int>

  init(_ block: ChangeBlock, _ entries: Range<Int>) {
    self.block = block
    self.entries = entries
  }

  /// The entity of an entry; nil if the entry is not a put.
  func entity(_ index: Int) -> StoredEntity? {
    let entry = block.entries[index]
    guard case .put(let layout, let record) = entry.change else { return nil }
    return StoredEntity(
      table: block.table(of: entry),
      id: block.id(of: entry),
      layout: layout,
      record: block.bytes[record]
    )
  }

  /// The first entry from `start` on whose encoded ID does not come before `id`; the end if there is none.
  ///
  /// O(log n).
  func firstIndex(notBefore id: [UInt8], from start: Int) -> Int {
    var range = start..<entries.upperBound
    block.bytes.withUnsafeBytes { bytes in
      id.withUnsafeBytes { id in
        while !range.isEmpty {
          let middle = range.lowerBound + range.count / 2
          let other = UnsafeRawBufferPointer(rebasing: bytes[block.entries[middle].id])
          range =
            EntityKey.precedes(other, id)
            ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
      }
    }
    return range.lowerBound
  }

  mutating func popFirst() -> StoredEntity? {
    while !entries.isEmpty {
      let first = entries.lowerBound
      entries.removeFirst()
      if let entity = entity(first) { return entity }
    }
    return nil
  }
}
