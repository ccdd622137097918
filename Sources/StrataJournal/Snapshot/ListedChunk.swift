package import StrataBase

/// A chunk as a snapshot lists it: a run of entities of one table, in the order of their encoded IDs.
///
/// Snapshots that follow each other list the same chunks where nothing changed.
package struct ListedChunk: Equatable, Sendable {
  /// The row of the chunk.
  package var id: Int64
  package let table: String
  /// The encoded ID of its first entity.
  package let first: [UInt8]
  /// How many entities it has: at least one.
  package let count: Int
  /// The size of its records.
  let bytes: Int
  /// The size of its body.
  package let size: Int
  package let hash: Checksum
  /// The encoded ID of the first entity of the next chunk of the same table, as read from the file.
  var next: [UInt8]?

  package init(
    id: Int64,
    table: String,
    first: [UInt8],
    count: Int,
    bytes: Int,
    size: Int,
    hash: Checksum,
    next: [UInt8]? = nil
  ) {
    self.id = id
    self.table = table
    self.first = first
    self.count = count
    self.bytes = bytes
    self.size = size
    self.hash = hash
    self.next = next
  }

  /// The key of its first entity.
  package var key: EntityKey { EntityKey(table: table, id: first[...]) }
}

extension [ListedChunk] {
  /// The chunks of a snapshot in order, each with where the next one starts.
  ///
  /// - Throws: `CorruptionError` if they are not in the order of tables and encoded IDs.
  func linked(_ revision: Revision) throws(CorruptionError) -> [ListedChunk] {
    var linked = self
    for (place, next) in zip(indices, dropFirst()) {
      guard self[place].key < next.key else {
        throw CorruptionError("snapshot \(revision) has chunks out of order")
      }
      if self[place].table == next.table { linked[place].next = next.first }
    }
    return linked
  }
}

extension Sequence<ListedChunk> {
  /// The size of the bodies.
  var size: Int64 { reduce(0) { $0 + Int64($1.size) } }
}

extension ReadScope {
  /// The chunks of a snapshot that can have entities of the scope.
  ///
  /// O(chunks) for a table, O(keys · log chunks) for keys.
  func chunks(in listing: [ListedChunk]) -> [ListedChunk] {
    switch self {
    case .everything: return listing
    case .table(let table): return listing.filter { $0.table == table }
    case .entities(let keys):
      let places = Set(keys.compactMap { key in listing.place(of: key) })
      return places.inOrder().map { listing[$0] }
    case .range(let table, let from, let before):
      return listing.filter { chunk in
        chunk.table == table
          && (before.map { chunk.first.lexicographicallyPrecedes($0) } ?? true)
          && (from.flatMap { from in chunk.next.map { from.lexicographicallyPrecedes($0) } } ?? true)
      }
    }
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

/// A chunk of a snapshot as read from the file, which any thread can verify.
struct StoredChunk: Sendable {
  let listed: ListedChunk
  let body: [UInt8]
  /// Where it is, for errors.
  let place: String

  /// Verifies the chunk's hash and its entry in the list, and reads the list of its entities.
  ///
  /// - Throws: `CorruptionError`.
  func block(_ catalog: LayoutCatalog) throws -> ChangeBlock {
    let block = try ChangeBlock(body, of: place)
    let layouts = try catalog.hashes(of: block.layouts)
    let computed = SnapshotHeader.hash(ofChunk: body, layouts: layouts)
    guard computed == listed.hash else {
      throw CorruptionError.hashMismatch(in: place, stored: listed.hash, computed: computed)
    }
    guard block.holdsOnlyPuts else { throw CorruptionError("\(place) has more than puts") }
    guard block.tables == [listed.table], block.entries.count == listed.count,
      let first = block.entries.first, block.id(of: first) == listed.first[...],
      block.recordBytes == listed.bytes
    else { throw CorruptionError("\(place) is not what the list says of it") }
    guard block.isInOrder else { throw CorruptionError("\(place) has entities out of order") }
    if let next = listed.next, let last = block.entries.last,
      block.key(of: last) >= EntityKey(table: listed.table, id: next[...])
    {
      throw CorruptionError("\(place) reaches into the next chunk")
    }
    return block
  }
}
