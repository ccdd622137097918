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
