import Foundation
import StrataBase
import StrataJournal
import StrataSQLite
import StrataSchema
import StrataStorage

/// Sends the deltas that an archive lacks, and knows how far the archive is.
///
/// It belongs to the `ArchiveShipper` that holds it, and runs where that runs.
final class SegmentSender {
  /// What the catalog says: a new one is sent when it differs.
  private struct CatalogState: Equatable, Sendable {
    let migrations: [DataLedger.Entry]
    let lineage: Lineage.ID
    let tables: [ListedTable]
    let columns: [DeclaredColumn]
  }

  /// What was read of the file to be sent together.
  private struct Batch: Sendable {
    var frames: [DeltaFrame] = []
    var catalog: [UInt8]?
    var state: CatalogState?
    var owesSnapshot = false
    /// The lineage of the file.
    var lineage: Lineage.ID?
  }

  enum Outcome {
    /// The archive has got a segment. What is not sent yet is not older than the time.
    case sent(HistoryMark, Date, owesSnapshot: Bool)
    /// There is nothing more.
    case allSent
    /// A file that an opening has repaired goes on in another lineage, which is compared first.
    case isElsewhere
  }

  private let archive: any Archive
  private let writer: JournalWriter
  private let reader: HistoryReader
  private let policy: ArchivePolicy

  /// How far the archive is; nil until it is known.
  private(set) var mark: HistoryMark?
  /// The lineage that the archive is led for; nil until it is known.
  var lineage: Lineage.ID?
  /// Keeps the deltas that the archive lacks; nil once there are too many.
  private var pin: HistoryPins.Pin?
  /// What the archive's catalog was made of.
  private var catalogState: CatalogState?
  private var backlogCheck = Scheduling.now

  init(
    of writer: JournalWriter,
    _ reader: HistoryReader,
    continuing opening: ArchiveOpening
  ) {
    self.writer = writer
    self.reader = reader
    (archive, policy) = (opening.archive, opening.policy)
    (mark, lineage) = (opening.mark, opening.lineage)
    pin = writer.pins.pin(opening.mark?.revision ?? 0)
  }

  /// Notes that the archive ends at a mark, and that nothing else is known of its contents.
  func start(at mark: HistoryMark) { (self.mark, catalogState) = (mark, nil) }

  /// Notes how far the archive is.
  func advance(to mark: HistoryMark) {
    self.mark = mark
    pin?.advance(to: mark.revision)
    if pin == nil { pin = writer.pins.pin(mark.revision) }
  }

  /// Keeps no deltas any more.
  func unpin() { pin = nil }

  /// Whether the archive lacks deltas that may be sent.
  var hasWork: Bool { mark.map { $0.revision < sendable } ?? true }

  /// What may be sent: what a power cut cannot take from the file, unless nothing is synced by itself.
  private var sendable: Revision {
    let current = writer.queue.current
    return writer.configuration.durability.syncsGroups ? current.durable : current.written
  }

  /// Sends the next segment.
  ///
  /// - Throws: `.trimmed` if the file has the next deltas no more.
  nonisolated(nonsending)
    func send(after mark: HistoryMark, in term: ArchiveTerm, besides snapshots: SentSnapshots?)
    async throws -> Outcome
  {
    let batch = try await read(after: mark, snapshots)
    guard let segment = ArchiveSegment(of: batch.frames, epoch: term.epoch) else {
      return batch.lineage == lineage ? .allSent : .isElsewhere
    }
    try await archive.append(segment, catalog: batch.catalog, in: term)
    catalogState = batch.state
    return .sent(segment.end, segment.times.upperBound, owesSnapshot: batch.owesSnapshot)
  }

  nonisolated(nonsending)
    private func read(after mark: HistoryMark, _ snapshots: SentSnapshots?) async throws -> Batch
  {
    let (limit, known, last) = (policy.segmentBytes, catalogState, sendable)
    let (interval, lineage) = (policy.snapshotInterval, lineage)
    return try await reader.read { view in
      var batch = Batch(lineage: view.identity.lineage)
      if batch.lineage != lineage { return batch }
      let connection = view.journal.connection
      let state = CatalogState(
        migrations: try DataLedger.entries(on: connection),
        lineage: view.identity.lineage,
        tables: view.listed,
        columns: view.columns
      )
      batch.state = state
      if state != known {
        batch.catalog = try ArchiveImage(view: view, source: connection).catalog()
      }
      batch.frames = try Self.frames(in: view, after: mark, through: last, bytes: limit)
      let end = batch.frames.last?.header.revision ?? mark.revision
      batch.owesSnapshot = snapshots?.next(in: view, through: end, every: interval) != nil
      return batch
    }
  }

  /// All that is written after a mark, in segments; nil if the file is in another lineage meanwhile.
  nonisolated(nonsending)
    func segments(after mark: HistoryMark, in term: ArchiveTerm) async throws -> [ArchiveSegment]?
  {
    let (limit, last, lineage) = (policy.segmentBytes, sendable, lineage)
    var segments: [ArchiveSegment] = []
    while true {
      let end = segments.last?.end ?? mark
      let frames = try await reader.read { view -> [DeltaFrame]? in
        guard view.identity.lineage == lineage else { return nil }
        return try Self.frames(in: view, after: end, through: last, bytes: limit)
      }
      guard let frames else { return nil }
      guard let segment = ArchiveSegment(of: frames, epoch: term.epoch) else { return segments }
      segments.append(segment)
    }
  }

  private static func frames(
    in view: ReadView,
    after mark: HistoryMark,
    through last: Revision,
    bytes limit: Int
  ) throws -> [DeltaFrame] {
    var reader = try FrameReader(view, after: mark.revision, bytes: limit)
    guard reader.chain == mark.checksum else {
      throw CorruptionError("the file has another history than its archive at \(mark)")
    }
    var frames: [DeltaFrame] = []
    var bytes = 0
    while bytes < limit, let frame = try reader.next(), frame.header.revision <= last {
      bytes += frame.header.footprint
      frames.append(frame)
    }
    return frames
  }

  /// Stops to keep the deltas if there are too many.
  nonisolated(nonsending)
    func limitBacklog() async
  {
    guard pin != nil, Scheduling.now >= backlogCheck else { return }
    backlogCheck = Scheduling.now + .seconds(5)
    let after = mark?.revision ?? 0
    do {
      let bytes = try await reader.read { try $0.journal.bytes(after: after) }
      if bytes > policy.maxBacklog { pin = nil }
    } catch _ {
      // Read again when it is due.
      return
    }
  }
}
