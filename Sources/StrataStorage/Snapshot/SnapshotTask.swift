import StrataBase
import StrataRecords
import StrataSQLite

/// Takes one snapshot in slices that fit between deltas: gathers changes, writes chunks, reads them back.
///
/// It merges the newest verified snapshot with the deltas after it, all as stored bytes. What it reads
/// does not change meanwhile: deltas are only appended, and nothing is trimmed while it runs. A task that
/// is abandoned leaves rows that the next one removes.
///
/// It does not use ``ReadView/read(at:from:extent:_:_:)``: it stops after every slice and continues later,
/// on the writer's own connection, and from a base that its caller has chosen.
struct SnapshotTask {
  private enum Phase {
    case gathering(JournalReplay, Overlay)
    case writing(MergeIterator, ChunkWriter)
    case reading(ChunkCursor, entities: Int)
    case verified
  }

  /// The approximate number of bytes that a slice reads or writes.
  private static let sliceSize = ChunkWriter.chunkSize

  private let target: Revision
  private let base: StoredSnapshot
  private let identity: StoreIdentity
  private let journal: Journal
  private let snapshots: SnapshotStore
  private var time: Int64
  private var phase: Phase

  /// Starts a snapshot at `target`, which must be the end of a delta.
  init(
    at target: Revision,
    from base: StoredSnapshot,
    of identity: StoreIdentity,
    in journal: Journal,
    _ snapshots: SnapshotStore,
    _ catalog: LayoutCatalog
  ) {
    self.target = target
    self.base = base
    self.identity = identity
    self.journal = journal
    self.snapshots = snapshots
    time = base.header.time
    let replay = JournalReplay(
      after: base.header.revision,
      chain: base.header.chain,
      of: identity,
      in: journal,
      catalog
    )
    phase = .gathering(replay, Overlay())
  }

  /// How many entities were written and read back, and an estimate of how many there are in total.
  var progress: (done: Int, total: Int) {
    let total = 2 * base.header.entities
    switch phase {
    case .gathering: return (0, total)
    case .writing(_, let writer): return (min(writer.header.entities, total / 2), total)
    case .reading(_, let entities): return (min(total / 2 + entities, total), total)
    case .verified: return (total, total)
    }
  }

  /// Does one slice; returns the snapshot once it is marked as verified.
  mutating func step(_ catalog: LayoutCatalog) throws -> SnapshotHeader? {
    switch phase {
    case .gathering(let replay, let overlay):
      phase = .verified
      try gather(replay, overlay, catalog)
    case .writing(let merge, let writer):
      phase = .verified
      try write(merge, writer, catalog)
    case .reading(let cursor, let entities):
      return try read(cursor, entities, catalog)
    case .verified:
      break
    }
    return nil
  }

  private mutating func gather(
    _ replay: consuming JournalReplay,
    _ overlay: consuming Overlay,
    _ catalog: LayoutCatalog
  ) throws {
    var bytes = 0
    while bytes < Self.sliceSize, replay.revision < target {
      guard let (header, blocks) = try replay.next() else {
        throw CorruptionError("the journal ends at revision \(replay.revision), before \(target)")
      }
      for block in blocks { overlay.add(block) }
      time = header.time
      bytes += header.bytes
    }
    if replay.revision < target {
      phase = .gathering(replay, overlay)
      return
    }
    let cursor = try ChunkCursor(base, of: identity, in: snapshots, catalog)
    let writer = try ChunkWriter(
      revision: replay.revision,
      time: time,
      chain: replay.chain,
      of: identity,
      in: snapshots
    )
    phase = .writing(MergeIterator(cursor, overlay), writer)
  }

  private mutating func write(
    _ merge: consuming MergeIterator,
    _ writer: consuming ChunkWriter,
    _ catalog: LayoutCatalog
  ) throws {
    while !writer.isFull, let entity = try merge.next() { writer.add(entity) }
    if writer.isFull {
      try writer.writeChunk(to: snapshots, catalog)
      phase = .writing(merge, writer)
      return
    }
    try journal.connection.transaction { try writer.finish(in: snapshots, catalog) }
    phase = .reading(try cursor(over: writer.header.revision, catalog), entities: 0)
  }

  private func cursor(over revision: Revision, _ catalog: LayoutCatalog) throws -> ChunkCursor {
    guard let written = try snapshots.all().first(where: { $0.header.revision == revision }) else {
      throw CorruptionError("snapshot \(revision) is missing")
    }
    return try ChunkCursor(written, of: identity, in: snapshots, catalog)
  }

  private mutating func read(
    _ cursor: consuming ChunkCursor,
    _ entities: Int,
    _ catalog: LayoutCatalog
  ) throws -> SnapshotHeader? {
    var entities = entities
    var bytes = 0
    while bytes < Self.sliceSize {
      guard let entity = try cursor.next() else { return try finish(entities) }
      try catalog.layout(entity.layout).check(entity.record)
      entities += 1
      bytes += entity.record.count
    }
    phase = .reading(cursor, entities: entities)
    return nil
  }

  private mutating func finish(_ entities: Int) throws -> SnapshotHeader? {
    phase = .verified
    guard var header = try snapshots.all().first(where: { $0.header.revision == target })?.header
    else { throw CorruptionError("snapshot \(target) is missing") }
    guard header.entities == entities else {
      throw CorruptionError(
        "snapshot \(target) has \(entities) entities, its row says \(header.entities)"
      )
    }
    try snapshots.markVerified(target)
    header.state = .verified
    return header
  }
}
