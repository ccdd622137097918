import StrataBase
import StrataRecords
import StrataSQLite

/// The making of one snapshot, in slices that fit between deltas: gather, write, read back.
///
/// It folds the newest verified snapshot with the deltas after it, all as stored bytes. What it
/// reads does not change under it: deltas are only ever added behind it, and nothing is trimmed
/// while it runs. A task that is dropped half-way leaves rows that the next one clears away.
struct SnapshotTask {
  private enum Phase {
    case gathering(JournalReplay, Overlay)
    case writing(Fold, ChunkWriter)
    case reading(ChunkCursor, entities: Int)
    case verified
  }

  /// About how many bytes a slice reads or writes.
  private static let sliceSize = ChunkWriter.chunkSize

  private let target: Revision
  private let base: (header: SnapshotHeader, hash: Checksum)
  private let identity: StoreIdentity
  private let journal: Journal
  private let snapshots: SnapshotStore
  private var time: Int64
  private var phase: Phase

  /// Begins a snapshot at `target`, a revision the journal has.
  init(
    at target: Revision,
    from base: (header: SnapshotHeader, hash: Checksum),
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

  /// How many entities were written or read back, of how many, as far as is known.
  var progress: (done: Int, total: Int) {
    let total = 2 * base.header.entities
    switch phase {
    case .gathering: return (0, total)
    case .writing(_, let writer): return (min(writer.header.entities, total / 2), total)
    case .reading(_, let entities): return (min(total / 2 + entities, total), total)
    case .verified: return (total, total)
    }
  }

  /// Does one slice; gives the snapshot when it is written, read back and marked.
  mutating func step(_ catalog: LayoutCatalog) throws -> SnapshotHeader? {
    switch phase {
    case .gathering(let replay, let overlay):
      phase = .verified
      try gather(replay, overlay, catalog)
    case .writing(let fold, let writer):
      phase = .verified
      try write(fold, writer, catalog)
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
      guard let (header, parts) = try replay.next() else {
        throw DamageFound("the journal ends at \(replay.revision), before \(target)")
      }
      for part in parts { overlay.add(part) }
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
    phase = .writing(Fold(cursor, overlay), writer)
  }

  private mutating func write(
    _ fold: consuming Fold,
    _ writer: consuming ChunkWriter,
    _ catalog: LayoutCatalog
  ) throws {
    while !writer.isFull, let entity = try fold.next() { writer.add(entity) }
    if writer.isFull {
      try writer.writeChunk(to: snapshots, catalog)
      phase = .writing(fold, writer)
      return
    }
    try journal.connection.transaction { try writer.finish(in: snapshots, catalog) }
    phase = .reading(try cursor(over: writer.header.revision, catalog), entities: 0)
  }

  private func cursor(over revision: Revision, _ catalog: LayoutCatalog) throws -> ChunkCursor {
    guard let written = try snapshots.all().first(where: { $0.header.revision == revision }) else {
      throw DamageFound("the snapshot at revision \(revision) is gone")
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
    guard var header = try snapshots.all().first(where: { $0.header.revision == target })?.header,
      header.entities == entities
    else { throw DamageFound("the snapshot at revision \(target) was not read back whole") }
    try snapshots.markVerified(target)
    header.state = .verified
    return header
  }
}
