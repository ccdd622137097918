import Foundation
import StrataBase
import StrataJournal
import StrataStorage

/// Sends snapshots of a file to an archive, and knows those that the archive has.
///
/// It belongs to the `ArchiveShipper` that holds it, and runs where that runs.
final class SnapshotSender {
  /// A snapshot whose chunks the archive has.
  struct Prepared: Sendable {
    let snapshot: ArchiveSnapshot
    let list: ArchiveSnapshot.List
    let catalog: [UInt8]
  }

  /// Chooses a snapshot of a file.
  typealias Choice = @Sendable (ReadView) throws -> StoredSnapshot?
  /// Renews the lease if that is due.
  typealias Renewal = nonisolated(nonsending) () async throws -> Void

  private let archive: any Archive
  private let reader: HistoryReader
  private let pins: HistoryPins
  private let interval: Duration
  /// The snapshots of the archive; nil until they are known, and while it has none.
  private(set) var sent: SentSnapshots?
  /// Whether the file may have a snapshot that the archive gets.
  let mayOweOne = Lock(true)

  init(
    of writer: JournalWriter,
    _ reader: HistoryReader,
    continuing opening: ArchiveOpening
  ) {
    self.reader = reader
    archive = opening.archive
    pins = writer.pins
    interval = opening.policy.snapshotInterval
  }

  /// Notes that nothing is known of what the archive has.
  func forget() { sent = nil }

  func noteOwed() { mayOweOne.withLock { $0 = true } }

  /// Asks the archive what it has; returns whether it has one.
  nonisolated(nonsending)
    func readSent() async throws -> Bool
  {
    sent = SentSnapshots(try await archive.snapshots())
    noteOwed()
    return sent != nil
  }

  /// Sends a snapshot if it is time for another, and those with names.
  ///
  /// Returns whether one was sent; there may be more then.
  nonisolated(nonsending)
    func sendIfDue(
      through mark: HistoryMark,
      of lineage: Lineage.ID?,
      in term: ArchiveTerm,
      renewing renew: Renewal
    ) async throws -> Bool
  {
    guard let sent, mayOweOne.withLock({ $0 }) else { return false }
    // One that is made meanwhile sets it again.
    mayOweOne.withLock { $0 = false }
    var isLast = false
    defer { if !isLast { noteOwed() } }
    let interval = interval
    let next = try await send(of: lineage, in: term, renewing: renew) { view in
      sent.next(in: view, through: mark.revision, every: interval)
    }
    isLast = next == nil
    return !isLast
  }

  /// Sends a snapshot, and those of its chunks that the archive lacks; returns its mark.
  nonisolated(nonsending)
    func send(
      of lineage: Lineage.ID?,
      in term: ArchiveTerm,
      renewing renew: Renewal,
      _ choose: @escaping Choice
    ) async throws -> HistoryMark?
  {
    guard let new = try await prepare(of: lineage, in: term, renewing: renew, choose) else {
      return nil
    }
    try await archive.add(new.snapshot, new.list, catalog: new.catalog, in: term)
    if sent?.add(new.snapshot) == nil { sent = SentSnapshots(new.snapshot) }
    return new.snapshot.mark
  }

  /// Reads a snapshot, and sends those of its chunks that the archive lacks.
  ///
  /// Returns nil if there is none, or the file is in another lineage.
  nonisolated(nonsending)
    func prepare(
      of lineage: Lineage.ID?,
      in term: ArchiveTerm,
      renewing renew: Renewal,
      _ choose: @escaping Choice
    ) async throws -> Prepared?
  {
    // While it is read, it is not removed.
    let whole = pins.pin(0)
    defer { withExtendedLifetime(whole) {} }
    let prepared = try await reader.read { view -> Prepared? in
      guard view.identity.lineage == lineage, let chosen = try choose(view) else { return nil }
      let image = ArchiveImage(view: view, source: view.journal.connection)
      let (list, names) = try image.list(of: chosen)
      return Prepared(
        snapshot: ArchiveSnapshot(chosen.header, names: names),
        list: list,
        catalog: try image.catalog()
      )
    }
    guard let prepared else { return nil }
    let missing = Set(try await archive.missing(Array(Set(prepared.list.chunks.values))))
    let numbers = prepared.list.chunks.filter { missing.contains($0.value) }.keys.sorted()
    for start in stride(from: 0, to: numbers.count, by: 16) {
      try Task.checkCancellation()
      let slice = numbers[start..<min(start + 16, numbers.count)]
      let chunks = try await reader.read { view -> [ArchiveChunk]? in
        // An erasure has written them again.
        guard view.identity.lineage == lineage else { return nil }
        return try slice.map { try ArchiveImage.chunk($0, in: view.journal.connection) }
      }
      guard let chunks else { return nil }
      try await archive.add(chunks, in: term)
      try await renew()
    }
    return prepared
  }
}

/// The snapshots that an archive has, and the next one to send.
struct SentSnapshots: Sendable {
  private(set) var newest: ArchiveSnapshot
  private var named: Set<Named> = []

  /// A name and the revision that it stands for.
  private struct Named: Hashable {
    let name: String
    let revision: Revision
  }

  init(_ first: ArchiveSnapshot) {
    newest = first
    add(first)
  }

  /// Nil if there is none.
  init?(_ snapshots: [ArchiveSnapshot]) {
    guard let first = snapshots.first else { return nil }
    self.init(first)
    for snapshot in snapshots { add(snapshot) }
  }

  mutating func add(_ snapshot: ArchiveSnapshot) {
    if newest.mark.revision < snapshot.mark.revision { newest = snapshot }
    for name in snapshot.names {
      named.insert(Named(name: name, revision: snapshot.mark.revision))
    }
  }

  /// The snapshot of a file to send next: one with a name that the archive lacks, or one that is new enough.
  ///
  /// - Parameters:
  ///   - last: How far the archive is.
  ///   - interval: By how much it must be newer than the newest one, if it has no name.
  func next(
    in view: ReadView,
    through last: Revision,
    every interval: Duration
  ) -> StoredSnapshot? {
    let candidates = view.verified.filter { $0.header.revision <= last }
    let unsent = candidates.first { snapshot in
      view.names.contains { name, revision in
        revision == snapshot.header.revision
          && !named.contains(Named(name: name, revision: revision))
      }
    }
    if let unsent { return unsent }
    return candidates.first { snapshot in
      let age = Date(microseconds: snapshot.header.time).timeIntervalSince(newest.time)
      return snapshot.header.revision > newest.mark.revision && .seconds(age) >= interval
    }
  }
}
