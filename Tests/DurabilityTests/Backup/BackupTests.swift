import Foundation
import Strata
import StrataCore
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Backups made while a store is written to, and restoring them.
struct BackupTests {
  let directory: TemporaryDirectory
  let path: String
  let copy: String
  let seed = randomSeed()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    copy = directory.path("copy.strata")
  }

  private func open(
    _ path: String? = nil,
    on vfs: FaultVFS? = nil,
    policy: SnapshotPolicy = SnapshotPolicy(minimumJournalBytes: 8_000, minimumHistoryBytes: 20_000)
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .milliseconds(1)),
      snapshots: policy,
      recoveryInterval: .milliseconds(5)
    )
    configuration.vfs = vfs?.name
    return try await Persistence.open(
      at: path ?? self.path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() }
  }

  @Test
  func `a copy made beside a writer at full speed is whole, and the model at its revision`()
    async throws
  {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: seed)
    let states = Recorder<LibraryDatabase>()
    // Large enough for a few slices.
    store.commit("bulk") { state in
      state.db.loans = EntityTable(
        (0..<40_000).map { Loan(id: EntityID(loanID($0)), book: EntityID($0)) }
      )
    }
    states.record(store.state.db)
    try await persistence.flush()
    let isOver = Recorder<Bool>()
    let mostCommits = loopCount("STRATA_REVISIONS", 200) * 6
    let committing = inBackground {
      var number: Int64 = 0
      while isOver.elements.isEmpty, number < mostCommits {
        number += 1
        store.commit { state in
          let loans = state.db.loans
          script.commit(number, to: &state.db)
          state.db.loans = loans
          state.db.loans.insert(Loan(id: EntityID(loanID(Int(number))), book: 7))
        }
        states.record(store.state.db)
      }
    }
    for round in 0..<2 {
      let copy = directory.path("copy-\(round).strata")
      let slices = Counter()
      let before = persistence.revision
      let position = try await persistence.backup(to: copy) { _ in slices.add() }
      #expect(slices.count > 1)
      #expect(position.revision >= before)
      let files = try files.filter { $0.hasPrefix("copy-\(round)") }
      #expect(files == ["copy-\(round).strata"])
      #expect(try permissions(copy) == 0o600)

      let inspector = try Inspector(path: copy)
      #expect(try inspector.verify().isSound)
      while states.elements.count < position.revision.number { await Task.yield() }
      let restored = try inspector.database(over: LibraryDatabase(), at: position.revision)
      #expect(restored == states.elements[Int(position.revision.number) - 1], "seed \(seed)")
      #expect(try inspector.info().revision == position.revision.number)
    }
    isOver.record(true)
    #expect(await committing.isOpen())
    try await persistence.close()
    #expect(try Inspector(path: path).verify().isSound)

    let opened = try await open(directory.path("copy-1.strata"))
    LibraryStore(opened).commit { $0.db.books.insert(Book(id: 1)) }
    try await opened.close()
    #expect(try Inspector(path: directory.path("copy-1.strata")).verify().isSound)
  }

  private func loanID(_ number: Int) -> UUID {
    var random = SeededGenerator(seed: UInt64(number))
    return random.uuid()
  }

  private func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test
  func `what was committed before the call is in the copy`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    let position = try await persistence.backup(to: copy)
    #expect(position.revision == 1)
    #expect(position.storeID == persistence.report.position.storeID)
    #expect(try Inspector(path: copy).database(over: LibraryDatabase(), at: 1) == store.state.db)
    try await persistence.close()
  }

  @Test
  func `nothing that is there is overwritten`() async throws {
    let persistence = try await open()
    let other = Data("mine".utf8)
    try other.write(to: URL(fileURLWithPath: copy))
    var error = await #expect(throws: PersistenceError.self) {
      try await persistence.backup(to: copy)
    }
    #expect(error?.reason == .fileExists(copy))
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == other)
    let orphan = directory.path("orphan.strata")
    try other.write(to: URL(fileURLWithPath: orphan + "-wal"))
    error = await #expect(throws: PersistenceError.self) {
      try await persistence.backup(to: orphan)
    }
    #expect(error?.reason == .fileExists(orphan + "-wal"))
    error = await #expect(throws: PersistenceError.self) { try await persistence.backup(to: path) }
    #expect(error?.reason == .fileExists(path))
    #expect(try files.filter { $0.contains("creating") }.isEmpty)
    try await persistence.close()
    error = await #expect(throws: PersistenceError.self) {
      try await persistence.backup(to: directory.path("late.strata"))
    }
    #expect(error?.reason == .closed)
    #expect(try files.filter { $0.hasPrefix("late") }.isEmpty)
  }

  @Test
  func `a copy of a file that is damaged is not given its name`() async throws {
    let persistence = try await open(policy: SnapshotPolicy(minimumJournalBytes: 1 << 40))
    let store = LibraryStore(persistence)
    for number in 1...9 { store.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
    try await persistence.close()
    let again = try await open(policy: SnapshotPolicy(minimumJournalBytes: 1 << 40))
    try await again.snapshot(named: "newer")
    try await again.close()
    // No opening reads it, because there is a newer snapshot.
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.run("UPDATE snapshot SET time = time + 1 WHERE revision = 0")
    try connection.close()

    let damaged = try await open(policy: SnapshotPolicy(minimumJournalBytes: 1 << 40))
    let error = await #expect(throws: PersistenceError.self) {
      try await damaged.backup(to: copy)
    }
    guard case .damaged(let detail) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(detail.contains("snapshot 0"))
    #expect(try files.filter { $0.hasPrefix("copy") }.isEmpty)
    try await damaged.close()
  }

  @Test
  func `closing gives up a copy that is being made`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { state in
      state.db.books = EntityTable((0..<30_000).map { bulkBook($0) })
    }
    try await persistence.flush()
    let (began, continuation) = AsyncStream.makeStream(of: Void.self)
    let isSlow = Latch()
    let copying = Task {
      try await persistence.backup(to: copy) { progress in
        continuation.yield()
        if progress.copiedPages < 300 { _ = isSlow.wait() }
      }
    }
    for await _ in began { break }
    let closing = Task { try await persistence.close() }
    isSlow.open()
    try await closing.value
    let result = await copying.result
    if case .success = result {
      // The copy finished first; then it is complete.
      #expect(try Inspector(path: copy).verify().isSound)
    } else {
      #expect(try files.filter { $0.hasPrefix("copy") }.isEmpty)
    }
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `a disk that fails while it is copied ends the copy, and not the store`() async throws {
    let vfs = try FaultVFS(name: "backup-\(UUID().uuidString)")
    // No snapshot is in progress that could meet the fault instead.
    let persistence = try await open(
      on: vfs,
      policy: SnapshotPolicy(minimumJournalBytes: 1 << 40)
    )
    let store = LibraryStore(persistence)
    store.commit { state in
      // More than SQLite caches, so that the log is read.
      let title = String(repeating: "thick ", count: 20_000)
      state.db.books = EntityTable((0..<50).map { Book(id: EntityID($0), title: title) })
    }
    try await persistence.flush()
    vfs.failNext(.read, in: .wal, code: .ioerrRead, after: 200, times: .once)
    let error = await #expect(throws: PersistenceError.self) {
      try await persistence.backup(to: copy)
    }
    guard case .io = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(try files.filter { $0.hasPrefix("copy") }.isEmpty)
    vfs.heal()
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    try await persistence.backup(to: copy)
    #expect(try Inspector(path: copy).verify().isSound)
    try await persistence.close()
  }

  @Test(
    arguments: [
      (FileOperation.open, FaultCode.cantOpen), (.write, .ioerrWrite), (.write, .full),
      (.sync, .ioerrFsync),
    ]
  )
  func `a fault in the destination is reported, leaves no file behind and does not touch the store`(
    operation: FileOperation,
    code: FaultCode
  ) async throws {
    let vfs = try FaultVFS(name: "backup-\(UUID().uuidString)")
    // Nothing else writes to a database file, because no snapshot and no checkpoint is due.
    let persistence = try await open(
      on: vfs,
      policy: SnapshotPolicy(minimumJournalBytes: 1 << 40)
    )
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    vfs.failNext(operation, in: .database, code: code)
    let error = await #expect(throws: PersistenceError.self) {
      try await persistence.backup(to: copy)
    }
    #expect(vfs.failureCount == 1)
    switch error?.reason {
    case .io where code == .ioerrWrite || code == .ioerrFsync: break
    case .diskFull where code == .full: break
    case .notWritable where code == .cantOpen: break
    default: Issue.record("another reason: \(String(describing: error))")
    }
    #expect(try files.filter { $0.hasPrefix("copy") }.isEmpty)
    store.commit { $0.db.books.insert(Book(id: 2)) }
    try await persistence.flush()
    try await persistence.backup(to: copy)
    let database = try Inspector(path: copy).database(over: LibraryDatabase(), at: 2)
    #expect(database == store.state.db)
    try await persistence.close()
  }

  @Test
  func `a backup that is brought back is the store as it was, in a lineage of its own`()
    async throws
  {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: seed)
    for number in Int64(1)...40 { store.commit { script.commit(number, to: &$0.db) } }
    let saved = store.state.db
    try await persistence.backup(to: copy)
    for number in Int64(41)...60 { store.commit { script.commit(number, to: &$0.db) } }
    try await persistence.close()

    var error = await #expect(throws: PersistenceError.self) {
      try await StoreBackup.restore(copy, to: path)
    }
    #expect(error?.reason == .fileExists(path))
    try FileManager.default.moveItem(atPath: path, toPath: directory.path("old.strata"))

    // A plain copy lacks commits that the head lists as acknowledged.
    try FileManager.default.copyItem(atPath: copy, toPath: path)
    error = await #expect(throws: PersistenceError.self) { _ = try await open() }
    #expect(error?.reason == .endMissing(last: 40, written: 60))
    try FileManager.default.removeItem(atPath: path)

    let before = try StoreBytes(copy)
    var lineages = [try Inspector(path: copy).info().lineage]
    for _ in 2...4 {
      let position = try await StoreBackup.restore(copy, to: path)
      #expect(!lineages.contains(position.lineageID))
      lineages.append(position.lineageID)
      #expect(position.revision == 40)
      let again = try await open()
      #expect(again.report.position == position)
      #expect(again.report.notes.isEmpty)
      #expect(again.initialState.db == saved)
      LibraryStore(again).commit { $0.db.books.insert(Book(id: 77)) }
      try await again.close()
      #expect(try Inspector(path: path).verify().isSound)
      #expect(try permissions(path) == 0o600)
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(try StoreBytes(copy) == before)
  }

  @Test
  func `a backup is not restored to where a store is on its way back from its quarantine`()
    async throws
  {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.backup(to: copy)
    store.commit { $0.db.books.insert(Book(id: 2)) }
    try await persistence.close()
    let time = Date(timeIntervalSince1970: 1_790_000_000)
    let set = try Quarantine.add(storeAt: path, reason: "a test", now: time)
    var returning = try set.makeRestore(now: time)
    while !FileManager.default.fileExists(atPath: path + ".head") { _ = try returning.step() }
    #expect(!FileManager.default.fileExists(atPath: path))
    let error = await #expect(throws: PersistenceError.self) {
      try await StoreBackup.restore(copy, to: path)
    }
    #expect(error?.reason == .fileExists(try StorePath(path, for: .opening).file))
    let again = try await open()
    #expect(again.revision == 2)
    try await again.close()
  }

  @Test
  func `a store that is being written to is no backup, and a place that is held is refused`()
    async throws
  {
    let persistence = try await open()
    var error = await #expect(throws: PersistenceError.self) {
      try await StoreBackup.restore(path, to: copy)
    }
    guard case .alreadyOpen = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    error = await #expect(throws: PersistenceError.self) {
      try await StoreBackup.restore(directory.path("none.strata"), to: copy)
    }
    #expect(error?.reason == .missing)
    try await persistence.close()
  }

  @Test
  func `a backup removes what killed backups have left in the directory, and nothing else`()
    async throws
  {
    let persistence = try await open()
    LibraryStore(persistence).commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    let magic = Data("SQLite format 3\0".utf8)
    let abandoned = directory.path("yesterday.strata.creating-\(UUID().uuidString)")
    let empty = directory.path("empty.strata.creating-\(UUID().uuidString)")
    let active = directory.path("active.strata.creating-\(UUID().uuidString)")
    let others = [
      directory.path("notes.creating-today"), directory.path("text.creating-\(UUID().uuidString)"),
    ]
    for path in [abandoned, abandoned + "-journal", active] {
      try magic.write(to: URL(fileURLWithPath: path))
    }
    try Data().write(to: URL(fileURLWithPath: empty))
    for path in others { try Data("text".utf8).write(to: URL(fileURLWithPath: path)) }
    let mark = try #require(try LockedMark(active + ".mark", like: nil, on: .system))
    defer { withExtendedLifetime(mark) {} }

    try await persistence.backup(to: copy)
    let left = try files
    #expect(!left.contains { $0.hasPrefix("yesterday") || $0.hasPrefix("empty") })
    for path in others + [active, copy] {
      #expect(left.contains(URL(fileURLWithPath: path).lastPathComponent))
    }
    try await persistence.close()
  }

  @Test
  func `an opening removes what a killed restore or salvage has left beside its store`()
    async throws
  {
    let unique = UUID().uuidString
    let own = ["app.strata.creating", "app.strata.creating-\(unique)", "app.strata.creating-wal"]
    let others = ["other.strata.creating", "other.strata.creating-\(unique)"]
    try await open().close()
    let before = try files
    for name in own + others {
      let file = URL(fileURLWithPath: directory.path(name))
      try Data("SQLite format 3\0".utf8).write(to: file)
    }
    try await open().close()
    #expect(try files.sorted() == (before + others).sorted())
  }

  @Test
  func `an opening keeps what only looks like an unfinished copy of its store`() async throws {
    try await open().close()
    let file = directory.path("app.strata.creating")
    try Data("a text".utf8).write(to: URL(fileURLWithPath: file))
    try await open().close()
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "a text")
  }

  @Test
  func `two backups into one directory do not disturb each other`() async throws {
    let persistence = try await open()
    LibraryStore(persistence).commit { $0.db.books.insert(Book(id: 1)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        let path = directory.path("copy-\(number).strata")
        group.addTask { try await persistence.backup(to: path) }
      }
      try await group.waitForAll()
    }
    for number in 0..<4 {
      #expect(try Inspector(path: directory.path("copy-\(number).strata")).verify().isSound)
    }
    #expect(try !files.contains { $0.contains(".creating-") })
    try await persistence.close()
  }
}
