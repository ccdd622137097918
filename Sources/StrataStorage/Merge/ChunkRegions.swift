/// Divides a database into the ranges of keys of a snapshot's chunks, each with the later changes in it.
///
/// The range of a chunk starts where that of the one before ends; the first chunk of a table has all
/// before it, the last one all after it. A table that the snapshot does not have is one region.
struct ChunkRegions {
  struct Region {
    let table: String
    /// Nil for a table that the snapshot does not have.
    let chunk: ListedChunk?
    /// The places of its changes.
    let changes: Range<Int>
  }

  private let listing: [ListedChunk]
  private let changes: SortedChanges
  private var nextChunk = 0
  private var nextChange = 0

  /// - Parameters:
  ///   - listing: the chunks of the snapshot, in order.
  ///   - changes: sorted by their keys.
  init(_ listing: [ListedChunk], _ changes: SortedChanges) {
    self.listing = listing
    self.changes = changes
  }

  /// The next region, in the order of keys; nil at the end.
  ///
  /// O(log changes).
  mutating func next() -> Region? {
    let chunk = nextChunk < listing.count ? listing[nextChunk] : nil
    let change = nextChange < changes.count ? changes.key(nextChange) : nil
    let start = nextChange
    if let change,
      chunk.map({ change.table.utf8.lexicographicallyPrecedes($0.table.utf8) }) ?? true
    {
      nextChange = endOfChanges { $0.table == change.table }
      return Region(table: change.table, chunk: nil, changes: start..<nextChange)
    }
    guard let chunk else { return nil }
    nextChunk += 1
    let following = nextChunk < listing.count ? listing[nextChunk] : nil
    if let following, following.table == chunk.table {
      let limit = following.key
      nextChange = endOfChanges { $0 < limit }
    } else {
      nextChange = endOfChanges { $0.table == chunk.table }
    }
    return Region(table: chunk.table, chunk: chunk, changes: start..<nextChange)
  }

  /// The end of the changes from the next one on that are in a region, by a binary search.
  private func endOfChanges(_ isInRegion: (EntityKey) -> Bool) -> Int {
    var (low, high) = (nextChange, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if isInRegion(changes.key(middle)) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
