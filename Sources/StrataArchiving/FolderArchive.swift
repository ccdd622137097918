package import Foundation
import StrataBase
public import StrataJournal

/// An archive of plain files in a folder: for backups, a shared disk, and tests.
///
/// ```
/// head                            who leads, and how far it is
/// catalog-<epoch>-<revision>      everything that is in no delta
/// segments/<first>-<last>-<chain> deltas
/// snapshots/<revision>            lists of chunks
/// chunks/<SHA-256>                runs of entities
/// lock
/// ```
///
/// After a restart the names of segments and snapshots end with its number, which the head has too: the files of the
/// history before do not count, and are removed.
///
/// A file gets its name once it is synced, and the head is replaced last: files beyond the head do not count,
/// and the next change removes them. A snapshot that is not beyond the head counts from then on, its catalog
/// once the head is replaced. Processes exclude each other by `flock` on the file `lock`, so the file system
/// of a shared disk must support that. Leases run by the clock of each machine.
///
/// A process that holds the lock for more than a second may have been stopped. The leader, and a process that
/// may lead because the lease has ended, then replace the lock file; if the stopped process continues, its
/// changes are refused.
///
/// Other files in the folder stay as they are. The folder may be a link; links inside it are not followed.
public actor FolderArchive: Archive {
  /// The path of the folder.
  public nonisolated let name: String
  private let executor = FileExecutor(label: "strata.archive")
  /// The queue of the archive, because calls wait for the disk.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private let folder: ArchiveFolder
  private let now: @Sendable () -> Date

  /// An archive in a folder, which the first leader creates.
  public init(_ path: String) {
    self.init(path, on: .system, now: { Scheduling.date })
  }

  /// - Parameter patience: How long another process may hold the lock before it is taken over.
  package init(
    _ path: String,
    on disk: Disk,
    patience: Duration = .seconds(1),
    now: @escaping @Sendable () -> Date
  ) {
    name = path
    folder = ArchiveFolder(root: path, disk: disk, patience: patience)
    self.now = now
  }

  /// The format of a folder, which is that of the files in it.
  static let format = 3
}

/// Leading.
extension FolderArchive {
  /// How far the archive is and who leads; nil while it has no store.
  public func head() throws(ArchiveError) -> ArchiveHead? {
    try perform { try readHead().map { archiveHead($0) } }
  }

  /// Starts to lead, and returns the head under the new epoch.
  public func lead(_ candidate: ArchiveCandidate) throws(ArchiveError) -> ArchiveHead {
    try perform {
      if let flaw = candidate.flaw { throw ArchiveError.Reason.unusable(flaw) }
      // A folder of another format stays as it is.
      _ = try readHead()
      try folder.make()
      return try folder.locked {
        _ = try headToFollow(candidate)
      } _: { held in
        try held.removeUnfinished()
        if let head = try readHead() { try removeOtherHistories(than: head, held) }
        return try changeLeader(to: candidate, held)
      }
    }
  }

  /// The head after which a candidate may lead; throws if it may not.
  private func headToFollow(_ candidate: ArchiveCandidate) throws -> Head? {
    guard let head = try readHead() else { return nil }
    if head.store != candidate.store { throw ArchiveError.Reason.otherStore(head.store) }
    let rest = archiveHead(head).lease
    if rest > .zero, head.leader != candidate.leader {
      throw ArchiveError.Reason.led(by: head.leader, for: rest)
    }
    return head
  }

  private func changeLeader(
    to candidate: ArchiveCandidate,
    _ held: borrowing HeldArchiveFolder
  ) throws -> ArchiveHead {
    let before = try headToFollow(candidate)
    let epoch = max(before?.epoch ?? 0, candidate.epoch)
    guard epoch < .max else { throw CorruptionError("its epoch is \(epoch), the last one") }
    var head = Head(
      format: Self.format,
      store: candidate.store,
      epoch: epoch + 1,
      leader: candidate.leader,
      leaseEnd: 0,
      mark: before?.mark ?? candidate.start,
      catalog: before?.catalog,
      restart: before?.restart
    )
    extend(&head, by: candidate.lease)
    try write(head, held)
    return archiveHead(head)
  }

  /// Extends the lease.
  public func renew(_ term: ArchiveTerm) throws(ArchiveError) {
    try change(in: term) { head, _ in extend(&head, by: term.lease) }
  }

  /// Ends the lease, so that another may lead at once.
  public func release(_ term: ArchiveTerm) throws(ArchiveError) {
    do {
      try change(in: term) { head, _ in head.leaseEnd = 0 }
    } catch {
      if error.reason == .refused || error.reason == .empty { return }
      throw error
    }
  }
}

/// Segments.
extension FolderArchive {
  /// Appends a segment after the head; O(files of segments).
  public func append(
    _ segment: ArchiveSegment,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) throws(ArchiveError) {
    try change(in: term, flaw: segment.flaw) { head, held in
      guard head.mark == segment.start, segment.epoch == term.epoch else {
        throw ArchiveError.Reason.refused
      }
      try removeFiles(beyond: head, held)
      try write(segment, head, held)
      head.mark = segment.end
      try put(catalog, in: &head, held)
      extend(&head, by: term.lease)
    }
  }

  /// Removes what an interrupted change has left behind, before the head moves past it.
  private func removeFiles(beyond head: Head, _ held: borrowing HeldArchiveFolder) throws {
    for file in try segmentFiles(of: head) where file.end.revision > head.mark.revision {
      try held.remove("segments/\(file.name)")
    }
    for revision in try snapshotFiles(of: head) where revision > head.mark.revision {
      try held.remove("snapshots/\(head.name(of: revision))")
    }
  }

  private func write(
    _ segment: ArchiveSegment,
    _ head: Head,
    _ held: borrowing HeldArchiveFolder
  ) throws {
    let header = SegmentHeader(segment)
    try held.write(
      try header.encoded() + [0x0A] + segment.body,
      to: "segments/\(header.name)\(head.suffix)"
    )
  }

  /// The segments that have a delta after a revision; O(files of segments).
  public func segments(
    after revision: Revision,
    bytes: Int
  ) throws(ArchiveError) -> [ArchiveSegment] {
    try perform {
      try readHistory { head in
        var segments: [ArchiveSegment] = []
        var size = 0
        for file in try segmentFiles(of: head)
        where file.end.revision > revision && file.end.revision <= head.mark.revision {
          if !segments.isEmpty, size >= bytes { break }
          // A segment that is removed now leaves a gap, as if it had been removed before.
          guard let contents = try folder.read("segments/\(file.name)") else { continue }
          let segment = try Self.segment(contents, file.name, head)
          size += segment.body.count
          segments.append(segment)
        }
        return segments
      } ?? []
    }
  }

  /// The revisions that no segment has; O(files of segments), by their names.
  public func gaps() throws(ArchiveError) -> [ClosedRange<Revision>] {
    try perform {
      try readHistory { head in
        let last = head.mark.revision
        let runs = try segmentFiles(of: head).filter { $0.end.revision <= last }.map {
          $0.first...$0.end.revision
        }
        let snapshots = Set(try snapshotFiles(of: head))
        return ArchiveSegment.gaps(between: runs, last, snapshots: snapshots)
      } ?? []
    }
  }

  /// An image of the store without its history: everything that is in no delta.
  public func catalog() throws(ArchiveError) -> [UInt8] {
    try perform {
      // The head may be replaced after it was read, and its catalog removed.
      for _ in 0..<10 {
        guard let head = try readHead() else { throw ArchiveError.Reason.empty }
        guard let name = head.catalog else { throw ArchiveError.Reason.notFound("catalog") }
        guard Self.isCatalog(name) else {
          throw CorruptionError("its head names \(name) as the catalog")
        }
        if let catalog = try folder.read(name) { return catalog }
      }
      throw ArchiveError.Reason.notFound("catalog")
    }
  }
}

/// Snapshots.
extension FolderArchive {
  /// The snapshots, the oldest first; reads each of their files.
  public func snapshots() throws(ArchiveError) -> [ArchiveSnapshot] {
    try perform {
      try readHistory { head in
        try snapshotFiles(of: head).filter { $0 <= head.mark.revision }.compactMap {
          try readSnapshot($0, head)?.snapshot
        }
      } ?? []
    }
  }

  /// The list of a snapshot.
  public func list(
    of snapshot: Revision
  ) throws(ArchiveError) -> ArchiveSnapshot.List {
    try perform {
      let list = try readHistory { head in
        try snapshot <= head.mark.revision ? readSnapshot(snapshot, head)?.list : nil
      }
      guard let list = list ?? nil else {
        throw ArchiveError.Reason.notFound("snapshot \(snapshot)")
      }
      return list
    }
  }

  private func readSnapshot(
    _ revision: Revision,
    _ head: Head
  ) throws -> (snapshot: ArchiveSnapshot, list: ArchiveSnapshot.List)? {
    let name = head.name(of: revision)
    guard let contents = try folder.read("snapshots/\(name)") else { return nil }
    let read = try Self.snapshot(contents, name)
    guard read.snapshot.mark.revision == revision else {
      throw CorruptionError("snapshot \(name) says that it is of \(read.snapshot.mark)")
    }
    return read
  }

  /// The chunks among these that the archive does not have.
  public func missing(
    _ chunks: [ArchiveChunk.ID]
  ) throws(ArchiveError) -> [ArchiveChunk.ID] {
    try perform {
      let known = try chunkFiles()
      return chunks.filter { !known.contains($0) }
    }
  }

  /// Adds chunks, each as a file of its own.
  public func add(_ chunks: [ArchiveChunk], in term: ArchiveTerm) throws(ArchiveError) {
    // The lock is taken for each chunk, so that others get their turn.
    try perform {
      for chunk in chunks {
        try locked(in: term) { _, held in try held.write(chunk.body, to: "chunks/\(chunk.id)") }
      }
    }
  }

  /// The chunks, each from a file of its own.
  public func chunks(_ ids: [ArchiveChunk.ID]) throws(ArchiveError) -> [ArchiveChunk] {
    try perform {
      try ids.map { id in
        guard let body = try folder.read("chunks/\(id)") else {
          throw ArchiveError.Reason.notFound("chunk \(id)")
        }
        return ArchiveChunk(id: id, body: body)
      }
    }
  }

  /// Adds a snapshot whose chunks are there.
  public func add(
    _ snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) throws(ArchiveError) {
    try change(in: term, flaw: snapshot.flaw) { head, held in
      let isBeyond = snapshot.mark.revision > head.mark.revision
      guard isBeyond || snapshot.mark.revision < head.mark.revision || snapshot.mark == head.mark
      else { throw ArchiveError.Reason.refused }
      try checkChunks(of: list)
      if isBeyond { try removeFiles(beyond: head, held) }
      try write(snapshot, list, head, held)
      if isBeyond { head.mark = snapshot.mark }
      try put(catalog, in: &head, held)
      extend(&head, by: term.lease)
    }
  }

  /// Starts again with a snapshot and the segments after it, and removes all else.
  ///
  /// The head is replaced before anything is removed, so a crash leaves either history, and files that the next leader
  /// removes.
  public func restart(
    from snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    _ segments: [ArchiveSegment],
    catalog: [UInt8],
    in term: ArchiveTerm
  ) throws(ArchiveError) {
    let flaw = ArchiveSegment.flaw(of: segments, after: snapshot)
    try change(in: term, flaw: flaw) { head, held in
      guard segments.allSatisfy({ $0.epoch == term.epoch }) else {
        throw ArchiveError.Reason.refused
      }
      try checkChunks(of: list)
      let former = try allSegmentFiles().map(\.restart) + allSnapshotFiles().map(\.restart)
      head.restart = ((former + [head.restart]).compactMap(\.self).max() ?? 0) + 1
      try write(snapshot, list, head, held)
      for segment in segments { try write(segment, head, held) }
      head.mark = segments.last?.end ?? snapshot.mark
      try put(catalog, in: &head, held)
      extend(&head, by: term.lease)
      try write(head, held)
      try removeOtherHistories(than: head, held)
    }
  }

  /// Removes what is left of the history before a restart, or of a restart that was interrupted.
  private func removeOtherHistories(
    than head: Head,
    _ held: borrowing HeldArchiveFolder
  ) throws {
    let segments = try allSegmentFiles().filter { $0.restart != head.restart }
    let snapshots = try allSnapshotFiles().filter { $0.restart != head.restart }
    if segments.isEmpty, snapshots.isEmpty { return }
    // Chunks first: as long as other files are there, the next leader looks for them.
    var listed: Set<ArchiveChunk.ID> = []
    for revision in try snapshotFiles(of: head) {
      if let list = try readSnapshot(revision, head)?.list { listed.formUnion(list.chunks.values) }
    }
    for id in try chunkFiles() where !listed.contains(id) { try held.remove("chunks/\(id)") }
    for file in segments { try held.remove("segments/\(file.name)") }
    for file in snapshots { try held.remove("snapshots/\(file.name)") }
  }

  /// Removes segments, snapshots, and the chunks that no snapshot lists for an hour.
  public func remove(
    segmentsThrough revision: Revision,
    snapshots: [Revision]
  ) throws(ArchiveError) {
    try perform {
      try folder.locked {
        throw ArchiveError.Reason.away("another process holds its lock, and does not release it")
      } _: { held in
        guard let head = try readHead() else { throw ArchiveError.Reason.empty }
        for file in try segmentFiles(of: head) where file.end.revision <= revision {
          try held.remove("segments/\(file.name)")
        }
        for snapshot in snapshots { try held.remove("snapshots/\(head.name(of: snapshot))") }
        var listed: Set<ArchiveChunk.ID> = []
        for revision in try snapshotFiles(of: head) where revision <= head.mark.revision {
          if let list = try readSnapshot(revision, head)?.list {
            listed.formUnion(list.chunks.values)
          }
        }
        // A leader may be adding the chunks of a snapshot at this moment.
        for id in try chunkFiles() where !listed.contains(id) {
          if try folder.age(of: "chunks/\(id)", now()) > Self.ageOfOrphans {
            try held.remove("chunks/\(id)")
          }
        }
      }
    }
  }

  /// Removes all its files but the lock, the one that says that there is a store last.
  public func removeStore(in term: ArchiveTerm) throws(ArchiveError) {
    try perform {
      try locked(in: term) { _, held in
        for file in try storedFiles() { try held.remove(file) }
        try held.remove("head")
      }
    }
  }

  /// How many bytes its files have; O(files).
  public func bytes() throws(ArchiveError) -> Int64 {
    try perform { try storedFiles().reduce(0) { $0 + (try folder.size(of: $1)) } }
  }

  /// All files of the store but the head: what a reader needs first comes first.
  private func storedFiles() throws -> [String] {
    let snapshots = try allSnapshotFiles().map { "snapshots/\($0.name)" }
    let segments = try allSegmentFiles().map { "segments/\($0.name)" }
    let chunks = try chunkFiles().map { "chunks/\($0)" }
    return snapshots + segments + chunks + (try folder.names(in: "").filter { Self.isCatalog($0) })
  }

  /// How long a chunk may exist without a snapshot: the list is written after the chunks.
  private static let ageOfOrphans: TimeInterval = 3_600
}

extension FolderArchive {
  private func checkChunks(of list: ArchiveSnapshot.List) throws {
    let known = try chunkFiles()
    for id in list.chunks.values where !known.contains(id) {
      throw ArchiveError.Reason.notFound("chunk \(id)")
    }
  }

  private func write(
    _ snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    _ head: Head,
    _ held: borrowing HeldArchiveFolder
  ) throws {
    let header = SnapshotHeaderLine(snapshot, list)
    try held.write(
      try header.encoded() + [0x0A] + list.image,
      to: "snapshots/\(head.name(of: snapshot.mark.revision))"
    )
  }
}

/// The head.
extension FolderArchive {
  /// The file `head`.
  private struct Head: HashedJSON {
    var format: Int
    var store: UUID
    var epoch: Int64
    var leader: String
    /// When the lease ends: microseconds since 1970.
    var leaseEnd: Int64
    var mark: HistoryMark
    /// The name of the file with the catalog.
    var catalog: String?
    /// The number of the last restart: the names of the files of its history end with it.
    var restart: Int64?
    var hash: String?

    var suffix: String { restart.map { "-\($0)" } ?? "" }

    func name(of snapshot: Revision) -> String { FolderArchive.padded(snapshot) + suffix }
  }

  private func archiveHead(_ head: Head) -> ArchiveHead {
    ArchiveHead(
      store: head.store,
      epoch: head.epoch,
      leader: head.leader,
      lease: max(.zero, .microseconds(head.leaseEnd) - .microseconds(now().microseconds)),
      leaseEnd: head.leaseEnd > 0 ? Date(microseconds: head.leaseEnd) : nil,
      mark: head.mark
    )
  }

  private func extend(_ head: inout Head, by lease: Duration) {
    head.leaseEnd = now().microseconds + lease.leaseMicroseconds
  }

  private func readHead() throws -> Head? {
    guard let contents = try folder.read("head") else { return nil }
    struct Format: Decodable { let format: Int }
    do {
      let format = try JSONDecoder().decode(Format.self, from: Data(contents)).format
      try ArchiveError.Reason.check(format: format, known: Self.format)
      let head = try Head(reading: contents, of: "its file head")
      guard head.mark.isWellFormed, head.epoch > 0 else {
        throw CorruptionError("its head has epoch \(head.epoch) and \(head.mark)")
      }
      return head
    } catch let error as DecodingError {
      throw CorruptionError("its file head cannot be read: \(error)")
    }
  }

  /// Reads files of one history; nil while there is no store.
  ///
  /// A restart replaces the head, and then removes the files of the former history: what is missing then is read again.
  private func readHistory<R>(_ body: (Head) throws -> R) throws -> R? {
    while let head = try readHead() {
      let result = Result { try body(head) }
      if try readHead()?.restart == head.restart { return try result.get() }
    }
    return nil
  }

  private func write(_ head: Head, _ held: borrowing HeldArchiveFolder) throws {
    try held.write(try head.encoded(), to: "head")
    for name in try folder.names(in: "") where Self.isCatalog(name) && name != head.catalog {
      try held.remove(name)
    }
  }

  /// Whether a file was named by ``put(_:in:)``; a folder may have other files.
  private static func isCatalog(_ name: String) -> Bool {
    let parts = name.split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "catalog" && isNumber(parts[1]) && isNumber(parts[2])
      && UUID(uuidString: String(parts[3])) != nil
  }

  private static func isNumber(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int64(text) != nil
  }

  private func put(
    _ catalog: [UInt8]?,
    in head: inout Head,
    _ held: borrowing HeldArchiveFolder
  ) throws {
    guard let catalog else { return }
    let name = "catalog-\(head.epoch)-\(head.mark.revision)-\(Scheduling.uuid().uuidString)"
    try held.write(catalog, to: name)
    head.catalog = name
  }

  /// Changes the head while no other process does, if the term is the last one.
  private func change(
    in term: ArchiveTerm,
    flaw: String? = nil,
    _ body: (inout Head, borrowing HeldArchiveFolder) throws -> Void
  ) throws(ArchiveError) {
    try perform {
      if let flaw { throw ArchiveError.Reason.unusable(flaw) }
      try locked(in: term) { head, held in
        try body(&head, held)
        try write(head, held)
      }
    }
  }

  /// Runs `body` while no other process changes the archive, if the term is the last one.
  private func locked(
    in term: ArchiveTerm,
    _ body: (inout Head, borrowing HeldArchiveFolder) throws -> Void
  ) throws {
    try folder.locked {
      _ = try head(in: term)
    } _: { held in
      var head = try head(in: term)
      try body(&head, held)
    }
  }

  private func head(in term: ArchiveTerm) throws -> Head {
    guard let head = try readHead() else { throw ArchiveError.Reason.empty }
    guard term.isTerm(ofEpoch: head.epoch, head.leader) else { throw ArchiveError.Reason.refused }
    return head
  }
}

extension FolderArchive {
  private func perform<R>(_ body: () throws -> R) throws(ArchiveError) -> R {
    do {
      return try body()
    } catch let error as ArchiveError.Reason {
      throw ArchiveError(error, archive: name)
    } catch let error as CorruptionError {
      throw ArchiveError(.damaged(error.detail), archive: name)
    } catch let error as SystemError where error.kind != nil {
      throw ArchiveError(.damaged("\(error)"), archive: name)
    } catch {
      throw ArchiveError(.away("\(error)"), archive: name)
    }
  }

  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }

  fileprivate static func padded(_ revision: Revision) -> String {
    let digits = "\(revision)"
    return String(repeating: "0", count: max(0, 19 - digits.count)) + digits
  }
}

/// The forms of segments and snapshots: a line of JSON, then bytes.
extension FolderArchive {
  private struct SegmentHeader: HashedJSON {
    var start: HistoryMark
    var end: HistoryMark
    var epoch: Int64
    var deltas: Int
    /// Microseconds since 1970.
    var times: [Int64]
    var hash: String?

    init(_ segment: ArchiveSegment) {
      start = segment.start
      end = segment.end
      epoch = segment.epoch
      deltas = segment.deltas
      times = [
        segment.times.lowerBound.nearestMicrosecond, segment.times.upperBound.nearestMicrosecond,
      ]
    }

    /// The names sort in the order of the segments.
    var name: String {
      let first = FolderArchive.padded(start.revision.next)
      return "\(first)-\(FolderArchive.padded(end.revision))-\(end.chain)"
    }
  }

  private struct SnapshotHeaderLine: HashedJSON {
    var mark: HistoryMark
    var time: Int64
    var names: [String]
    var entities: Int
    var bytes: Int64
    /// The SHA-256 of each chunk by its number in the file.
    var chunks: [String: String]
    var hash: String?

    init(_ snapshot: ArchiveSnapshot, _ list: ArchiveSnapshot.List) {
      mark = snapshot.mark
      time = snapshot.time.nearestMicrosecond
      names = snapshot.names
      entities = snapshot.entities
      bytes = snapshot.bytes
      chunks = list.chunks.reduce(into: [:]) { $0["\($1.key)"] = $1.value.description }
    }
  }

  private typealias SegmentFile = (
    name: String, first: Revision, end: HistoryMark, restart: Int64?
  )
  private typealias SnapshotFile = (name: String, revision: Revision, restart: Int64?)

  /// The segments of all histories by their names, in order.
  private func allSegmentFiles() throws -> [SegmentFile] {
    try folder.names(in: "segments").sorted().compactMap { name in
      let parts = name.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3 || parts.count == 4, parts.dropFirst(3).allSatisfy(Self.isNumber),
        Self.isPadded(parts[0]), Self.isPadded(parts[1]),
        let first = Int64(parts[0]), let last = Int64(parts[1]), first <= last
      else { return nil }
      let end = HistoryMark(revision: Revision(last), chain: String(parts[2]))
      let restart = parts.dropFirst(3).first.flatMap { Int64($0) }
      return end.isWellFormed ? (name, Revision(first), end, restart) : nil
    }
  }

  /// The snapshots of all histories by their names, in order.
  private func allSnapshotFiles() throws -> [SnapshotFile] {
    try folder.names(in: "snapshots").sorted().compactMap { name in
      let parts = name.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count <= 2, parts.dropFirst().allSatisfy(Self.isNumber),
        Self.isPadded(parts[0]), let revision = Int64(parts[0])
      else { return nil }
      return (name, Revision(revision), parts.dropFirst().first.flatMap { Int64($0) })
    }
  }

  private func segmentFiles(of head: Head) throws -> [SegmentFile] {
    try allSegmentFiles().filter { $0.restart == head.restart }
  }

  private func snapshotFiles(of head: Head) throws -> [Revision] {
    try allSnapshotFiles().filter { $0.restart == head.restart }.map(\.revision)
  }

  private func chunkFiles() throws -> Set<ArchiveChunk.ID> {
    Set(try folder.names(in: "chunks").compactMap { ArchiveChunk.ID($0) })
  }

  private static func isPadded(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 19 && isNumber(text)
  }

  private static func segment(
    _ contents: [UInt8],
    _ name: String,
    _ head: Head
  ) throws -> ArchiveSegment {
    let (header, body) = try split(contents, as: SegmentHeader.self, "segment \(name)")
    guard header.times.count == 2, header.times[0] <= header.times[1],
      header.name + head.suffix == name
    else {
      throw CorruptionError("the header of segment \(name) is not its own")
    }
    let times = Date(microseconds: header.times[0])...Date(microseconds: header.times[1])
    let segment = ArchiveSegment(
      start: header.start,
      end: header.end,
      epoch: header.epoch,
      deltas: header.deltas,
      times: times,
      body: body
    )
    if let flaw = segment.flaw { throw CorruptionError("\(flaw), as \(name) says") }
    return segment
  }

  private static func snapshot(
    _ contents: [UInt8],
    _ name: String
  ) throws -> (snapshot: ArchiveSnapshot, list: ArchiveSnapshot.List) {
    let (header, image) = try split(contents, as: SnapshotHeaderLine.self, "snapshot \(name)")
    var chunks: [Int64: ArchiveChunk.ID] = [:]
    for (number, text) in header.chunks {
      guard let number = Int64(number), let id = ArchiveChunk.ID(text) else {
        throw CorruptionError("snapshot \(name) lists a chunk \(number) \(text)")
      }
      chunks[number] = id
    }
    let snapshot = ArchiveSnapshot(
      mark: header.mark,
      time: Date(microseconds: header.time),
      names: header.names,
      entities: header.entities,
      bytes: header.bytes
    )
    if let flaw = snapshot.flaw { throw CorruptionError("\(flaw), as \(name) says") }
    return (snapshot, ArchiveSnapshot.List(image: image, chunks: chunks))
  }

  private static func split<Header: HashedJSON>(
    _ contents: [UInt8],
    as type: Header.Type,
    _ place: String
  ) throws -> (Header, [UInt8]) {
    guard let end = contents.firstIndex(of: 0x0A) else {
      throw CorruptionError("\(place) is cut off")
    }
    let header = try Header(reading: contents[..<end], of: "the header of \(place)")
    return (header, Array(contents[(end + 1)...]))
  }
}
