import Foundation
import ProductSupport
import StrataArchiving
import StrataBase
import StrataJournal
import TestSupport
import Testing

/// The rules of archives over the five operations, at a server of objects and with processes that stop anywhere.
struct ObjectArchiveTests {
  private static let seed = randomSeed()

  @Test(arguments: ArchiveConformance.Law.allCases, [0, 5])
  func `an object store over HTTP does what an archive must do, also where answers are lost`(
    _ law: ArchiveConformance.Law,
    faults: Int
  ) async throws {
    for seed in Self.seed..<Self.seed + 5 {
      let server = ObjectServer(seed: seed, faults: faults)
      let conformance = ArchiveConformance(open: { ServerArchive(server) }) { server.pass($0) }
      do {
        try await conformance.check(law)
      } catch {
        Issue.record("seed \(seed), one of \(faults) fails: \(error)")
        return
      }
    }
  }

  private func lead(_ archive: any Archive, _ leader: String = "ann") async throws -> ArchiveTerm {
    let head = try await archive.lead(ArchiveConformance.candidate(leader))
    return ArchiveTerm(epoch: head.epoch, lease: ArchiveConformance.lease, leader: leader)
  }

  @Test
  func `a put that arrives after another process leads has no effect`() async throws {
    let server = ObjectServer(seed: Self.seed)
    let (first, second) = (ServerArchive(server), ServerArchive(server))
    let term = try await lead(first)
    server.lose { request in
      if case .put("head", _, _) = request { true } else { false }
    }
    let segment = ArchiveConformance.segment(1...1, epoch: term.epoch)
    let error = await #expect(throws: ArchiveError.self) {
      try await first.append(segment, catalog: [1], in: term)
    }
    guard case .away = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    server.lose { _ in false }
    #expect(try await second.head()?.mark == ArchiveConformance.mark(0))
    let next = try await lead(second)
    server.deliver()
    #expect(try await second.head()?.epoch == next.epoch)
    #expect(try await second.segments(after: 0, bytes: .max) == [])
    let other = ArchiveConformance.segment(
      through: 1,
      "b",
      after: ArchiveConformance.mark(0),
      epoch: next.epoch
    )
    try await second.append(other, catalog: nil, in: next)
    #expect(try await first.segments(after: 0, bytes: .max) == [other])
  }

  /// An archive where something else happens at one of its operations.
  private final class StoppedArchive: ObjectArchive {
    let name: String
    let memory = ObjectMemory()
    private let inner: MemoryArchive
    private let left: Lock<Int>
    private let isAnswered: Bool
    private let meanwhile: @Sendable () async throws -> Void

    /// - Parameter isAnswered: Whether the process stops before the operation. If not, no answer to the operation comes.
    init(
      _ inner: MemoryArchive,
      after operations: Int,
      isAnswered: Bool = true,
      _ meanwhile: @escaping @Sendable () async throws -> Void
    ) {
      name = inner.name
      (self.inner, left, self.meanwhile) = (inner, Lock(operations), meanwhile)
      self.isAnswered = isAnswered
    }

    /// Whether it has stopped.
    var hasStopped: Bool { left.withLock { $0 < 0 } }

    private func perform<R>(_ operation: () async -> R) async throws(ArchiveError) -> R {
      let left = left.withLock { left in
        left -= 1
        return left
      }
      guard left == -1 else { return await operation() }
      if !isAnswered { _ = await operation() }
      do {
        try await meanwhile()
      } catch {
        throw ArchiveError(.unusable("the other process failed: \(error)"), archive: name)
      }
      if isAnswered { return await operation() }
      throw ArchiveError(.away("no answer"), archive: name)
    }

    func get(_ name: String) async throws(ArchiveError) -> ObjectContents? {
      try await perform { await inner.get(name) }
    }

    func put(
      _ body: [UInt8],
      as name: String,
      if condition: ObjectCondition
    ) async throws(ArchiveError) -> ObjectContents.Tag? {
      try await perform { await inner.put(body, as: name, if: condition) }
    }

    func list(
      _ prefix: String,
      after name: String
    ) async throws(ArchiveError) -> [ObjectEntry] {
      try await perform { await inner.list(prefix, after: name) }
    }

    func remove(_ names: [String]) async throws(ArchiveError) {
      // Each of them is an operation.
      for name in names { try await perform { await inner.remove([name]) } }
    }
  }

  /// What a process does with an archive.
  enum Work: String, CaseIterable, Sendable {
    case append, addSnapshot, restart, remove, lead, removeStore
  }

  private static let chunks = ([1, 2, 3, 4] as [UInt8]).map { ArchiveChunk(body: [$0]) }

  /// Does it as the leader of the head that is there, or by itself.
  private static func perform(_ work: Work, _ archive: any Archive, _ leader: String) async throws {
    guard let head = try await archive.head() else { return }
    let term = ArchiveTerm(epoch: head.epoch, lease: .seconds(60), leader: head.leader)
    let next = ArchiveConformance.segment(
      through: head.mark.revision.number + 2,
      leader,
      after: head.mark,
      epoch: head.epoch
    )
    let snapshots = try await archive.snapshots().map(\.mark)
    let list = ArchiveSnapshot.List(image: [7], chunks: [1: chunks[1].id, 2: chunks[2].id])
    switch work {
    case .append: try await archive.append(next, catalog: [UInt8(head.epoch)], in: term)
    case .addSnapshot:
      try await send(list, to: archive, in: term)
      let snapshot = ArchiveSnapshot(mark: head.mark, time: .now, names: [], entities: 1, bytes: 1)
      try await archive.add(snapshot, list, catalog: [1], in: term)
    // A store that was removed begins anew: it has nothing to restart from.
    case .restart where head.mark.revision == 0:
      try await archive.append(next, catalog: [1], in: term)
    case .restart:
      try await send(list, to: archive, in: term)
      let snapshot = ArchiveConformance.snapshot(head.mark.revision.number - 1, leader)
      let segment = ArchiveConformance.segment(
        through: head.mark.revision.number,
        leader,
        after: snapshot.mark,
        epoch: head.epoch
      )
      try await archive.restart(from: snapshot, list, [segment], catalog: [2], in: term)
    case .remove:
      let oldest = snapshots.dropLast().map(\.revision)
      try await archive.remove(segmentsThrough: 3, snapshots: oldest)
    case .lead: _ = try await archive.lead(ArchiveConformance.candidate(head.leader))
    case .removeStore: try await archive.removeStore(in: term)
    }
  }

  private static func send(
    _ list: ArchiveSnapshot.List,
    to archive: any Archive,
    in term: ArchiveTerm
  ) async throws {
    let missing = Set(try await archive.missing(Array(list.chunks.values)))
    try await archive.add(chunks.filter { missing.contains($0.id) }, in: term)
  }

  /// An archive that has been led twice, with segments, two snapshots, and chunks that no snapshot lists, all of them old.
  private func filled(_ now: @escaping @Sendable () -> Date) async throws -> MemoryArchive {
    let archive = MemoryArchive(now: now)
    var term = try await lead(archive)
    for revision: Int64 in 1...4 {
      let segment = ArchiveConformance.segment(revision...revision, epoch: term.epoch)
      try await archive.append(segment, catalog: [UInt8(revision)], in: term)
      if revision == 2 {
        term = try await lead(archive)
        try await archive.add([Self.chunks[0], Self.chunks[1]], in: term)
        for snapshot: Int64 in 1...2 {
          let list = ArchiveSnapshot.List(image: [], chunks: [1: Self.chunks[Int(snapshot) - 1].id])
          try await archive.add(
            ArchiveConformance.snapshot(snapshot),
            list,
            catalog: nil,
            in: term
          )
        }
      }
    }
    try await archive.add([Self.chunks[2], Self.chunks[3]], in: term)
    return archive
  }

  /// Whatever its head names is there, and its segments lead up to the head.
  private func checkWhole(_ archive: MemoryArchive, _ context: Comment) async throws {
    // Without a head the store was removed; one that was led since has nothing.
    guard let head = try await archive.head(), head.mark.revision > 0 else { return }
    var end: HistoryMark?
    for segment in try await archive.segments(after: 0, bytes: .max) {
      if let end { #expect(segment.start == end, context) }
      end = segment.end
    }
    let snapshots = try await archive.snapshots()
    #expect(end == head.mark || snapshots.last?.mark == head.mark, context)
    for snapshot in snapshots {
      let list = try await archive.list(of: snapshot.mark.revision)
      #expect(
        try await archive.chunks(Array(list.chunks.values)).count == list.chunks.count,
        context
      )
    }
    #expect(try await !archive.catalog().isEmpty, context)
  }

  @Test(arguments: Work.allCases, Work.allCases)
  func `a process that stops anywhere removes nothing that another one has named meanwhile`(
    _ work: Work,
    _ other: Work
  ) async throws {
    for operations in 0... {
      let shift = Lock<TimeInterval>(0)
      let memory = try await filled { Scheduling.date.addingTimeInterval(shift.withLock { $0 }) }
      shift.withLock { $0 = 7_200 }
      let stopped = StoppedArchive(memory.another(), after: operations) {
        // The lease of the first has ended.
        shift.withLock { $0 += 7_200 }
        let archive = memory.another()
        let head = try await archive.lead(ArchiveConformance.candidate("bob", epoch: 7))
        try await Self.perform(other, archive, "b")
        // The chunks that were sent before and never listed are sent again and listed.
        if other == .removeStore { return }
        try await Self.perform(.addSnapshot, archive, "b")
        if head.epoch % 2 == 0 { try await Self.perform(.append, archive, "b") }
      }
      do {
        try await Self.perform(work, stopped, "a")
      } catch let error as ArchiveError {
        switch error.reason {
        case .refused, .empty, .led, .notFound: break
        default: Issue.record("\(work), \(other), stopped at \(operations): \(error)")
        }
      }
      try await checkWhole(memory, "\(work), \(other), stopped at operation \(operations)")
      if !stopped.hasStopped { break }
    }
  }

  @Test
  func `an append whose answer was lost says what the next leader has found`() async throws {
    for operations in 0... {
      let memory = MemoryArchive()
      let term = try await lead(memory)
      let segment = ArchiveConformance.segment(1...1, epoch: term.epoch)
      let stopped = StoppedArchive(memory.another(), after: operations, isAnswered: false) {
        _ = try await memory.another().lead(ArchiveConformance.candidate("ann"))
      }
      var isAppended = true
      do throws(ArchiveError) {
        try await stopped.append(segment, catalog: nil, in: term)
      } catch {
        #expect(error.reason == .refused || error.reason == .away("no answer"))
        isAppended = false
      }
      let end = try await memory.head()?.mark
      #expect(end == (isAppended ? segment.end : segment.start), "operation \(operations)")
      if !stopped.hasStopped { break }
    }
  }
}
