/// The number of entities of a table, and the size of their records.
struct TableSize {
  var count = 0
  var bytes = 0
}

extension MergeIterator {
  /// How many entities each table has that has some; as costly as the sizes.
  package func counts() throws -> [String: Int] { try sizes().mapValues(\.count) }

  /// The sizes of the tables that have entities.
  ///
  /// O(chunks and changes after the snapshot); only chunks with changes in their range are read.
  func sizes() throws -> [String: TableSize] {
    var sizes: [String: TableSize] = [:]
    var regions = ChunkRegions(base.listing, overlay)
    while let region = regions.next() {
      var size = sizes[region.table, default: TableSize()]
      if let chunk = region.chunk, region.changes.isEmpty {
        size.count += chunk.count
        size.bytes += chunk.bytes
      } else {
        var entities = part(region)
        while let entity = try entities.next() {
          size.count += 1
          size.bytes += entity.record.count
        }
      }
      sizes[region.table] = size
    }
    return sizes
  }
}
