import StrataBase
import StrataJournal
import StrataRecords

/// Writes snapshots to another file without some of their entities.
///
/// Chunks that have none of them keep their bytes, and snapshots share chunks as before.
struct SnapshotRewriter {
  private let source: SnapshotStore
  private let destination: SnapshotStore
  private let identity: StoreIdentity
  private let catalog: LayoutCatalog
  /// The chunks as written, by their numbers in the file that is read; nil for a chunk that is empty now.
  private var written: [Int64: ListedChunk?] = [:]
  /// Those of them that have kept their bytes.
  private var kept: [Int64: ListedChunk] = [:]

  /// - Parameter identity: That of the new file, with its lineages.
  init(
    from source: SnapshotStore,
    to destination: SnapshotStore,
    of identity: StoreIdentity,
    _ catalog: LayoutCatalog
  ) {
    self.source = source
    self.destination = destination
    self.identity = identity
    self.catalog = catalog
  }

  /// Starts with snapshots from which other entities are removed.
  mutating func startOthers() { written.removeAll() }

  /// Writes a verified snapshot; every chunk of it is verified first.
  ///
  /// - Parameter chain: The chain there in the new file.
  mutating func append(
    _ snapshot: StoredSnapshot,
    chain: Checksum,
    without isRemoved: (_ table: String, _ id: ArraySlice<UInt8>) -> Bool
  ) throws {
    let before = try source.listing(of: snapshot, identity, catalog)
    var listing: [ListedChunk] = []
    for chunk in before {
      let new: ListedChunk?
      if let known = written[chunk.id] {
        new = known
      } else {
        new = try write(chunk, snapshot.header.revision, without: isRemoved)
        written[chunk.id] = .some(new)
      }
      if let new { listing.append(new) }
    }
    var header = snapshot.header
    let isChanged =
      chain != header.chain || listing.map(\.hash) != before.map(\.hash)
    if isChanged { header.lineage = identity.lineage }
    header.chain = chain
    header.chunks = listing.count
    header.entities = listing.reduce(0) { $0 + $1.count }
    header.bytes = listing.reduce(0) { $0 + $1.size }
    try destination.write(listing, of: header.revision)
    try destination.write(header, hash: header.hash(storeID: identity.id, listing: listing))
  }

  private mutating func write(
    _ chunk: ListedChunk,
    _ revision: Revision,
    without isRemoved: (String, ArraySlice<UInt8>) -> Bool
  ) throws -> ListedChunk? {
    let block = try source.block(of: chunk, in: revision, catalog)
    var builder = ChangeBlockBuilder()
    var first: [UInt8]?
    var bytes = 0
    for entry in block.entries {
      let id = block.id(of: entry)
      guard case .put(let layout, let record) = entry.change, !isRemoved(chunk.table, id) else {
        continue
      }
      builder.put(id, in: chunk.table, layout: layout, record: block.bytes[record])
      first = first ?? Array(id)
      bytes += record.count
    }
    guard let first else { return nil }
    let count = builder.count
    let isKept = count == block.entries.count
    if isKept, let known = kept[chunk.id] { return known }
    let layouts = try catalog.hashes(of: builder.layouts)
    let body = isKept ? block.bytes : builder.finish()
    let hash = SnapshotHeader.hash(ofChunk: body, layouts: layouts)
    let new = ListedChunk(
      id: try destination.chunk(with: body, hash: hash),
      table: chunk.table,
      first: first,
      count: count,
      bytes: bytes,
      size: body.count,
      hash: hash
    )
    if isKept { kept[chunk.id] = new }
    return new
  }
}
