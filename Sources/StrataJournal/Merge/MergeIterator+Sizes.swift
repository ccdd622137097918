/// The number of entities of a table, and the size of their records.
package struct TableSize {
  package var count = 0
  package var bytes = 0

  package init(count: Int = 0, bytes: Int = 0) {
    self.count = count
    self.bytes = bytes
  }
}

extension MergeIterator {
  /// How many entities each table has that has some; as costly as the sizes.
  package func counts() throws -> [String: Int] { try sizes().mapValues(\.count) }

  /// The sizes of the tables that have entities.
  ///
  /// O(chunks and changes after the snapshot); only chunks with changes in their range are read.
  package func sizes() throws -> [String: TableSize] {
    var sizes: [String: TableSize] = [:]
    var merge = ChunkMerge(base, try ChangeCursor([.held(overlay)]))
    while let part = merge.nextPart() {
      var size = sizes[part.table, default: TableSize()]
      if let chunk = part.chunk, !part.hasChanges {
        size.count += chunk.count
        size.bytes += chunk.bytes
      } else {
        while let entity = try merge.next() {
          size.count += 1
          size.bytes += entity.record.count
        }
      }
      sizes[part.table] = size
    }
    return sizes
  }
}
