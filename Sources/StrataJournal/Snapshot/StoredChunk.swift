/// A chunk of a snapshot as read from the file, which any thread can verify.
struct StoredChunk: Sendable {
  let listed: ListedChunk
  let body: [UInt8]
  let isOfFormat1: Bool
  /// Where it is, for errors.
  let place: String

  /// Verifies the chunk's hash and what the list says of it, and reads the list of its entities.
  ///
  /// - Throws: `CorruptionError`.
  func block(_ catalog: LayoutCatalog) throws -> ChangeBlock {
    var block = try ChangeBlock(body, of: place)
    let layouts = try catalog.hashes(of: block.layouts)
    let computed = SnapshotHeader.hash(ofChunk: body, layouts: layouts)
    guard computed == listed.hash else {
      throw CorruptionError.hashMismatch(in: place, stored: listed.hash, computed: computed)
    }
    guard block.holdsOnlyPuts else { throw CorruptionError("\(place) has more than puts") }
    if isOfFormat1 { block = try ChangeBlock(block.body(ofTable: listed.table), of: place) }
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
