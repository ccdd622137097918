import StrataRecords

/// The part of a database that a read needs.
package enum ReadScope {
  case everything
  /// The entities of a table.
  case table(String)
  /// The entities with these keys.
  case entities([EntityKey])
  /// The entities of a table whose encoded IDs are in a range.
  case range(table: String, from: [UInt8]?, before: [UInt8]?)

  /// The chunks of a snapshot that can have entities of the scope.
  ///
  /// O(chunks) for a table, O(keys · log chunks) for keys.
  func chunks(in listing: [ListedChunk]) -> [ListedChunk] {
    switch self {
    case .everything: return listing
    case .table(let table): return listing.filter { $0.table == table }
    case .entities(let keys):
      let places = Set(keys.compactMap { key in listing.place(of: key) })
      return places.sorted().map { listing[$0] }
    case .range(let table, let from, let before):
      return listing.filter { chunk in
        chunk.table == table
          && (before.map { chunk.first.lexicographicallyPrecedes($0) } ?? true)
          && (from.flatMap { from in chunk.next.map { from.lexicographicallyPrecedes($0) } } ?? true)
      }
    }
  }

  /// Whether an entry of a block is in the scope.
  func contains(_ entry: ChangeBlock.Entry, of block: ChangeBlock) -> Bool {
    switch self {
    case .everything: true
    case .table(let table): block.table(of: entry) == table
    case .entities(let keys):
      keys.contains { key in
        key.id.count == entry.id.count && key.table == block.table(of: entry)
          && key.id == block.id(of: entry)
      }
    case .range(let table, let from, let before):
      block.table(of: entry) == table && block.id(of: entry).isIn(from: from, before: before)
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether an encoded ID is in a range.
  func isIn(from: [UInt8]?, before: [UInt8]?) -> Bool {
    if let from, lexicographicallyPrecedes(from) { return false }
    return before.map { lexicographicallyPrecedes($0) } ?? true
  }
}

extension [ListedChunk] {
  /// The place of the only chunk that can have an entity; nil if there is none.
  ///
  /// O(log chunks).
  fileprivate func place(of key: EntityKey) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if key < self[middle].key { high = middle } else { low = middle + 1 }
    }
    return low > 0 && self[low - 1].table == key.table ? low - 1 : nil
  }
}

extension ReadScope {
  /// The entities of a table that a person may mean by an ID; all of them without one.
  static func entities(of table: String, meantBy id: String?) -> ReadScope {
    guard let id else { return .table(table) }
    return .entities(EncodedID.candidates(for: id).map { EntityKey(table: table, id: $0[...]) })
  }
}
