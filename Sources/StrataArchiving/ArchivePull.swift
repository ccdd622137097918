import Foundation
import StrataBase
package import StrataJournal
import StrataSQLite
import StrataStorage

/// Brings the history of a store from an archive into a file.
///
/// It runs on an executor of its own, as it waits for the disk.
package actor ArchivePull {
  private let executor = FileExecutor(label: "strata.pull")
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  let archive: any Archive
  let path: StorePath
  let disk: Disk

  /// Roughly how many bytes of chunks and segments are in memory at a time.
  static let batch = 4 << 20

  package init(from archive: any Archive, to path: StorePath, on disk: Disk) {
    self.archive = archive
    self.path = path
    self.disk = disk
  }

  /// Which point of the history the file is to end at.
  package enum End: Sendable {
    /// Where the archive ends.
    case head
    /// There, or at the last delta before which nothing is missing: a copy of an archive that was made while it was written.
    case lastWhole
    /// An earlier point; the file is in a new lineage, as its history is cut.
    case point(HistoryPoint)
  }

  /// Which deltas the file is to have.
  package enum Extent: Sendable {
    /// Those after the last snapshot before the end.
    case nearest
    /// All that the archive has without a gap before its head.
    case whole
  }

  /// Creates the file from the nearest snapshot and the segments after it; returns its position.
  ///
  /// The file gets its name once all of it was verified. O(entities and deltas).
  ///
  /// Throws `.fileExists`, `.archive`, with `.gap` for a revision in a gap, `.notReached`, `.trimmed`, `.merged`,
  /// `.beforeHistory`, `.notFound` for the name of a snapshot, and for the disk.
  package func run(
    to end: End = .head,
    _ extent: Extent = .nearest
  ) async throws(PersistenceError) -> Position {
    let file = try NewFile(at: path, for: .archiving, on: disk)
    return try await make(file, to: end, extent) { try file.giveName(at: $0) }
  }

  /// Puts the history of the archive in the place of a closed file; returns its position.
  ///
  /// The new file gets the name once all of it was verified: a crash leaves the one or the other. O(entities and deltas).
  ///
  /// Throws as ``run(to:_:)`` does, except `.fileExists`; also `.alreadyOpen`, and `.busy` while a reader keeps SQLite's
  /// WAL; and `.archive` with `.refused` where the archive has another history than the file was compared with.
  ///
  /// - Parameter compared: The end of the history that replaces the history of the file.
  package func replace(by compared: HistoryMark) async throws(PersistenceError) -> Position {
    let store = try OwnedStore(path, for: .archiving, PersistenceConfiguration(on: disk))
    defer { withExtendedLifetime(store) {} }
    let file = NewFile(replacing: path, for: .archiving, on: disk)
    return try await make(file, to: .head, .nearest) { position in
      // The file is kept nowhere else.
      if try await archive.head(replacing: compared) != nil {
        throw ArchiveError(.refused, archive: archive.name)
      }
      let former = try store.connectForWriting()
      // The two files may be of one lineage, so the head of one would be damage for the other.
      try disk.remove(path.head)
      try file.replaceStore(closing: former, at: position)
    }
  }

  /// Makes a file, verifies it, and puts it in its place; if that throws, nothing of it is left.
  private func make(
    _ file: NewFile,
    to end: End,
    _ extent: Extent,
    _ putInPlace: (Position) async throws -> Void
  ) async throws(PersistenceError) -> Position {
    do {
      let position = try await fill(file, to: end, extent)
      try file.verify()
      try await putInPlace(position)
      return position
    } catch {
      file.removeLeftovers()
      throw PersistenceError(.archiving, path: path.file, wrapping: error)
    }
  }

  private func fill(_ file: NewFile, to end: End, _ extent: Extent) async throws -> Position {
    guard let head = try await archive.head() else {
      throw ArchiveError(.empty, archive: archive.name)
    }
    let base = try await base(for: end, extent, head)
    do {
      return try await fill(file, from: base, to: end, head)
    } catch let failure {
      guard await isReplaced(base, head) else { throw failure }
      file.removeLeftovers()
      return try await fill(file, to: end, extent)
    }
  }

  /// Whether the archive has removed a snapshot since, or its history has started again.
  ///
  /// Of an archive that does not answer it is not known: then what has failed before says more.
  private func isReplaced(_ base: ArchiveSnapshot, _ head: ArchiveHead) async -> Bool {
    do {
      let isThere = try await archive.snapshots().contains { $0.mark == base.mark }
      if !isThere { return true }
      return try await archive.head(replacing: head.mark) != nil
    } catch _ {
      return false
    }
  }

  /// Fills a file from a snapshot and the segments after it.
  func fill(
    _ file: NewFile,
    from base: ArchiveSnapshot,
    to end: End,
    _ head: ArchiveHead
  ) async throws -> Position {
    guard head.epoch < StoredNumber.last else { throw damaged("its epoch is \(head.epoch)") }
    let list = try await archive.list(of: base.mark.revision)
    let name = "the list of snapshot \(base.mark.revision)"
    try ArchivedImage(list.image, name, in: archive.name).verify()
    try file.create(with: list.image)
    let connection = try file.connect()
    connection.checkpointsOnClose = .automatic
    try RestoredFile.check(connection, path, .archiving)
    let identity = try StoreIdentity.read(connection)
    guard identity.id == head.store else {
      throw damaged("snapshot \(base.mark.revision) is of the store \(identity.id)")
    }
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    try await check(base, with: try ReadView(connection))
    try await fillChunks(of: list, in: connection)
    var last = base.mark
    // Without it the deltas after the snapshot cannot be read, and the snapshot has one of its own.
    if try await hasCatalog(for: end) {
      last = try await appendSegments(after: last, to: end, head) { frames, epoch in
        try DeltaFrame.append(frames, raisingEpochTo: epoch, to: connection)
      }
      let catalog = try await catalog(of: head)
      try connection.transaction {
        try catalog.write(to: connection, through: last.revision)
      }
    }
    if case .lastWhole = end, last != head.mark {
      Notice.report(
        """
        \(archive.name) is whole up to revision \(last.revision), and its head is at \(head.mark.revision): it may have been \
        copied while it was written; copy its file head first, then the rest
        """
      )
    }
    let isCut = last.revision < head.mark.revision
    return try StoreCopy.finish(connection, isCut ? .restored : nil, raisingEpochTo: head.epoch)
  }

  /// Whether the catalog is there; what lacks it is damaged, but for a copy that was made while it was written.
  private func hasCatalog(for end: End) async throws(ArchiveError) -> Bool {
    guard case .lastWhole = end else { return true }
    do throws(ArchiveError) {
      _ = try await archive.catalog()
      return true
    } catch {
      guard case .notFound = error.reason else { throw error }
      return false
    }
  }

  /// The catalog of a history that goes through a head.
  ///
  /// That of a history that has started since would list erasures of what the file still has.
  ///
  /// Throws `.refused` if the archive has another history by now.
  private func catalog(of head: ArchiveHead) async throws -> ArchiveCatalog {
    let catalog = try await ArchiveCatalog(of: archive)
    if try await archive.head(replacing: head.mark) != nil {
      throw ArchiveError(.refused, archive: archive.name)
    }
    return catalog
  }

  /// Compares the header of a snapshot with the snapshot itself: not every archive has a hash over the header.
  private func check(_ said: ArchiveSnapshot, with view: ReadView) async throws {
    let header = view.snapshots.first { $0.header.revision == said.mark.revision }?.header
    let names = view.names.filter { $0.revision == said.mark.revision }.map(\.name)
    guard let header else { throw damaged("the list of snapshot \(said.mark.revision) lacks it") }
    let found = ArchiveSnapshot(header, names: names)
    if found.says(said) { return }
    // It may have got a name since its header was read.
    let now = try await archive.snapshots().first { $0.mark == said.mark }
    guard let now, found.says(now) else {
      throw damaged(
        """
        it says that snapshot \(said.mark.revision) has \(said.summary), and its list has \(found.summary)
        """
      )
    }
  }

  /// The snapshot that the file starts from.
  private func base(
    for end: End,
    _ extent: Extent,
    _ head: ArchiveHead
  ) async throws -> ArchiveSnapshot {
    let snapshots = try await archive.snapshots()
    guard let oldest = snapshots.first else {
      throw ArchiveError(.notFound("snapshot"), archive: archive.name)
    }
    let base: ArchiveSnapshot?
    switch end {
    case .head where extent == .whole:
      let start = try await archive.gaps().last?.upperBound ?? 0
      base = snapshots.first { $0.mark.revision >= start }
    case .head: base = snapshots.last { $0.mark.revision <= head.mark.revision }
    case .lastWhole: base = try await lastWhole(of: snapshots, head)
    case .point(.revision(let revision)):
      if revision > head.mark.revision {
        throw PersistenceError.Reason.notReached(revision, last: head.mark.revision)
      }
      base = snapshots.last { $0.mark.revision <= revision }
      if base == nil {
        throw PersistenceError.Reason.trimmed(revision, oldest: oldest.mark.revision)
      }
    case .point(.time(let time)):
      base = snapshots.last { $0.time <= time }
      if base == nil { throw PersistenceError.Reason.beforeHistory(oldest.time) }
    case .point(.snapshot(let name)):
      base = snapshots.last { $0.names.contains(name) }
      if base == nil {
        throw ArchiveError(.notFound("snapshot named “\(name)”"), archive: archive.name)
      }
    }
    return base ?? oldest
  }

  /// The last snapshot of which nothing is missing.
  private func lastWhole(
    of snapshots: [ArchiveSnapshot],
    _ head: ArchiveHead
  ) async throws(ArchiveError) -> ArchiveSnapshot? {
    for snapshot in snapshots.reversed() where snapshot.mark.revision <= head.mark.revision {
      do throws(ArchiveError) {
        let list = try await archive.list(of: snapshot.mark.revision)
        if try await archive.missing(Array(list.chunks.values)).isEmpty { return snapshot }
      } catch {
        guard case .notFound = error.reason else { throw error }
      }
    }
    return nil
  }

  private func fillChunks(of list: ArchiveSnapshot.List, in connection: Connection) async throws {
    let numbers = list.chunks.keys.sorted()
    // Chunks have about 256 KB.
    for start in stride(from: 0, to: numbers.count, by: 16) {
      let slice = numbers[start..<min(start + 16, numbers.count)]
      let chunks = try await archive.chunks(slice.compactMap { list.chunks[$0] })
      var bodies: [ArchiveChunk.ID: [UInt8]] = [:]
      for chunk in chunks {
        try chunk.check()
        bodies[chunk.id] = chunk.body
      }
      try connection.transaction {
        for number in slice {
          guard let id = list.chunks[number], let body = bodies[id] else {
            throw damaged("chunk \(number) of a snapshot is missing")
          }
          let count = try connection.run(
            "UPDATE chunk SET body = ? WHERE id = ?",
            [.blob(body), .integer(number)]
          )
          guard count == 1 else { throw damaged("a snapshot does not list its chunk \(number)") }
        }
      }
    }
  }

  /// Appends the deltas after a mark up to the end, and returns where they end.
  ///
  /// - Parameter append: receives them in order, with the epoch that the file has then.
  private func appendSegments(
    after start: HistoryMark,
    to end: End,
    _ head: ArchiveHead,
    _ append: ([DeltaFrame], _ epoch: Int64) throws -> Void
  ) async throws -> HistoryMark {
    var last = start
    if case .point(.snapshot) = end { return last }
    reading: while last.revision < head.mark.revision {
      let segments = try await archive.segments(after: last.revision, bytes: Self.batch)
      if segments.isEmpty { break }
      for segment in segments {
        if last.revision >= head.mark.revision || segment.start.revision > last.revision {
          break reading
        }
        let frames = try continuingFrames(of: segment, after: last)
        let wanted = frames.prefix {
          end.includes($0.header) && $0.header.revision <= head.mark.revision
        }
        try append(Array(wanted), max(head.epoch, segment.epoch))
        if let frame = wanted.last { last = HistoryMark(frame.header.revision, frame.chain) }
        if wanted.count < frames.count {
          let next = frames[wanted.count].header
          end.reportHeldTimes(next)
          try end.checkIsBefore(next)
          return last
        }
      }
    }
    switch end {
    case .head where last != head.mark:
      let isCovered = try await archive.snapshots().contains { $0.mark.revision > last.revision }
      if isCovered { try await throwMissing(last.revision.next) }
      throw damaged("its deltas end at \(last), its head is at \(head.mark)")
    case .point(.revision(let revision)) where last.revision != revision:
      try await throwMissing(revision)
    case .point(.time) where last.revision < head.mark.revision:
      // The deltas after it are missing, and some of them may be from before the time.
      try await throwMissing(last.revision.next)
    default: break
    }
    return last
  }

  /// Throws for a revision whose deltas the archive has lost, or never got.
  private func throwMissing(_ revision: Revision) async throws {
    if let gap = try await archive.gaps().first(where: { $0.contains(revision) }) {
      throw ArchiveError(.gap(gap), archive: archive.name)
    }
    let after = try await archive.snapshots().first { $0.mark.revision >= revision }
    throw PersistenceError.Reason.trimmed(revision, oldest: after?.mark.revision ?? revision)
  }

  /// The deltas of a segment after a mark; nil if the segment does not continue it.
  static func frames(
    of segment: ArchiveSegment,
    after mark: HistoryMark
  ) throws(CorruptionError) -> [DeltaFrame]? {
    let frames = try segment.frames()
    let rest = Array(frames.drop { $0.header.revision <= mark.revision })
    let begin =
      rest.first.map { HistoryMark($0.header.first.previous, $0.chainBefore) }
      ?? frames.last.map { HistoryMark($0.header.revision, $0.chain) }
    return begin == mark ? rest : nil
  }

  /// The same for a segment that must continue it.
  private func continuingFrames(
    of segment: ArchiveSegment,
    after mark: HistoryMark
  ) throws(ArchiveError) -> [DeltaFrame] {
    do {
      if let frames = try Self.frames(of: segment, after: mark) { return frames }
    } catch {
      throw damaged(error.detail)
    }
    throw damaged("the segment through \(segment.end) does not continue \(mark)")
  }

  func damaged(_ detail: String) -> ArchiveError {
    ArchiveError(.damaged(detail), archive: archive.name)
  }
}

extension ArchivePull {
  /// Appends what the archive has after the end of a closed file of the same history, up to a head; returns
  /// the position of the file.
  ///
  /// O(the deltas, and pages of the file).
  package func catchUp(to head: ArchiveHead) async throws(PersistenceError) -> Position {
    do {
      let file = try ReplicaFile(at: path, on: disk)
      let start = HistoryMark(file.position)
      let catalog = try await catalog(of: head)
      _ = try await appendSegments(after: start, to: .head, head) { frames, epoch in
        try file.append(frames, raisingEpochTo: epoch, with: catalog)
      }
      try file.add(catalog: catalog)
      try file.raiseEpoch(to: head.epoch)
      try file.close()
      return file.position
    } catch {
      throw PersistenceError(.archiving, path: path.file, wrapping: error)
    }
  }
}

extension ArchivePull.End {
  /// Whether a delta is part of the history up to here.
  fileprivate func includes(_ header: DeltaHeader) -> Bool {
    switch self {
    case .head, .lastWhole: true
    case .point(.revision(let revision)): header.revision <= revision
    case .point(.time(let time)): header.time <= time.microseconds
    case .point(.snapshot): false
    }
  }

  /// Reports that the first delta beyond a time has one that is ahead of the clock.
  fileprivate func reportHeldTimes(_ next: DeltaHeader) {
    guard case .point(.time) = self,
      HeldTimes.isAhead(next.time, of: Scheduling.date.microseconds)
    else { return }
    Notice.report("\(HeldTimes(time: Date(microseconds: next.time), since: next.first))")
  }

  /// Throws `.merged` if the end is inside the first delta after it.
  fileprivate func checkIsBefore(_ header: DeltaHeader) throws(PersistenceError.Reason) {
    guard case .point(.revision(let revision)) = self, header.first <= revision else { return }
    throw .merged(header.first...header.revision)
  }
}
