import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataMigrating
import StrataMigrations
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A store that is kept in an archive in a folder.
struct ArchiveTests {
  let directory: TemporaryDirectory
  let path: String
  let folder: String
  let archive: FaultyArchive

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    folder = directory.path("archive")
    archive = FaultyArchive(FolderArchive(folder))
  }

  private func open(
    _ path: String? = nil,
    policy: ArchivePolicy = ArchivePolicy(lease: .milliseconds(300), maxDelay: .zero),
    snapshots: SnapshotPolicy = SnapshotPolicy(),
    migrations: [DataMigration] = [],
    tables: [TableOption<LibraryDatabase>] = [],
    closingWithin limit: Duration = .seconds(600)
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    let configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .milliseconds(1)),
      snapshots: snapshots
    )
    var policy = policy
    policy.closingLimit = limit
    return try await Persistence.open(
      at: path ?? self.path,
      initialState: LibraryState(),
      database: \.db,
      tables: tables,
      configuration: configuration,
      with: [.migrations(migrations), .archive(archive, policy: policy)]
    )
  }

  private func add(_ numbers: ClosedRange<Int>, to store: LibraryStore) {
    for number in numbers {
      store.commit("add \(number)") {
        $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)"))
      }
    }
  }

  private func titles(_ store: LibraryStore) -> [String] {
    store.state.db.books.sorted { $0.id.raw < $1.id.raw }.map(\.title)
  }

  private func pull(
    _ name: String = "pulled.strata",
    to end: ArchivePull.End = .head
  ) async throws -> String {
    let path = directory.path(name)
    _ = try await ArchivePull(
      from: archive,
      to: StorePath(path, for: .archiving),
      on: .system
    ).run(to: end)
    return path
  }

  private func state(at path: String) async throws -> LibraryDatabase {
    var configuration = PersistenceConfiguration()
    configuration.restore = .readOnly
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    return LibraryStore(persistence).state.db
  }

  /// The log of a file: what each delta says, byte for byte.
  private func frames(of path: String) throws -> [[UInt8]] {
    try Inspector(path: path).query { view in
      var reader = try FrameReader(view, after: 0)
      var frames: [[UInt8]] = []
      while let frame = try reader.next() { frames.append(frame.encoded()) }
      return frames
    }
  }

  @Test
  func `an empty machine gets every replicated commit, delta by delta`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    add(1...50, to: store)
    try await persistence.replicated(through: persistence.revision)
    #expect(persistence.status.revisions.replicated == 50)
    let pulled = try await pull()
    #expect(try await state(at: pulled) == store.state.db)
    #expect(try Inspector(path: pulled).verify().isSound)
    try await persistence.close()
    #expect(try frames(of: pulled) == frames(of: path))
    #expect(persistence.status.archive?.condition == .closed)
  }

  @Test
  func `the status says that commits reach the archive as soon as it has one`() async throws {
    let persistence = try await open(policy: ArchivePolicy(lease: .seconds(60), maxDelay: .zero))
    add(1...1, to: LibraryStore(persistence))
    try await persistence.replicated(through: 1)
    #expect(persistence.status.archive?.condition == .leading(epoch: 2))
    try await persistence.close()
  }

  @Test
  func `a commit that waits for the archive is there when it returns`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    try await store.commitDurably("one", until: .replicated) {
      $0.db.books.insert(Book(id: 1, title: "One"))
    }
    #expect(try await archive.head()?.mark.revision == 1)
    // One that changes nothing waits for what it may have read.
    try await store.commitDurably("nothing", until: .replicated) { _ in }
    try await persistence.close()
  }

  @Test
  func `what was committed before closing is sent`() async throws {
    let persistence = try await open()
    add(1...20, to: LibraryStore(persistence))
    try await persistence.close()
    #expect(try await archive.head()?.mark.revision == 20)
    #expect(try await archive.head()?.lease == .zero)
  }

  @Test
  func `the file of a lost machine comes from the archive, and goes on`() async throws {
    let first = try await open()
    add(1...20, to: LibraryStore(first))
    try await first.close()
    let second = try await open(directory.path("new.strata"))
    let store = LibraryStore(second)
    #expect(second.report.archive?.pulled == 0...20)
    #expect(titles(store).count == 20)
    add(21...30, to: store)
    try await second.close()
    #expect(try await archive.head()?.mark.revision == 30)
    // The first machine comes back, and gets what it lacks.
    let again = try await open()
    #expect(again.report.archive?.pulled == 21...30)
    #expect(titles(LibraryStore(again)).count == 30)
    try await again.close()
  }

  @Test
  func `without the archive a file opens, and no new one is made`() async throws {
    let first = try await open()
    add(1...5, to: LibraryStore(first))
    try await first.close()
    archive.fail { _ in .lost }
    let second = try await open()
    let store = LibraryStore(second)
    #expect(second.report.archive?.away != nil)
    add(6...9, to: store)
    try await second.flush()
    let missing = directory.path("new.strata")
    await #expect(throws: PersistenceError.self) { try await open(missing) }
    #expect(!FileManager.default.fileExists(atPath: missing))
    archive.work()
    try await second.replicated(through: 9)
    #expect(try await archive.head()?.mark.revision == 9)
    try await second.close()
  }

  @Test(arguments: ["append", "lead", "head", "add snapshot", "add chunks", "renew"])
  func `an answer that does not arrive changes nothing`(_ call: String) async throws {
    let calls = Lock([0])
    archive.fail { name in
      guard name == call else { return nil }
      let count = calls.withLock { counts -> Int in
        counts[0] += 1
        return counts[0]
      }
      return count % 3 == 0 ? nil : count % 3 == 1 ? .unanswered : .lost
    }
    var persistence: Persistence<LibraryState, LibraryDatabase>?
    while persistence == nil {
      do { persistence = try await open() } catch let error as PersistenceError {
        if error.archive == nil { throw error }
      }
    }
    guard let persistence else { return }
    let store = LibraryStore(persistence)
    for first in stride(from: 1, through: 60, by: 10) {
      add(first...first + 9, to: store)
      try await persistence.replicated(through: persistence.revision)
    }
    archive.work()
    let pulled = try await pull()
    #expect(try await state(at: pulled) == store.state.db)
    try await persistence.close()
    #expect(try frames(of: pulled) == frames(of: path))
  }

  /// As a server whose standby does not answer: what it shows may be lost with it.
  @Test
  func `what an archive shows is replicated once a later write was acknowledged`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    add(1...1, to: store)
    try await persistence.replicated(through: 1)
    let isSent = Lock(false)
    archive.fail { call in
      if call == "append" { isSent.withLock { $0 = true } }
      let fails = ["append", "renew", "lead"].contains(call) && isSent.withLock { $0 }
      return fails ? .unanswered : nil
    }
    add(2...2, to: store)
    let calls = persistence.status.archive?.failedCalls ?? 0
    while (persistence.status.archive?.failedCalls ?? 0) < calls + 4 { await Task.yield() }
    let head = try await FolderArchive(folder).head()
    #expect(head?.mark.revision == 2)
    #expect(persistence.status.archive?.replicated == 1)
    archive.work()
    try await persistence.replicated(through: 2)
    try await persistence.close()
  }

  @Test
  func `an archive that went back gets the commits again`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    add(1...10, to: store)
    try await persistence.replicated(through: 10)
    let copy = directory.path("copy")
    archive.fail { _ in .lost }
    try FileManager.default.copyItem(atPath: folder, toPath: copy)
    archive.work()
    add(11...20, to: store)
    try await persistence.replicated(through: 20)
    archive.fail { _ in .lost }
    // A failover to a server that lacks the last commits.
    add(21...21, to: store)
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: copy, toPath: folder)
    archive.work()
    try await persistence.replicated(through: 21)
    #expect(try await archive.head()?.mark.revision == 21)
    let pulled = try await pull()
    #expect(try await state(at: pulled) == store.state.db)
    try await persistence.close()
  }

  @Test
  func `what only a former leader has is set aside, and named`() async throws {
    let first = try await open(closingWithin: .milliseconds(10))
    let store = LibraryStore(first)
    add(1...10, to: store)
    try await first.replicated(through: 10)
    archive.fail { _ in .lost }
    add(11...14, to: store)
    try await first.close()
    archive.work()
    let second = try await open(directory.path("second.strata"))
    let other = LibraryStore(second)
    #expect(titles(other).count == 10)
    other.commit("other") { $0.db.books.insert(Book(id: 99, title: "Other")) }
    try await second.close()
    let again = try await open()
    let aside = try #require(again.report.archive?.setAside)
    #expect(aside.revisions == 11...14)
    #expect(titles(LibraryStore(again)).last == "Other")
    let kept = aside.quarantine.directory + "/app.strata"
    #expect(try await state(at: kept).books.count == 14)
    #expect("\(again.report)".contains("11 to 14"))
    try await again.close()
  }

  @Test
  func `a leader whose lease another took refuses commits, and loses none in silence`() async throws
  {
    let first = try await open()
    let store = LibraryStore(first)
    add(1...10, to: store)
    try await first.replicated(through: 10)
    var events = first.archiveEvents.makeAsyncIterator()
    archive.fail { _ in .lost }
    add(11...12, to: store)
    try await first.flush()
    // The archive behind the faulty one, as another machine sees it.
    let direct = FolderArchive(folder)
    let policy = ArchivePolicy(leader: "other", lease: .milliseconds(300))
    let second = try await Persistence.open(
      at: directory.path("second.strata"),
      initialState: LibraryState(),
      database: \.db,
      with: [.archive(direct, policy: policy)]
    )
    let other = LibraryStore(second)
    other.commit("other") { $0.db.books.insert(Book(id: 99, title: "Other")) }
    try await second.replicated(through: second.revision)
    archive.work()
    await #expect(throws: PersistenceError.self) { try await first.replicated(through: 12) }
    while let event = await events.next() {
      if event == .notLeading(by: "other") { break }
    }
    do {
      try store.commit("late") { state throws in
        state.db.books.insert(Book(id: 13, title: "Late"))
      }
      Issue.record("a commit without leadership was accepted")
    } catch let error as PersistenceError {
      #expect(
        error.archive?.reason == .notLeading(by: "other", because: "it has led since, in epoch 3")
      )
    }
    try await first.close()
    try await second.close()
    #expect(try await state(at: path).books.count == 12)
  }

  @Test
  func `without a lease, commits are refused where another process may lead`() async throws {
    let policy = ArchivePolicy(
      lease: .seconds(2),
      withoutLease: .refuse,
      maxDelay: .zero
    )
    let persistence = try await open(policy: policy)
    let store = LibraryStore(persistence)
    add(1...3, to: store)
    try await persistence.replicated(through: 3)
    archive.fail { _ in .lost }
    while persistence.writer.queue.acceptsCommits { try await Task.sleep(for: .milliseconds(5)) }
    var refusal = ""
    // The cause is known a moment later than that the lease has ended.
    while !refusal.contains("a fault of the test at") {
      let error = #expect(throws: PersistenceError.self) {
        try store.commit { state throws in state.db.books.insert(Book(id: 9)) }
      }
      #expect(error?.remedy == .retry)
      refusal = "\(String(describing: error))"
      #expect(refusal.contains("the archive \(archive.name) has taken nothing since"))
      await Task.yield()
    }
    archive.work()
    while !persistence.writer.queue.acceptsCommits { try await Task.sleep(for: .milliseconds(5)) }
    add(4...5, to: store)
    try await persistence.replicated(through: 5)
    try await persistence.close()
  }

  @Test
  func `a refused commit says whose lease runs, and until when`() async throws {
    let policy = ArchivePolicy(lease: .seconds(60), withoutLease: .refuse, maxDelay: .zero)
    let first = try await open(policy: policy)
    add(1...3, to: LibraryStore(first))
    try await first.replicated(through: 3)
    try await first.close()
    let direct = FolderArchive(folder)
    let head = try #require(try await direct.head())
    let other = ArchiveCandidate(
      store: head.store,
      epoch: head.epoch,
      leader: "other",
      lease: .seconds(60),
      start: head.mark
    )
    _ = try await direct.lead(other)
    archive.fail { _ in .lost }
    let second = try await open(policy: policy, closingWithin: .milliseconds(10))
    let store = LibraryStore(second)
    func refusal() throws -> String {
      let error = #expect(throws: PersistenceError.self) {
        try store.commit { state throws in state.db.books.insert(Book(id: 9)) }
      }
      guard case .notLeading(nil, let cause)? = error?.archive?.reason else {
        return "\(String(describing: error))"
      }
      return cause
    }
    let (calls, call) = AsyncStream.makeStream(of: Void.self)
    var called = calls.makeAsyncIterator()
    archive.fail { name in
      if name == "head" { call.yield() }
      return .lost
    }
    // The second attempt comes once the answer to the first is noted.
    for _ in 1...2 { _ = await called.next() }
    #expect(try refusal().contains("has taken nothing since"))
    let (leads, lead) = AsyncStream.makeStream(of: Void.self)
    archive.fail { name in
      if name == "lead" { lead.yield() }
      return nil
    }
    var led = leads.makeAsyncIterator()
    for _ in 1...2 { _ = await led.next() }
    let cause = try refusal()
    #expect(cause.contains("other leads it, with a lease until 2"), "\(cause)")
    try await second.close()
  }

  /// Commits while the archive is away for longer than the file keeps what it lacks; returns the gap.
  private func makeGap() async throws -> (
    Persistence<LibraryState, LibraryDatabase>, LibraryStore, ClosedRange<Revision>
  ) {
    let policy = ArchivePolicy(
      lease: .milliseconds(300),
      maxDelay: .zero,
      maxBacklog: 1
    )
    let history = SnapshotPolicy(minimumJournalBytes: 2_000, minimumHistoryBytes: 1)
    let persistence = try await open(policy: policy, snapshots: history)
    let store = LibraryStore(persistence)
    add(1...5, to: store)
    try await persistence.replicated(through: 5)
    archive.fail { _ in .lost }
    var next = 6
    while persistence.status.trimmed.map({ $0 <= 10 }) ?? true {
      add(next...next + 99, to: store)
      next += 100
      try await persistence.flush()
      try await Task.sleep(for: .milliseconds(20))
    }
    archive.work()
    try await persistence.replicated(through: persistence.revision)
    let gaps = try #require(persistence.status.archive?.gaps)
    #expect(gaps.count == 1)
    return (persistence, store, try #require(gaps.first))
  }

  @Test
  func `an archive that is away for too long gets a snapshot, and the gap is named`() async throws {
    let (persistence, store, gap) = try await makeGap()
    #expect(gap.lowerBound == 6)
    let pulled = try await pull()
    #expect(try await state(at: pulled) == store.state.db)
    try await persistence.close()
  }

  @Test
  func `a gap stays known to the next leader, and is named where a revision in it is asked for`()
    async throws
  {
    let (persistence, store, gap) = try await makeGap()
    add(9_001...9_002, to: store)
    try await persistence.close()
    #expect(try await archive.gaps() == [gap])
    let again = try await open()
    add(9_003...9_003, to: LibraryStore(again))
    try await again.replicated(through: again.revision)
    #expect(again.status.archive?.gaps == [gap])
    var times: [Date] = []
    for try await delta in again.deltas() { times.append(delta.time) }
    try await again.close()
    let first = try #require(times.first)
    let inside = HistoryPoint.time(first.addingTimeInterval(-0.001))
    for point in [.revision(gap.lowerBound), .revision(gap.upperBound.previous), inside] {
      let error = await #expect(throws: PersistenceError.self) {
        try await pull("inside.strata", to: .point(point))
      }
      #expect(error?.reason == .archive(ArchiveError(.gap(gap), archive: archive.name)))
    }
    for (name, revision) in [("before", gap.lowerBound.previous), ("after", gap.upperBound)] {
      let position = try await pull("\(name).strata", to: .point(.revision(revision)))
      #expect(try Inspector(path: position).info().revision == revision.number)
    }
  }

  @Test
  func `a store can be brought back as it was at a revision, a time and a name`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    add(1...10, to: store)
    try await persistence.snapshot(named: "ten")
    add(11...15, to: store)
    try await persistence.replicated(through: 15)
    while try await archive.snapshots().allSatisfy({ !$0.names.contains("ten") }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    let at12 = try await pull("12.strata", to: .point(.revision(12)))
    #expect(try await state(at: at12).books.count == 12)
    let named = try await pull("named.strata", to: .point(.snapshot("ten")))
    #expect(try await state(at: named).books.count == 10)
    var times: [Date] = []
    for try await delta in persistence.deltas() { times.append(delta.time) }
    let atTime = try await pull("time.strata", to: .point(.time(times[6])))
    let count = times.filter { $0 <= times[6] }.count
    #expect(try await state(at: atTime).books.count == count)
    await #expect(throws: PersistenceError.self) {
      try await pull("x.strata", to: .point(.revision(16)))
    }
    // One that was taken back does not lead the archive that goes on.
    try await persistence.close()
    for _ in 1...2 {
      let error = await #expect(throws: PersistenceError.self) { try await open(at12) }
      #expect(error.map { "\($0)".contains("taken back to revision 12") } == true)
    }
    #expect(try await state(at: at12).books.count == 12)
  }

  /// Whether the header that is changed has the hash of what it said before, or of what it says.
  enum HeaderForm: CaseIterable {
    case hashed, rehashed
  }

  @Test(arguments: HeaderForm.allCases)
  func `a digit that changes in the header of a snapshot brings back no other state`(
    form: HeaderForm
  ) async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    add(1...1, to: store)
    try await persistence.snapshot(named: "release 1")
    add(2...12, to: store)
    try await persistence.snapshot(named: "release 2")
    try await persistence.close()
    _ = try await ArchivePush(from: StorePath(path, for: .archiving), to: archive).run()
    let snapshots = try await archive.snapshots()
    let first = try #require(snapshots.last { $0.names == ["release 1"] })
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/snapshots")
    let name = try #require(names.first { $0.hasPrefix("\(String(repeating: "0", count: 17))12-") })
    let file = "\(folder)/snapshots/\(name)"
    let header = try String(contentsOfFile: file, encoding: .utf8)
    func write(_ header: String) throws {
      let header = form == .hashed ? header : ArchiveConformance.rehashed(header)
      try Data(header.utf8).write(to: URL(fileURLWithPath: file))
    }
    try write(header)
    let whole = try await pull("\(form).strata", to: .point(.snapshot("release 2")))
    #expect(try await state(at: whole).books.count == 12)

    try write(header.replacing("release 2", with: "release 1"))
    await #expect(throws: PersistenceError.self) {
      try await pull("name \(form).strata", to: .point(.snapshot("release 1")))
    }
    try write(header.replacing(/"time":\d+/, with: "\"time\":\(first.time.nearestMicrosecond)"))
    let error = await #expect(throws: PersistenceError.self) {
      try await pull("time \(form).strata", to: .point(.time(first.time)))
    }
    guard let reason = error?.archive, case .damaged = reason.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test
  func `erased entities leave the archive`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    let secret = "the secret of volume one"
    store.commit("secret") { $0.db.books.insert(Book(id: 1, title: secret)) }
    add(2...5, to: store)
    try await persistence.replicated(through: persistence.revision)
    #expect(try contains(secret, in: folder))
    store.commit("forget") { $0.db.books.remove(1) }
    try await persistence.erase([Book.ID(1)])
    add(6...7, to: store)
    try await persistence.replicated(through: persistence.revision)
    while try contains(secret, in: folder) { try await Task.sleep(for: .milliseconds(10)) }
    let pulled = try await pull()
    #expect(try await state(at: pulled) == store.state.db)
    try await persistence.close()
    // The same when the file was closed meanwhile.
    let again = try await open()
    #expect(again.report.archive?.setAside == nil)
    try await again.close()
  }

  @Test(arguments: ["restart", "missing", "lead", "release", "catalog"])
  func `an erasure reaches the archive, whatever fails on the way`(_ call: String) async throws {
    let secret = "the secret of volume one"
    let first = try await open(closingWithin: .milliseconds(10))
    let store = LibraryStore(first)
    store.commit("secret") { $0.db.books.insert(Book(id: 1, title: secret)) }
    add(2...3, to: store)
    try await first.replicated(through: 3)
    archive.fail { _ in .lost }
    store.commit("forget") { $0.db.books.remove(1) }
    try await first.erase([Book.ID(1)])
    try await first.close()
    #expect(try contains(secret, in: folder))
    // Each opening ends before the archive has the new history.
    for fault in [FaultyArchive.Fault.lost, .unanswered] {
      archive.fail { $0 == call ? fault : nil }
      do {
        let opened = try await open(closingWithin: .milliseconds(10))
        #expect(LibraryStore(opened).state.db.books.count == 2)
        #expect(opened.report.archive?.setAside == nil)
        try await opened.close()
      } catch let error as PersistenceError {
        if error.archive == nil { throw error }
      }
    }
    archive.work()
    let last = try await open()
    let mended = LibraryStore(last)
    #expect(last.report.archive?.setAside == nil)
    add(8...9, to: mended)
    try await last.replicated(through: last.revision)
    #expect(try !contains(secret, in: folder))
    #expect(try await state(at: try await pull()) == mended.state.db)
    try await last.close()
  }

  @Test
  func `after an erasure, replicated means that the archive has forgotten it too`() async throws {
    let secret = "the secret of volume one"
    let persistence = try await open(closingWithin: .milliseconds(10))
    let store = LibraryStore(persistence)
    store.commit("secret") { $0.db.books.insert(Book(id: 1, title: secret)) }
    store.commit("forget") { $0.db.books.remove(1) }
    try await persistence.replicated(through: 2)
    archive.fail { $0 == "restart" ? .lost : nil }
    try await persistence.erase([Book.ID(1)])
    await #expect(throws: PersistenceError.self) {
      try await persistence.replicated(through: 2, within: .milliseconds(20))
    }
    #expect(try contains(secret, in: folder))
    archive.work()
    try await persistence.replicated(through: 2)
    #expect(try !contains(secret, in: folder))
    try await persistence.close()
  }

  @Test
  func `what the process before has sent may arrive while the next one opens`() async throws {
    let first = try await open(closingWithin: .milliseconds(10))
    let store = LibraryStore(first)
    add(1...3, to: store)
    try await first.replicated(through: 3)
    archive.fail { _ in .lost }
    store.commit("forget") { $0.db.books.remove(1) }
    try await first.erase([Book.ID(1)])
    try await first.close()
    let isSent = Lock(false)
    archive.fail { call in
      guard call == "restart" || isSent.withLock({ $0 }) else { return nil }
      return isSent.withLock { isSent in
        defer { isSent = true }
        return isSent ? .lost : .late
      }
    }
    let before = try await open(closingWithin: .milliseconds(10))
    while !isSent.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    try await before.close()
    // The next one has read the head, and then reads the catalog.
    let isReading = Lock(false)
    archive.fail { call in
      if call == "catalog" { isReading.withLock { $0 = true } }
      return call == "catalog" ? .paused : nil
    }
    async let opening = open()
    while !isReading.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    await archive.deliver()
    archive.work()
    let last = try await opening
    #expect(last.report.archive?.setAside == nil)
    #expect(LibraryStore(last).state.db.books.count == 2)
    try await last.replicated(through: last.revision)
    try await last.close()
  }

  @Test
  func `a file that was moved aside is named, even if the pull after it failed`() async throws {
    let first = try await open(closingWithin: .milliseconds(10))
    let store = LibraryStore(first)
    add(1...3, to: store)
    try await first.replicated(through: 3)
    archive.fail { _ in .lost }
    add(4...5, to: store)
    try await first.close()
    archive.work()
    let second = try await open(directory.path("second.strata"))
    LibraryStore(second).commit("other") { $0.db.books.insert(Book(id: 99)) }
    try await second.close()
    archive.fail { $0 == "list" ? .lost : nil }
    await #expect(throws: PersistenceError.self) { try await open() }
    archive.work()
    let again = try await open()
    let aside = try #require(again.report.archive?.setAside)
    #expect(aside.quarantine.reason.contains("4 to 5"))
    #expect(aside.revisions == 4...5)
    #expect(aside.quarantine.directory.contains("app.strata.set-aside-"))
    #expect(LibraryStore(again).state.db.books.count == 4)
    try await again.close()
    // To an opening that has to pull for another reason it is no news.
    for suffix in ["", ".head"] { try FileManager.default.removeItem(atPath: path + suffix) }
    let later = try await open()
    #expect(later.report.archive?.setAside == nil)
    #expect(later.report.archive?.pulled == 0...4)
    try await later.close()
    #expect(
      try Quarantine.all(besideStoreAt: path).map(\.directory) == [aside.quarantine.directory]
    )
  }

  @Test(arguments: 1...4)
  func `a move aside that a crash interrupts is completed and named by the next opening`(
    steps: Int
  ) async throws {
    let first = try await open(closingWithin: .milliseconds(10))
    add(1...3, to: LibraryStore(first))
    try await first.replicated(through: 3)
    try await first.close()
    let file = try StorePath(path, for: .archiving)
    var move = try QuarantineMove(
      of: file,
      reason: "it did not fit the archive",
      displaced: DisplacedHistory(2...3),
      now: Date()
    )
    for _ in 0..<steps { _ = try move.step() }
    let again = try await open()
    #expect(again.report.archive?.setAside?.revisions == 2...3)
    #expect(LibraryStore(again).state.db.books.count == 3)
    try await again.close()
    let last = try await open()
    #expect(last.report.archive?.setAside == nil)
    try await last.close()
  }

  @Test
  func `what lies in a gap of the archive is not brought back as something older`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    add(1...10, to: store)
    try await persistence.snapshot(named: "ten")
    add(11...20, to: store)
    try await persistence.replicated(through: 20)
    while try await archive.snapshots().allSatisfy({ !$0.names.contains("ten") }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    try await persistence.close()
    try await archive.remove(segmentsThrough: 20, snapshots: [])
    let error = await #expect(throws: PersistenceError.self) {
      try await pull("15.strata", to: .point(.revision(15)))
    }
    #expect(error.map { if case .trimmed = $0.reason { true } else { false } } == true)
    #expect(!FileManager.default.fileExists(atPath: directory.path("15.strata")))
    let ten = try await pull("10.strata", to: .point(.revision(10)))
    #expect(try await state(at: ten).books.count == 10)
  }

  @Test
  func `what a table option keeps out of the file is not in the archive`() async throws {
    let persistence = try await open(tables: [.redacted(\.books) { $0.title = "" }])
    let store = LibraryStore(persistence)
    add(1...5, to: store)
    store.commit { $0.db.authors.insert(Author(id: "a", name: "visible author")) }
    try await persistence.replicated(through: persistence.revision)
    try await persistence.close()
    #expect(try contains("visible author", in: folder))
    #expect(try !contains("Volume", in: folder))
  }

  @Test
  func `a pulled file has the migrations that ran by then`() async throws {
    let first = try await open()
    add(1...3, to: LibraryStore(first))
    try await first.close()
    let second = try await open(migrations: LibraryMigrations.all)
    let store = LibraryStore(second)
    #expect(titles(store).first == "Volume 1 (2)")
    add(4...4, to: store)
    try await second.replicated(through: second.revision)
    let pulled = try await pull()
    let before = try await pull("before.strata", to: .point(.revision(3)))
    try await second.close()
    #expect(try await DataMigrator([], at: pulled).history().count == 2)
    #expect(try await DataMigrator([], at: before).history().isEmpty)
    let third = try await open(
      directory.path("third.strata"),
      migrations: LibraryMigrations.all
    )
    #expect(third.report.migrations == nil)
    #expect(titles(LibraryStore(third)).first == "Volume 1 (2)")
    try await third.close()
  }

  @Test
  func `commits wait while the archive is too far behind`() async throws {
    let policy = ArchivePolicy(
      lease: .milliseconds(300),
      maxDelay: .zero,
      maxLag: .milliseconds(20)
    )
    let persistence = try await open(policy: policy)
    let store = LibraryStore(persistence)
    add(1...2, to: store)
    try await persistence.replicated(through: 2)
    archive.fail { _ in .lost }
    add(3...3, to: store)
    try await persistence.flush()
    let isOver = Lock([false])
    let committing = inBackground {
      for number in 4...100_000 where !isOver.withLock({ $0[0] }) {
        store.commit { $0.db.books.insert(Book(id: EntityID(number))) }
      }
    }
    // Held back, it makes no revision between two looks that are far apart.
    var last = persistence.revision
    var still = 0
    while still < 5 {
      try await Task.sleep(for: .milliseconds(100))
      still = persistence.revision == last ? still + 1 : 0
      last = persistence.revision
    }
    archive.work()
    try await persistence.replicated(through: last)
    while persistence.revision == last { try await Task.sleep(for: .milliseconds(5)) }
    isOver.withLock { $0[0] = true }
    #expect(await committing.isOpen())
    try await persistence.close()
  }

  /// Whether a file of a folder contains a text.
  private func contains(_ text: String, in folder: String) throws -> Bool {
    let files = FileManager.default.enumerator(atPath: folder)
    while let name = files?.nextObject() as? String {
      let contents = FileManager.default.contents(atPath: "\(folder)/\(name)")
      if contents?.range(of: Data(text.utf8)) != nil { return true }
    }
    return false
  }
}
