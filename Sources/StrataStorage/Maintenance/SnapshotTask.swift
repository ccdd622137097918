import StrataBase
import StrataJournal
import StrataRecords
import StrataSQLite

/// Takes one snapshot in slices that fit between deltas: gathers changes, writes chunks, reads them back.
///
/// It merges the newest verified snapshot with the deltas after it, all as stored bytes. Chunks whose range
/// of keys has no change are shared with that snapshot; the others are merged and written. What it reads
/// does not change meanwhile: deltas are only appended, and nothing is trimmed while it runs. A task that
/// is abandoned leaves rows that the next one removes.
///
/// It does not use `ReadView.read(at:from:extent:scope:_:_:)`: it stops after every slice and continues
/// later, on the writer's own connection, and from a base that its caller has chosen.
final class SnapshotTask {
  private enum Phase {
    case gathering(JournalReplay, GatheredChanges)
    case planned(JournalReplay, ChunkCursor, [ChangeRun])
    case writing(Writing)
    case reading(Reading)
    case verified
  }

  private final class Writing {
    var merge: ChunkMerge
    var writer: ChunkWriter
    var table: String?
    /// Whether a part is being merged.
    var isMerging = false

    init(_ merge: consuming ChunkMerge, _ writer: ChunkWriter) {
      self.merge = merge
      self.writer = writer
    }
  }

  private struct Reading {
    let listing: [ListedChunk]
    let written: Set<Int64>
    var nextChunk = 0
    var entities = 0
  }

  /// What a snapshot costs.
  struct Cost: Equatable {
    /// The size of the chunks with changes in their range, which are written again.
    var rewritten: Int64
    /// The size of the other chunks, which are only verified.
    var shared: Int64
  }

  /// The approximate number of bytes that a slice reads or writes.
  private static let sliceSize = ChunkWriter.target

  private let target: Revision
  private let base: StoredSnapshot
  private let identity: StoreIdentity
  private let journal: Journal
  private let snapshots: SnapshotStore
  private var time: Int64
  private var phase: Phase

  /// Starts a snapshot at `target`, which must be the end of a delta, and of a run of deltas that are held.
  init(
    at target: Revision,
    from base: StoredSnapshot,
    of identity: StoreIdentity,
    in journal: Journal,
    _ snapshots: SnapshotStore,
    _ catalog: LayoutCatalog,
    holding recent: RecentDeltas
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
    phase = .gathering(replay, GatheredChanges(in: journal, holding: recent))
  }

  /// How many entities were written and read back, and an estimate of how many there are in total.
  var progress: (done: Int, total: Int) {
    let total = 2 * base.header.entities
    switch phase {
    case .gathering, .planned: return (0, total)
    case .writing(let writing): return (min(writing.writer.header.entities, total / 2), total)
    case .reading(let reading): return (min(total / 2 + reading.entities, total), total)
    case .verified: return (total, total)
    }
  }

  /// What it costs, once the changes are gathered and before anything is written; else nil.
  var cost: Cost? {
    guard case .planned(_, let base, let changes) = phase else { return nil }
    var cost = Cost(rewritten: 0, shared: 0)
    var table: String?
    for chunk in base.listing {
      // The first chunk of a table is unbounded below.
      let start = chunk.table == table ? chunk.key : EntityKey(table: chunk.table, id: [])
      let isChanged = changes.contains { $0.mayChange(chunk, from: start) }
      if isChanged { cost.rewritten += Int64(chunk.size) } else { cost.shared += Int64(chunk.size) }
      table = chunk.table
    }
    return cost
  }

  /// Does one slice; returns the snapshot once it is marked as verified.
  func step(_ catalog: LayoutCatalog) throws -> SnapshotHeader? {
    switch phase {
    case .gathering(let replay, let changes):
      phase = .verified
      try gather(replay, changes, catalog)
    case .planned(let replay, let base, let changes):
      phase = .verified
      try start(replay, base, changes)
    case .writing(let writing):
      phase = .verified
      try write(writing, catalog)
    case .reading(let reading):
      return try read(reading, catalog)
    case .verified:
      break
    }
    return nil
  }

  private func gather(
    _ replay: consuming JournalReplay,
    _ changes: consuming GatheredChanges,
    _ catalog: LayoutCatalog
  ) throws {
    var bytes = 0
    while bytes < Self.sliceSize, replay.revision < target {
      guard let next = try changes.addNext(of: &replay) else {
        throw CorruptionError("the journal ends at revision \(replay.revision), before \(target)")
      }
      time = next.time
      bytes += next.bytes
    }
    if replay.revision < target {
      phase = .gathering(replay, changes)
      return
    }
    let cursor = try ChunkCursor(base, of: identity, in: snapshots, catalog)
    phase = .planned(replay, cursor, changes.finish())
  }

  private func start(
    _ replay: JournalReplay,
    _ base: ChunkCursor,
    _ changes: [ChangeRun]
  ) throws {
    let writer = try ChunkWriter(
      revision: replay.revision,
      time: time,
      chain: replay.chain,
      of: identity,
      in: snapshots
    )
    let merge = ChunkMerge(base, try ChangeCursor(changes))
    phase = .writing(Writing(merge, writer))
  }

  /// Merges about one chunk; chunks that are shared on the way cost nothing.
  private func write(_ writing: Writing, _ catalog: LayoutCatalog) throws {
    var bytes = 0
    while bytes < Self.sliceSize {
      while writing.isMerging, let entity = try writing.merge.next() {
        writing.writer.add(entity)
        bytes += entity.record.count
        guard writing.writer.isFull else { continue }
        try writing.writer.writeChunk(to: snapshots, catalog)
        phase = .writing(writing)
        return
      }
      writing.isMerging = false
      guard let part = writing.merge.nextPart() else {
        try finish(writing.writer, catalog)
        return
      }
      // A run continues into the next chunk only if it is too small to end before it.
      if part.table != writing.table || !writing.writer.isSmall {
        try writing.writer.endRun(in: snapshots, catalog)
        writing.table = part.table
        if let chunk = part.chunk, !part.hasChanges {
          writing.writer.share(chunk)
          continue
        }
      }
      writing.isMerging = true
    }
    phase = .writing(writing)
  }

  private func finish(_ writer: ChunkWriter, _ catalog: LayoutCatalog) throws {
    var writer = writer
    try journal.connection.transaction { try writer.finish(in: snapshots, catalog) }
    let written = try snapshots.all().first { $0.header.revision == target }
    guard let written else { throw CorruptionError("snapshot \(target) is missing") }
    let listing = try snapshots.listing(of: written, identity, catalog)
    phase = .reading(Reading(listing: listing, written: writer.written))
  }

  /// Verifies chunks: the hash of each, and the records of those that were written.
  ///
  /// The records of a shared chunk were verified when it was written.
  private func read(
    _ reading: consuming Reading,
    _ catalog: LayoutCatalog
  ) throws -> SnapshotHeader? {
    var bytes = 0
    while bytes < Self.sliceSize {
      guard reading.nextChunk < reading.listing.count else { return try markVerified() }
      let chunk = reading.listing[reading.nextChunk]
      let block = try snapshots.block(of: chunk, in: target, catalog)
      if reading.written.contains(chunk.id) {
        try check(block, catalog)
        bytes += chunk.size
      } else {
        // A hash costs much less than writing and reading.
        bytes += chunk.size / 4
      }
      reading.nextChunk += 1
      reading.entities += chunk.count
    }
    phase = .reading(reading)
    return nil
  }

  private func check(_ block: ChangeBlock, _ catalog: LayoutCatalog) throws {
    for entry in block.entries {
      guard case .put(let layout, let record) = entry.change else { continue }
      try catalog.layout(layout).check(block.bytes[record])
    }
  }

  private func markVerified() throws -> SnapshotHeader {
    phase = .verified
    guard var header = try snapshots.all().first(where: { $0.header.revision == target })?.header
    else { throw CorruptionError("snapshot \(target) is missing") }
    try snapshots.markVerified(target)
    header.state = .verified
    return header
  }
}
