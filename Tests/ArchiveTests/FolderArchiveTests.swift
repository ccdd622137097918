import Foundation
import ProductSupport
import StrataArchiving
import StrataBase
import StrataJournal
import TestSupport
import Testing

struct FolderArchiveTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("archive")
  }

  private func file(_ name: String) -> String { "\(path)/\(name)" }

  private func files(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: file(folder)).sorted()
  }

  private func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: file(name), encoding: .utf8)
  }

  /// Changes the head, which has the hash of what it says then.
  private static func changeHead(
    of path: String,
    _ change: (inout String) throws -> Void
  ) throws {
    var head = try String(contentsOfFile: "\(path)/head", encoding: .utf8)
    try change(&head)
    let line = ArchiveConformance.rehashed(head)
    try Data(line.utf8).write(to: URL(fileURLWithPath: "\(path)/head"))
  }

  /// Starts to lead and appends segments of one delta each.
  private func led(
    _ archive: FolderArchive,
    segments: ClosedRange<Int64> = 1...2
  ) async throws -> ArchiveTerm {
    let head = try await archive.lead(ArchiveConformance.candidate())
    let term = ArchiveTerm(epoch: head.epoch, lease: ArchiveConformance.lease)
    for revision in segments {
      let segment = ArchiveConformance.segment(revision...revision, epoch: term.epoch)
      try await archive.append(segment, catalog: [1, 2], in: term)
    }
    return term
  }

  private func reason<R>(_ body: () async throws -> R) async -> ArchiveError.Reason? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? ArchiveError)?.reason
    }
  }

  @Test(arguments: ArchiveConformance.Law.allCases)
  func conforms(to law: ArchiveConformance.Law) async throws {
    let path = path
    let conformance = ArchiveConformance(open: { FolderArchive(path) }) { duration in
      try Self.age(path, by: duration)
    }
    try await conformance.check(law)
  }

  /// Makes leases and chunks older, as if time had passed.
  private static func age(_ path: String, by duration: Duration) throws {
    let chunks = try FileManager.default.contentsOfDirectory(atPath: "\(path)/chunks")
    for name in ["head"] + chunks.map({ "chunks/\($0)" }) {
      let file = "\(path)/\(name)"
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      let date = try #require(attributes[.modificationDate] as? Date)
      let older = date.addingTimeInterval(-(duration / .seconds(1)))
      try FileManager.default.setAttributes([.modificationDate: older], ofItemAtPath: file)
    }
  }
}

/// What is left by processes that ended.
extension FolderArchiveTests {
  /// Makes every call from a number on fail, as if the process had ended there.
  private final class End: DiskWatch {
    private let left: Lock<Int>
    private let isHalfDone: Bool

    init(after calls: Int, isHalfDone: Bool) {
      left = Lock(calls)
      self.isHalfDone = isHalfDone
    }

    /// Whether a call has failed.
    var hasCome: Bool { left.withLock { $0 < 0 } }

    func fault(before call: DiskCall) -> DiskCall.Fault? {
      let left = left.withLock { left in
        left -= left < 0 ? 0 : 1
        return left
      }
      return left < 0 ? DiskCall.Fault(code: EIO, isHalfDone: isHalfDone) : nil
    }

    func didMake(_ call: DiskCall) {}
  }

  /// The state of an archive after a change.
  private struct State: Equatable {
    var mark = ArchiveConformance.mark(0)
    var segments: [Revision] = []
    var snapshots: [Revision] = []
    var catalog: [UInt8]?
  }

  private static let chunks = [ArchiveChunk(body: [1, 2]), ArchiveChunk(body: [3])]

  /// Changes with the state after each.
  private func changes(_ archive: FolderArchive) -> [(State, () async throws -> Void)] {
    let term = ArchiveTerm(epoch: 2, lease: .seconds(60))
    var state = State()
    var changes: [(State, () async throws -> Void)] = []
    func add(_ change: @escaping () async throws -> Void) { changes.append((state, change)) }
    func append(_ revisions: ClosedRange<Int64>, _ catalog: [UInt8]?) {
      let segment = ArchiveConformance.segment(revisions, epoch: 2)
      state.mark = segment.end
      state.segments.append(segment.end.revision)
      state.catalog = catalog ?? state.catalog
      add { try await archive.append(segment, catalog: catalog, in: term) }
    }
    func snapshot(_ revision: Int64, _ catalog: [UInt8]?) {
      let snapshot = ArchiveConformance.snapshot(revision)
      let list = ArchiveSnapshot.List(image: [7], chunks: [1: Self.chunks[0].id])
      if snapshot.mark.revision > state.mark.revision { state.mark = snapshot.mark }
      state.snapshots.append(snapshot.mark.revision)
      state.catalog = catalog ?? state.catalog
      add { try await archive.add(snapshot, list, catalog: catalog, in: term) }
    }
    add { _ = try await archive.lead(ArchiveConformance.candidate()) }
    append(1...2, [1])
    add { try await archive.add(Self.chunks, in: term) }
    snapshot(2, [2])
    append(3...3, nil)
    snapshot(10, [3])
    append(11...12, [4])
    add { try await archive.renew(term) }
    return changes
  }

  @Test(arguments: [false, true])
  func `after an end at any call the next leader continues`(isHalfDone: Bool) async throws {
    var calls = 0
    while true {
      let path = directory.path("archive \(calls)")
      let end = End(after: calls, isHalfDone: isHalfDone)
      let archive = FolderArchive(path, on: Disk(watch: end))
      var states = [State()]
      for (state, change) in changes(archive) {
        // What an interrupted change did is whole or nothing.
        states.append(state)
        do {
          try await change()
          states = [state]
        } catch {
          break
        }
      }
      try await checkContinues(FolderArchive(path), from: states, "end after \(calls) calls")
      if !end.hasCome { break }
      calls += 1
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(calls > 50)
  }

  private func checkContinues(
    _ archive: FolderArchive,
    from states: [State],
    _ comment: Comment
  ) async throws {
    let head = try await archive.lead(ArchiveConformance.candidate())
    #expect(head.epoch >= 2)
    var state = State(mark: head.mark)
    state.segments = try await archive.segments(after: 0, bytes: .max).map(\.end.revision)
    state.snapshots = try await archive.snapshots().map(\.mark.revision)
    state.catalog = try? await archive.catalog()
    #expect(states.contains(state), comment)
    for snapshot in state.snapshots {
      let list = try await archive.list(of: snapshot)
      for chunk in try await archive.chunks(Array(list.chunks.values)) { try chunk.check() }
    }
    // Another history, as another leader has it, past what was left behind.
    let segment = ArchiveConformance.segment(
      through: 40,
      "z",
      after: head.mark,
      epoch: head.epoch
    )
    let term = ArchiveTerm(epoch: head.epoch, lease: .seconds(60))
    try await archive.append(segment, catalog: [9], in: term)
    let segments = try await archive.segments(after: 0, bytes: .max)
    #expect(segments.map(\.end.revision) == state.segments + [40], comment)
    #expect(segments.last == segment, comment)
    #expect(try await archive.snapshots().map(\.mark.revision) == state.snapshots, comment)
    let names = try FileManager.default.subpathsOfDirectory(atPath: archive.name)
    #expect(names.filter { $0.contains(".writing-") } == [], comment)
    #expect(names.count { $0.hasPrefix("images/catalog-") } <= 2, comment)
  }

  @Test
  func `what is beyond the head does not count, and a snapshot past it does not make it so`()
    async throws
  {
    let archive = FolderArchive(path)
    let term = try await led(archive)
    // The process ends before it replaces the head.
    let ending = FolderArchive(path, on: Disk(watch: NoRename(to: file("head"))))
    let segment = ArchiveConformance.segment(3...3, epoch: term.epoch)
    for change in [
      { try await ending.append(segment, catalog: nil, in: term) },
      {
        let list = ArchiveSnapshot.List(image: [], chunks: [:])
        let snapshot = ArchiveConformance.snapshot(3)
        try await ending.add(snapshot, list, catalog: nil, in: term)
      },
    ] as [() async throws -> Void] {
      guard case .away = await reason(change) else {
        Issue.record("the head is replaced")
        return
      }
    }
    #expect(try files("segments").count == 3)
    #expect(try files("snapshots").count == 1)
    #expect(try await archive.segments(after: 0, bytes: .max).map(\.end.revision) == [1, 2])
    #expect(try await archive.snapshots() == [])
    #expect(await reason { try await archive.list(of: 3) } == .notFound("snapshot 3"))
    try await archive.add(
      ArchiveConformance.snapshot(9, "b"),
      .init(image: [], chunks: [:]),
      catalog: nil,
      in: term
    )
    #expect(try await archive.segments(after: 0, bytes: .max).map(\.end.revision) == [1, 2])
    #expect(try await archive.snapshots().map(\.mark.revision) == [9])
  }
}

/// A disk on which a file does not get a name.
private final class NoRename: DiskWatch {
  private let name: String

  init(to name: String) { self.name = name }

  func fault(before call: DiskCall) -> DiskCall.Fault? {
    if case .rename(_, name) = call { DiskCall.Fault(code: EIO) } else { nil }
  }

  func didMake(_ call: DiskCall) {}
}

/// Files that it has not written.
extension FolderArchiveTests {
  @Test
  func `other files in the folder stay, also old ones`() async throws {
    let archive = FolderArchive(path)
    try FileManager.default.createDirectory(
      atPath: file("chunks"),
      withIntermediateDirectories: true
    )
    try FileManager.default.createDirectory(
      atPath: file("segments"),
      withIntermediateDirectories: true
    )
    try FileManager.default.createDirectory(
      atPath: file("snapshots"),
      withIntermediateDirectories: true
    )
    let others = [
      "catalog-of-books", "catalog-1-2-three", "notes.writing-tips", "chunks/notes.txt",
      "segments/1-2-3", "segments/notes", "snapshots/.DS_Store", "snapshots/7",
      "chunks/\(ArchiveChunk(body: [1]).id)",
    ]
    for name in others {
      try write("mine", name)
      let old = Date(timeIntervalSinceNow: -90_000)
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file(name))
    }
    let term = try await led(archive)
    try await archive.add(
      ArchiveConformance.snapshot(2),
      .init(image: [], chunks: [:]),
      catalog: [3],
      in: term
    )
    try await archive.remove(segmentsThrough: Revision(.max), snapshots: [7])
    for name in others { #expect(try text(name) == "mine", "\(name)") }
    #expect(try await archive.snapshots().count == 1)
    #expect(try await archive.segments(after: 0, bytes: .max) == [])
  }

  @Test(arguments: ["segments", "snapshots", "images", "chunks"])
  func `a link as one of its folders is refused, and nothing behind it is removed`(
    folder: String
  ) async throws {
    let archive = FolderArchive(path)
    let term = try await led(archive)
    let outside = directory.path("outside")
    try FileManager.default.moveItem(atPath: file(folder), toPath: outside)
    let name = ArchiveChunk(body: [1]).id.description
    try Data([1]).write(to: URL(fileURLWithPath: "\(outside)/\(name)"))
    let before = try FileManager.default.contentsOfDirectory(atPath: outside).sorted()
    let old = Date(timeIntervalSinceNow: -90_000)
    try FileManager.default.setAttributes(
      [.modificationDate: old],
      ofItemAtPath: "\(outside)/\(name)"
    )
    try FileManager.default.createSymbolicLink(atPath: file(folder), withDestinationPath: outside)
    let expected = ArchiveError.Reason.damaged("\(path)/\(folder) is a symbolic link, not a folder")
    let segment = ArchiveConformance.segment(3...3, epoch: term.epoch)
    for call in [
      { try await archive.remove(segmentsThrough: 9, snapshots: [1]) },
      { try await archive.append(segment, catalog: nil, in: term) },
      { _ = try await archive.lead(ArchiveConformance.candidate()) },
    ] as [() async throws -> Void] {
      #expect(await reason(call) == expected)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside).sorted() == before)
  }

  @Test
  func `the folder itself may be a link`() async throws {
    let real = directory.path("real")
    try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: real)
    _ = try await led(FolderArchive(path))
    #expect(try await FolderArchive(real).head()?.mark == ArchiveConformance.mark(2))
  }

  @Test
  func `a link, a folder or a FIFO in place of a file is damage`() async throws {
    let archive = FolderArchive(path)
    _ = try await led(archive)
    let name = try #require(try files("segments").first)
    let segment = file("segments/\(name)")
    try FileManager.default.removeItem(atPath: segment)
    try FileManager.default.createSymbolicLink(atPath: segment, withDestinationPath: "/dev/zero")
    #expect(
      await reason { try await archive.segments(after: 0, bytes: .max) }
        == .damaged("\(segment) is a symbolic link, not a regular file")
    )
    try FileManager.default.removeItem(atPath: segment)
    #expect(mkfifo(segment, 0o600) == 0)
    #expect(
      await reason { try await archive.segments(after: 0, bytes: .max) }
        == .damaged("\(segment) is a FIFO, not a regular file")
    )
  }

  @Test
  func `a file that is too large is not read`() async throws {
    let archive = FolderArchive(path)
    _ = try await led(archive)
    let name = try #require(try files("segments").first)
    let segment = file("segments/\(name)")
    // Almost all of it is a hole.
    #expect(truncate(segment, 1 << 41) == 0)
    #expect(
      await reason { try await archive.segments(after: 0, bytes: .max) }
        == .damaged("\(segment) has \(1 << 41) bytes, which is too large")
    )
  }

  @Test
  func `a cut segment is damage or does not have its deltas`() async throws {
    let archive = FolderArchive(path)
    let term = try await led(archive, segments: 1...1)
    let frames: [DeltaFrame] = []
    #expect(ArchiveSegment(of: frames, epoch: term.epoch) == nil)
    let name = try #require(try files("segments").first)
    let contents = try Data(contentsOf: URL(fileURLWithPath: file("segments/\(name)")))
    for count in 0..<contents.count {
      try contents.prefix(count).write(to: URL(fileURLWithPath: file("segments/\(name)")))
      let result = await reason {
        for segment in try await archive.segments(after: 0, bytes: .max) {
          #expect(throws: CorruptionError.self) { try segment.frames() }
        }
      }
      if let result {
        guard case .damaged = result else {
          Issue.record("\(count) bytes: \(result)")
          continue
        }
      }
    }
  }

  @Test
  func `a head with another byte says nothing else`() async throws {
    let archive = FolderArchive(path)
    let term = try await led(archive, segments: 1...1)
    try await archive.release(term)
    let head = try await archive.head()
    let contents = Array(try text("head").utf8)
    #expect(contents.contains(Array("\"hash\":".utf8)))
    for place in contents.indices {
      for bit: UInt8 in [1, 4] {
        var changed = contents
        changed[place] ^= bit
        try Data(changed).write(to: URL(fileURLWithPath: file("head")))
        let reason = await reason {
          let found = try await archive.head()
          #expect(found == head, "byte \(place)")
        }
        switch reason {
        case nil, .damaged, .olderFormat, .newerFormat: break
        default: Issue.record("byte \(place): \(String(describing: reason))")
        }
      }
    }
  }

  @Test
  func `a header with another byte says nothing else`() async throws {
    let archive = FolderArchive(path)
    let term = try await led(archive, segments: 1...1)
    try await archive.add(
      ArchiveConformance.snapshot(1),
      .init(image: [7], chunks: [:]),
      catalog: nil,
      in: term
    )
    let snapshots = try await archive.snapshots()
    let segments = try await archive.segments(after: 0, bytes: .max)
    for folder in ["snapshots", "segments"] {
      let name = file("\(folder)/\(try #require(try files(folder).first))")
      let contents = try [UInt8](Data(contentsOf: URL(fileURLWithPath: name)))
      let end = contents.firstIndex(of: 0x0A) ?? contents.count
      for place in 0..<end {
        for bit: UInt8 in [1, 4] {
          var changed = contents
          changed[place] ^= bit
          try Data(changed).write(to: URL(fileURLWithPath: name))
          let reason = await reason {
            let (foundSnapshots, foundSegments) = (
              try await archive.snapshots(), try await archive.segments(after: 0, bytes: .max)
            )
            #expect(foundSnapshots == snapshots && foundSegments == segments, "byte \(place)")
          }
          if let reason, case .damaged = reason { continue }
          #expect(reason == nil, "byte \(place)")
        }
      }
      try Data(contents).write(to: URL(fileURLWithPath: name))
    }
  }

  @Test
  func `a chunk of other bytes does not have its hash`() async throws {
    let archive = FolderArchive(path)
    let term = try await led(archive)
    let chunk = ArchiveChunk(body: [1, 2, 3])
    try await archive.add([chunk], in: term)
    try write("other", "chunks/\(try #require(try files("chunks").first))")
    let read = try #require(try await archive.chunks([chunk.id]).first)
    #expect(throws: CorruptionError.self) { try read.check() }
  }

  @Test(arguments: [
    (#""lease":\d+"#, #""lease":-9223372036854775808"#),
    (#""lease":\d+"#, #""lease":9223372036854775807"#),
    (#""round":\d+"#, #""round":9223372036854775807"#),
    (#""epoch":\d+"#, #""epoch":9223372036854775807"#),
    (#""epoch":\d+"#, #""epoch":-1"#), (#""epoch":\d+"#, #""epoch":1e400"#),
    (#""revision":\d+"#, #""revision":-1"#),
    (#""revision":\d+"#, #""revision":9223372036854775807"#),
    (#""chain":"\w+""#, #""chain":"../../x""#),
    (#""catalog":"[^"]+""#, #""catalog":"../outside""#),
    (#""format":\d+"#, #""format":5"#), (#""format":\d+"#, #""format":3"#),
    (#""format":\d+"#, #""format":-7"#),
    (#""store":"[^"]+""#, #""store":"x""#), (#".*"#, ""), (#".*"#, "[[[[[[[["),
  ])
  func `a head of any numbers and names is read or refused`(change: (String, String)) async throws {
    let archive = FolderArchive(path)
    let term = try await led(archive)
    try Data("outside".utf8).write(to: URL(fileURLWithPath: directory.path("outside")))
    try Self.changeHead(of: path) { head in
      let range = try #require(head.range(of: change.0, options: .regularExpression))
      head.replaceSubrange(range, with: change.1)
    }
    let segment = ArchiveConformance.segment(3...3, epoch: term.epoch)
    var reasons: [ArchiveError.Reason?] = []
    reasons.append(await reason { try await archive.head() })
    reasons.append(await reason { try await archive.segments(after: 0, bytes: .max) })
    reasons.append(
      await reason {
        let catalog = try await archive.catalog()
        #expect(catalog != Array("outside".utf8))
      }
    )
    reasons.append(await reason { try await archive.renew(term) })
    reasons.append(await reason { try await archive.append(segment, catalog: nil, in: term) })
    reasons.append(await reason { try await archive.lead(ArchiveConformance.candidate()) })
    for case .away(let detail)? in reasons { Issue.record("away: \(detail)") }
    let format = Int(change.1.trimmingPrefix(#""format":"#))
    if let format {
      let refusal: ArchiveError.Reason =
        format < 4
        ? .olderFormat(found: format, known: 4) : .newerFormat(found: format, known: 4)
      #expect(reasons == Array(repeating: refusal, count: reasons.count))
    }
    #expect(FileManager.default.fileExists(atPath: directory.path("outside")))
  }

  /// Stops before one of the calls until something else has happened, as a stopped process that continues then.
  private final class Stop: DiskWatch {
    private let left: Lock<Int>
    private let meanwhile: @Sendable () -> Void

    init(after calls: Int, _ meanwhile: @escaping @Sendable () -> Void) {
      left = Lock(calls)
      self.meanwhile = meanwhile
    }

    /// Whether it has stopped.
    var hasStopped: Bool { left.withLock { $0 < 0 } }

    func fault(before call: DiskCall) -> DiskCall.Fault? {
      let left = left.withLock { left in
        left -= 1
        return left
      }
      if left == -1 { meanwhile() }
      return nil
    }

    func didMake(_ call: DiskCall) {}
  }

  @Test
  func `a leader that is stopped at any call stops no other, and changes nothing afterwards`()
    async throws
  {
    let later: @Sendable () -> Date = { Date(timeIntervalSinceNow: 3_600) }
    for calls in 0... {
      let path = directory.path("archive \(calls)")
      let first = try await led(FolderArchive(path))
      let next = FolderArchive(path, on: .system, patience: .zero, time: later)
      let heads = Lock<[ArchiveHead]>([])
      let stop = Stop(after: calls) {
        let done = Latch()
        Task.detached {
          defer { done.open() }
          let head = try await next.lead(ArchiveConformance.candidate("next"))
          heads.withLock { $0.append(head) }
          let segment = ArchiveConformance.segment(
            through: 40,
            "z",
            after: head.mark,
            epoch: head.epoch
          )
          let term = ArchiveTerm(epoch: head.epoch, lease: ArchiveConformance.lease)
          try await next.append(segment, catalog: [9], in: term)
        }
        #expect(done.wait())
      }
      let stopped = FolderArchive(path, on: Disk(watch: stop))
      let segment = ArchiveConformance.segment(3...3, epoch: first.epoch)
      let error = await reason { try await stopped.append(segment, catalog: [3], in: first) }
      if !stop.hasStopped { break }
      let head = try #require(heads.withLock { $0.first }, "stopped at call \(calls)")
      // What it had done before it stopped is part of the history; later it is refused.
      if head.mark.revision == 2 { #expect(error == .refused, "stopped at call \(calls)") }
      #expect(try await next.head()?.mark.revision == 40, "stopped at call \(calls)")
      #expect(try await next.head()?.epoch == head.epoch, "stopped at call \(calls)")
      let ends = try await next.segments(after: 0, bytes: .max).map(\.end.revision)
      #expect(ends == (head.mark.revision == 2 ? [1, 2, 40] : [1, 2, 3, 40]), "call \(calls)")
      #expect(try await next.catalog() == [9], "stopped at call \(calls)")
    }
  }

  @Test
  func `a lock that is not released is taken over once the lease has ended`() async throws {
    _ = try await led(FolderArchive(path))
    let lock = try Disk.system.open(file("lock"), O_RDWR)
    // It waits: a child of another test holds the file of `led` until it runs its program.
    #expect(try lock.lock(LOCK_EX))
    let early = FolderArchive(path, on: .system, patience: .zero)
    let candidate = ArchiveConformance.candidate("next")
    guard case .led = await reason({ try await early.lead(candidate) }) else {
      Issue.record("it leads before the lease has ended")
      return
    }
    let removal = await reason { try await early.remove(["segments/none"]) }
    guard case .away = removal else {
      Issue.record("\(String(describing: removal))")
      return
    }
    let late = FolderArchive(path, on: .system, patience: .zero) {
      Date(timeIntervalSinceNow: 3_600)
    }
    #expect(try await late.lead(candidate).leader == "next")
    _ = consume lock
  }

  @Test(arguments: [-7_200, 7_200] as [TimeInterval])
  func `a lease runs by the clock of the file system, whatever that of a machine is`(
    difference: TimeInterval
  ) async throws {
    let time: @Sendable () -> Date = { Date(timeIntervalSinceNow: difference) }
    let first = FolderArchive(path, on: .system, time: time)
    let term = try await led(first)
    let candidate = ArchiveConformance.candidate("next")
    let next = FolderArchive(path, on: .system, time: time)
    guard case .led(_, let rest) = await reason({ try await next.lead(candidate) }) else {
      Issue.record("it leads while another does")
      return
    }
    #expect(rest <= ArchiveConformance.lease + .seconds(1))
    try Self.age(path, by: ArchiveConformance.lease)
    #expect(try await next.lead(candidate).leader == "next")
    #expect(await reason { try await first.renew(term) } == .refused)
  }

  @Test
  func `a lease that was released has ended, also by a clock that is behind`() async throws {
    let first = FolderArchive(path)
    await #expect(throws: Never.self) { try await first.release(try await led(first)) }
    let behind = FolderArchive(path, on: .system) { Date(timeIntervalSinceNow: -7_200) }
    #expect(try await behind.head()?.lease == .zero)
    #expect(try await behind.lead(ArchiveConformance.candidate("next")).leader == "next")
  }

  @Test
  func `the time of the file system is asked for once, and leaves nothing`() async throws {
    final class Made: DiskWatch {
      let times = Lock(0)
      func fault(before call: DiskCall) -> DiskCall.Fault? {
        if case .open(let path) = call, path.contains("/time.writing-") {
          times.withLock { $0 += 1 }
        }
        return nil
      }
      func didMake(_ call: DiskCall) {}
    }
    _ = try await led(FolderArchive(path))
    let made = Made()
    let archive = FolderArchive(path, on: Disk(watch: made))
    let before = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    for _ in 0..<5 { #expect(try await archive.head()?.lease ?? .zero > .zero) }
    #expect(made.times.withLock { $0 } == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == before)
  }

  @Test
  func `without its lock nothing is changed`() async throws {
    final class NoLock: DiskWatch {
      func fault(before call: DiskCall) -> DiskCall.Fault? {
        if case .lock = call { DiskCall.Fault(code: EWOULDBLOCK) } else { nil }
      }
      func didMake(_ call: DiskCall) {}
    }
    let term = try await led(FolderArchive(path))
    let archive = FolderArchive(path, on: Disk(watch: NoLock()))
    let before = try text("head")
    guard case .away = await reason({ try await archive.renew(term) }) else {
      Issue.record("it was changed")
      return
    }
    #expect(try text("head") == before)
  }
}
