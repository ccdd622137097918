import StrataBase
package import StrataJournal
import StrataSQLite

/// What the writer does between groups: it removes what an earlier writer left unfinished, merges the
/// journal into a snapshot when one is due, trims history that is no longer needed, and returns free pages
/// to the file system.
package struct Maintenance: ~Copyable {
  private enum Work {
    case none
    case clearing
    case checkingIndexes(after: Revision)
    case counting(after: Revision, bytes: Int64)
    case snapshotting(SnapshotTask, Occasion)
    case trimming(SnapshotPolicy.Trim)
    case vacuuming
  }

  /// Why a snapshot is taken.
  private enum Occasion {
    /// There are many deltas; what the snapshot costs decides whether they are enough.
    case policy
    case request
  }

  private let policy: SnapshotPolicy
  private let pins: HistoryPins
  private var work = Work.none
  private var journalBytes: Int64 = 0
  private var lastSnapshot: SnapshotHeader?
  /// Snapshots that are marked as verified but were found damaged since.
  ///
  /// No snapshot is built on them, and nothing is trimmed up to them.
  private var damaged: Set<Revision> = []
  /// How many bytes must be in the journal before another attempt; set by a failure, or where a snapshot
  /// would cost more than it saves.
  private var notBefore: Int64 = 0
  /// Whether the owner has scheduled another round.
  var isPlanned = false

  /// How much space the file's parts use.
  struct Sizes: Sendable {
    var newest: SnapshotHeader?
    /// Of all snapshots.
    var snapshots: Int64 = 0
    /// Of all deltas; nil until they were counted.
    var journal: Int64?
    /// The last revision whose delta was removed; nil if there is none.
    var trimmed: Revision?
  }

  /// The deltas between two snapshots.
  private struct Extent {
    var last: Revision
    var bytes: Int64
    var changes: Int64
    /// The age of the first snapshot at the second one, in microseconds.
    var age: Int64
  }

  /// The deltas from one snapshot to the next, by the revision of the first: they do not change, and
  /// adding them up reads each of them.
  private var extents: [Revision: Extent] = [:]
  private var trimmed: Revision?

  private var snapshotBytes: Int64 = 0
  private var keptJournalBytes: Int64?
  /// False after a failure: the deltas are then not counted until the file is opened again.
  private var mayCount = false

  var sizes: Sizes {
    Sizes(
      newest: lastSnapshot,
      snapshots: snapshotBytes,
      journal: keptJournalBytes,
      trimmed: trimmed
    )
  }

  /// What was appended since the last round.
  private var bytesSinceRound: Int64 = 0

  private static let trimSlice = 1_000
  private static let countSlice = 10_000
  private static let chunkSlice = 8
  private static let vacuumPages = 256

  package init(policy: SnapshotPolicy, pins: HistoryPins) {
    self.policy = policy
    self.pins = pins
  }

  /// Starts with a newly opened file.
  package mutating func start(with file: RestoredFile) {
    lastSnapshot = file.snapshot
    damaged = file.damaged
    snapshotBytes = Int64(lastSnapshot?.bytes ?? 0)
    extents = [:]
    keptJournalBytes = nil
    mayCount = true
    journalBytes = file.journalBytes
    notBefore = 0
    work = .clearing
  }

  /// Abandons the work in progress; the next `start` or snapshot removes what it left.
  ///
  /// The next attempt waits until the journal has grown, so that a lasting failure does not loop.
  mutating func interrupt() {
    work = .none
    mayCount = false
    // A policy may ask for more bytes than can ever be counted, so that no snapshot is taken.
    let (next, overflows) = journalBytes.addingReportingOverflow(policy.minimumJournalBytes)
    notBefore = overflows ? .max : next
  }

  mutating func noteAppended(_ bytes: Int64) {
    journalBytes += bytes
    keptJournalBytes? += bytes
    bytesSinceRound += bytes
  }

  /// How many slices the next round takes: at least one, and enough that a snapshot ends before the
  /// journal has grown by a quarter of its size, however busy the writer is: the journal and the old
  /// snapshots are in the file until then.
  ///
  /// A snapshot handles its bytes three times: it gathers them, writes them and reads them back.
  mutating func slicesOfRound() -> Int {
    defer { bytesSinceRound = 0 }
    return Int(12 * bytesSinceRound / Int64(ChunkWriter.target)) + 1
  }

  /// Whether a snapshot may be due; what it costs is known once its changes are gathered.
  private var isDue: Bool {
    lastSnapshot != nil && journalBytes >= notBefore
      && journalBytes >= policy.dueAt(rewriting: 0, sharing: 0)
  }

  var hasWork: Bool {
    if case .none = work { return isDue || mustCount }
    return true
  }

  private var mustCount: Bool { mayCount && keptJournalBytes == nil }

  package var isSnapshotting: Bool {
    if case .snapshotting = work { return true }
    return false
  }

  /// Whether history is being removed or free pages are being returned.
  var isTrimming: Bool {
    switch work {
    case .trimming, .vacuuming: true
    case .none, .clearing, .checkingIndexes, .counting, .snapshotting: false
    }
  }

  /// The progress of the snapshot that is being taken; nil while there is none.
  var snapshotProgress: (done: Int, total: Int)? {
    if case .snapshotting(let task, _) = work { return task.progress }
    return nil
  }

  /// Starts a snapshot of everything written so far; abandons the work in progress.
  package mutating func startSnapshot(_ session: WriterSession) throws {
    try startSnapshot(session, .request)
  }

  private mutating func startSnapshot(_ session: WriterSession, _ occasion: Occasion) throws {
    guard let base = try soundSnapshots(session).first else {
      throw CorruptionError("the file has lost its snapshots")
    }
    let target = session.written.revision
    // The new snapshot takes its place and its names.
    if damaged.remove(target) != nil { try session.snapshots.remove(target) }
    try clear(session)
    session.recent.endRun()
    work = .snapshotting(
      SnapshotTask(
        at: target,
        from: base,
        of: session.identity,
        in: session.journal,
        session.snapshots,
        session.catalog,
        holding: session.recent
      ),
      occasion
    )
  }

  /// The verified snapshots that are not known to be damaged, newest first.
  private func soundSnapshots(_ session: WriterSession) throws -> [StoredSnapshot] {
    try session.snapshots.verified().filter { !damaged.contains($0.header.revision) }
  }

  /// Whether there is a sound snapshot of everything written so far.
  ///
  /// It is read to its end, because its mark only says that it was sound when it was taken.
  package mutating func hasSnapshot(_ session: WriterSession) throws -> Bool {
    let revision = session.written.revision
    let snapshot = try soundSnapshots(session).first { $0.header.revision == revision }
    guard let snapshot else { return false }
    if try isSound(snapshot, session) { return true }
    damaged.insert(revision)
    return false
  }

  /// Starts to remove all history except what names and readers hold; abandons the work in progress.
  ///
  /// It stops at the newest sound snapshot that no reader is still before.
  mutating func startCompacting(_ session: WriterSession) throws {
    let verified = try session.snapshots.verified().map(\.header.revision)
    let anchor = verified.first { revision in
      !damaged.contains(revision) && pins.lowest.map { revision <= $0 } ?? true
    }
    let named = Set(try session.snapshots.names().map(\.revision))
    work = anchor.map { .trimming(SnapshotPolicy.Trim(to: $0, of: verified, named)) } ?? .vacuuming
  }

  /// Does one slice; returns an event when a snapshot is complete.
  package mutating func step(_ session: WriterSession) throws -> PersistenceEvent? {
    switch work {
    case .none:
      if isDue {
        try startSnapshot(session, .policy)
      } else if mustCount {
        work = .counting(after: 0, bytes: 0)
      }
    case .clearing:
      try clear(session)
      snapshotBytes = try session.snapshots.chunkBytes()
      try noteTrimmed(session)
      work = .checkingIndexes(after: 0)
    case .checkingIndexes(let revision):
      let next = try session.checkChangeIndex(after: revision)
      work = next.map { .checkingIndexes(after: $0) } ?? .none
    case .counting(let revision, let bytes):
      try count(after: revision, bytes, session)
    case .snapshotting(let task, let occasion):
      work = .none
      return try stepSnapshot(task, occasion, session)
    case .trimming(let trim):
      return try self.trim(trim, session)
    case .vacuuming:
      let freed = try session.connection.incrementalVacuum(pages: Self.vacuumPages)
      if freed < Self.vacuumPages { work = .none }
    }
    return nil
  }

  private mutating func stepSnapshot(
    _ task: SnapshotTask,
    _ occasion: Occasion,
    _ session: WriterSession
  ) throws -> PersistenceEvent? {
    do {
      if let header = try task.step(session.catalog) { return try finishSnapshot(header, session) }
    } catch let error as CorruptionError {
      // The next attempt starts from another snapshot, and nothing is trimmed up to a damaged one.
      try noteDamage(session)
      throw error
    }
    if occasion == .policy, let cost = task.cost {
      let due = policy.dueAt(rewriting: cost.rewritten, sharing: cost.shared)
      if journalBytes < due {
        // The cost rises with further changes, so it is not looked at again soon.
        notBefore = min(due, 2 * journalBytes)
        return nil
      }
    }
    work = .snapshotting(task, occasion)
    return nil
  }

  /// Verifies all snapshots, as a chunk that several list may be damaged.
  private mutating func noteDamage(_ session: WriterSession) throws {
    for snapshot in try soundSnapshots(session) where try !isSound(snapshot, session) {
      damaged.insert(snapshot.header.revision)
    }
  }

  private func isSound(_ snapshot: StoredSnapshot, _ session: WriterSession) throws -> Bool {
    let verified: Void? = try CorruptionError.nilIfCorrupt {
      var cursor = try ChunkCursor(
        snapshot,
        of: session.identity,
        in: session.snapshots,
        session.catalog
      )
      try cursor.verifyAll()
    }
    return verified != nil
  }

  /// Adds a slice of the journal to the count.
  ///
  /// Deltas appended meanwhile are counted when the count reaches them; nothing is trimmed meanwhile.
  private mutating func count(
    after revision: Revision,
    _ bytes: Int64,
    _ session: WriterSession
  ) throws {
    work = .none
    guard let slice = try session.journal.bytes(after: revision, slice: Self.countSlice) else {
      keptJournalBytes = bytes
      return
    }
    work = .counting(after: slice.last, bytes: bytes + slice.bytes)
  }

  /// Removes snapshots that were never finished, and orphaned rows, once the indexes that find them are
  /// repaired.
  private func clear(_ session: WriterSession) throws {
    try StoreFormat.repairIndexes(of: session.connection)
    try session.journal.removeOrphans()
    try session.snapshots.removeOrphanedLists()
    for (header, _) in try session.snapshots.all() where header.state != .verified {
      try session.snapshots.remove(header.revision)
    }
    while try !session.snapshots.removeOrphans(slice: Self.chunkSlice) {}
  }

  private mutating func finishSnapshot(
    _ header: SnapshotHeader,
    _ session: WriterSession
  ) throws -> PersistenceEvent {
    lastSnapshot = header
    session.recent.remove(through: header.revision)
    notBefore = 0
    journalBytes = try session.journal.bytes(after: header.revision)
    try session.barrier()
    let names = try session.snapshots.names()
    let candidates = try candidates(session)
    snapshotBytes = try session.snapshots.chunkBytes()
    var trim = policy.trim(
      verified: candidates,
      named: Set(names.map(\.revision)),
      slowestReader: pins.lowest
    )
    if trim != SnapshotPolicy.Trim() {
      // Damaged snapshots are removed as well.
      let verified = try session.snapshots.verified().map(\.header.revision)
      trim = SnapshotPolicy.Trim(to: trim.deltasThrough, of: verified, Set(names.map(\.revision)))
      work = .trimming(trim)
    }
    return .snapshot(header.revision)
  }

  /// The sound snapshots with the deltas after each, the newest first.
  private mutating func candidates(
    _ session: WriterSession
  ) throws -> [SnapshotPolicy.Candidate] {
    var candidates: [SnapshotPolicy.Candidate] = []
    var (bytes, changes, age): (Int64, Int64, Int64) = (0, 0, 0)
    var next = session.written.revision
    for (header, _) in try soundSnapshots(session) {
      let extent = try extent(after: header, through: next, session)
      bytes += extent.bytes
      changes += extent.changes
      age += extent.age
      candidates.append(
        SnapshotPolicy.Candidate(
          revision: header.revision,
          age: age,
          bytes: Int64(header.bytes),
          entities: Int64(header.entities),
          journalBytes: bytes,
          changes: changes
        )
      )
      next = header.revision
    }
    return candidates
  }

  private mutating func extent(
    after snapshot: SnapshotHeader,
    through last: Revision,
    _ session: WriterSession
  ) throws -> Extent {
    let first = snapshot.revision
    if let known = extents[first], known.last == last { return known }
    let (bytes, changes) = try session.journal.extent(after: first, through: last)
    var age = HistoryAge(since: snapshot.time)
    try session.journal.forEachTime(after: first, through: last) { age.add($1) }
    let extent = Extent(last: last, bytes: bytes, changes: changes, age: age.microseconds)
    extents[first] = extent
    return extent
  }

  /// Notes how far history was removed.
  private mutating func noteTrimmed(_ session: WriterSession) throws {
    let last = try session.journal.first()?.previous ?? session.written.revision
    trimmed = last > 0 ? last : nil
  }

  /// Does one slice of trimming; returns an event after the last one.
  ///
  /// Each slice reads the anchor's mark and all pins again, in its own transaction, so that what was named
  /// or pinned in the meantime stays.
  private mutating func trim(
    _ trim: SnapshotPolicy.Trim,
    _ session: WriterSession
  ) throws -> PersistenceEvent? {
    var trimmed: Int64 = 0
    let isDone = try session.connection.transaction {
      let named = Set(try session.snapshots.names().map(\.revision))
      let verified = try session.snapshots.verified().map(\.header.revision)
      guard verified.contains(trim.deltasThrough),
        pins.lowest.map({ trim.deltasThrough <= $0 }) ?? true
      else { return true }
      for revision in trim.snapshots where !named.contains(revision) {
        try session.snapshots.remove(revision)
      }
      let areChunksGone = try session.snapshots.removeOrphans(slice: Self.chunkSlice)
      let (areDeltasGone, bytes) = try session.journal.trim(
        through: trim.deltasThrough,
        slice: Self.trimSlice
      )
      trimmed = bytes
      return areChunksGone && areDeltasGone
    }
    keptJournalBytes? -= trimmed
    guard isDone else { return nil }
    snapshotBytes = try session.snapshots.chunkBytes()
    work = .vacuuming
    let before = self.trimmed
    try noteTrimmed(session)
    guard let last = self.trimmed, last != before else { return nil }
    return .trimmed(through: last)
  }
}
