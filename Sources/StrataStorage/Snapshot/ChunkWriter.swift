import StrataBase

/// Writes sorted entities as the chunks of a snapshot, and finally its row.
struct ChunkWriter {
  /// Large enough to be read fast, small enough that writing one does not delay a commit.
  static let chunkSize = 256 << 10

  private(set) var header: SnapshotHeader
  private let storeID: StoreIdentity
  private var builder = ChangeBlockBuilder()
  private var hashes: [Checksum] = []

  /// Starts a snapshot: writes its row in the state `.writing`.
  init(
    revision: Revision,
    time: Int64,
    chain: Checksum,
    of identity: StoreIdentity,
    in snapshots: SnapshotStore
  ) throws {
    storeID = identity
    header = SnapshotHeader(
      revision: revision,
      epoch: identity.epoch,
      time: time,
      chain: chain,
      state: .writing,
      chunks: 0,
      entities: 0,
      bytes: 0
    )
    try snapshots.write(header, hash: Checksum(of: []))
  }

  /// Whether the next chunk is ready to be written.
  var isFull: Bool { builder.size >= Self.chunkSize }

  mutating func add(_ entity: StoredEntity) {
    builder.put(entity.id, in: entity.table, layout: entity.layout, record: entity.record)
    header.entities += 1
  }

  /// Writes the added entities as one chunk.
  mutating func writeChunk(to snapshots: SnapshotStore, _ catalog: LayoutCatalog) throws {
    guard !builder.isEmpty else { return }
    let layouts = try catalog.hashes(of: builder.layouts)
    let body = builder.finish()
    let hash = SnapshotHeader.hash(ofChunk: body, layouts: layouts)
    try snapshots.writeChunk(header.chunks, of: header.revision, body, hash: hash)
    hashes.append(hash)
    header.chunks += 1
    header.bytes += body.count
  }

  /// Writes the last chunk and the row in the state `.complete`: the snapshot is still to be verified.
  mutating func finish(in snapshots: SnapshotStore, _ catalog: LayoutCatalog) throws {
    try writeChunk(to: snapshots, catalog)
    header.state = .complete
    try snapshots.write(header, hash: header.hash(storeID: storeID.id, chunks: hashes))
  }
}
