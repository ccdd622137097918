package import StrataBase

/// Writes the chunks of a snapshot, table by table in the order of their keys, and finally its list and its
/// row.
///
/// The entities between two calls of ``endRun(in:_:)`` are a run of one table. A run is cut into chunks of
/// about the target size; the last one takes what is left, up to twice the target. So a chunk is cut only
/// when it has grown above twice the target, and all other boundaries stay where they are.
package struct ChunkWriter {
  /// The size at which a run is cut: large enough to be read fast, small enough that writing one chunk does
  /// not delay a commit.
  package static let target = 256 << 10

  /// Entities of a run that are not written yet.
  private struct Part {
    var builder = ChangeBlockBuilder()
    var table = ""
    var first: [UInt8] = []
    var bytes = 0

    mutating func add(_ entity: StoredEntity) {
      if builder.isEmpty { (table, first) = (entity.table, Array(entity.id)) }
      builder.put(entity.id, in: entity.table, layout: entity.layout, record: entity.record)
      bytes += entity.record.count
    }

    package mutating func append(_ other: Part) {
      if other.builder.isEmpty { return }
      builder.append(other.builder)
      bytes += other.bytes
    }
  }

  package private(set) var header: SnapshotHeader
  /// The chunks that were written, as opposed to shared.
  package private(set) var written: Set<Int64> = []
  private let storeID: StoreIdentity
  private var listing: [ListedChunk] = []
  /// The part that becomes the next chunk.
  private var earlier = Part()
  /// What follows once `earlier` has the target size.
  private var later = Part()

  /// Starts a snapshot: writes its row in the state `.writing`.
  package init(
    revision: Revision,
    time: Int64,
    chain: Checksum,
    of identity: StoreIdentity,
    in snapshots: SnapshotStore
  ) throws {
    storeID = identity
    header = SnapshotHeader(
      revision: revision,
      lineage: identity.lineage,
      time: time,
      chain: chain,
      state: .writing,
      chunks: 0,
      entities: 0,
      bytes: 0
    )
    try snapshots.write(header, hash: Checksum(of: []))
  }

  /// Whether there is a chunk to be written.
  package var isFull: Bool { later.builder.size >= Self.target }

  /// Whether a run has started that is less than half of a chunk, and so takes in the chunk that follows.
  package var isSmall: Bool { !earlier.builder.isEmpty && earlier.builder.size < Self.target / 2 }

  /// Adds an entity to the run.
  package mutating func add(_ entity: StoredEntity) {
    if earlier.builder.size < Self.target { earlier.add(entity) } else { later.add(entity) }
    header.entities += 1
  }

  /// Writes the chunk that is full.
  package mutating func writeChunk(to snapshots: SnapshotStore, _ catalog: LayoutCatalog) throws {
    try write(earlier, to: snapshots, catalog)
    (earlier, later) = (later, Part())
  }

  /// Writes what is left of the run as its last chunk.
  package mutating func endRun(in snapshots: SnapshotStore, _ catalog: LayoutCatalog) throws {
    earlier.append(later)
    later = Part()
    if earlier.builder.isEmpty { return }
    try writeChunk(to: snapshots, catalog)
  }

  /// Lists a chunk of another snapshot; the run has ended.
  package mutating func share(_ chunk: ListedChunk) {
    header.entities += chunk.count
    list(chunk)
  }

  private mutating func write(
    _ part: Part,
    to snapshots: SnapshotStore,
    _ catalog: LayoutCatalog
  ) throws {
    var part = part
    let layouts = try catalog.hashes(of: part.builder.layouts)
    let count = part.builder.count
    let body = part.builder.finish()
    let hash = SnapshotHeader.hash(ofChunk: body, layouts: layouts)
    let chunk = ListedChunk(
      id: try snapshots.chunk(with: body, hash: hash),
      table: part.table,
      first: part.first,
      count: count,
      bytes: part.bytes,
      size: body.count,
      hash: hash
    )
    written.insert(chunk.id)
    list(chunk)
  }

  private mutating func list(_ chunk: ListedChunk) {
    listing.append(chunk)
    header.chunks += 1
    header.bytes += chunk.size
  }

  /// Ends the run, and writes the list and the row in the state `.complete`: the snapshot is still to be
  /// verified.
  package mutating func finish(in snapshots: SnapshotStore, _ catalog: LayoutCatalog) throws {
    try endRun(in: snapshots, catalog)
    header.state = .complete
    try snapshots.write(listing, of: header.revision)
    try snapshots.write(header, hash: header.hash(storeID: storeID.id, listing: listing))
  }
}
