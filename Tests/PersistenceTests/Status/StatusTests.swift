import Foundation
import Strata
import StrataBase
import StrataCore
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// The status of a persistence.
struct StatusTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    _ configuration: PersistenceConfiguration
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  /// A book of so many kilobytes.
  private func thickBook(_ number: Int, kilobytes: Int) -> Book {
    Book(id: EntityID(number), title: String(repeating: "1234567 ", count: 128 * kilobytes))
  }

  private func size(_ suffix: String) -> Int64 {
    var status = stat()
    return stat(path + suffix, &status) == 0 ? Int64(status.st_size) : 0
  }

  @Test
  func `what waits, what is written and what is durable are told apart`() async throws {
    let vfs = try FaultVFS(name: "status-\(UUID().uuidString)")
    let clock = StoppedClock()
    var configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .seconds(600), maxCommits: 1_000_000),
      now: { clock.now }
    )
    configuration.vfs = vfs.name
    let persistence = try await open(configuration)
    let store = LibraryStore(persistence)
    for number in 1...5 {
      store.commit { state in
        state.db.books.insert(Book(id: EntityID(number)))
        state.db.authors.insert(Author(id: EntityID("\(number)")))
      }
    }
    var status = persistence.status
    #expect(status.condition == .healthy)
    #expect(status.queue.commits == 5)
    #expect(status.queue.entities == 10)
    #expect(status.revisions.committed == 5)
    #expect(status.revisions.written == 0)

    clock.advance(by: 60)
    try await persistence.flush()
    status = persistence.status
    #expect(status.queue.commits == 0)
    #expect(status.queue.entities == 0)
    #expect(status.revisions.written == 5)
    #expect(status.revisions.durable == 5)
    #expect(status.lastSync == clock.now)
    #expect(status.lastFailure == nil)
    #expect(status.bytes.database == size(""))
    #expect(status.bytes.wal == size("-wal"))
    #expect(status.newestSnapshot?.revision == 0)
    try await persistence.close()
    #expect(persistence.status.condition == .closed)
  }

  @Test func `the bytes of the journal include every flushed commit`() async throws {
    let persistence = try await open(PersistenceConfiguration())
    let store = LibraryStore(persistence)
    while persistence.status.bytes.journal == nil { await Task.yield() }
    var last: Int64 = 0
    for number in 1...5 {
      store.commit { $0.db.books.insert(Book(id: EntityID(number))) }
      try await persistence.flush()
      let bytes = try #require(persistence.status.bytes.journal)
      #expect(bytes > last)
      last = bytes
    }
    try await persistence.close()
  }

  @Test
  func `the bytes of journal and snapshots are those of the file, across trimming and reopening`()
    async throws
  {
    let policy = SnapshotPolicy(minimumJournalBytes: 10_000, minimumHistoryBytes: 30_000)
    for round in 0..<3 {
      let persistence = try await open(PersistenceConfiguration(snapshots: policy))
      let store = LibraryStore(persistence)
      let script = LibraryScript(seed: 3)
      for number in Int64(1)...400 {
        store.commit { script.commit(Int64(round) * 400 + number, to: &$0.db) }
        if number % 40 == 0 { try await persistence.flush() }
      }
      try await persistence.flush()
      while persistence.status.bytes.journal == nil { await Task.yield() }
      try await persistence.snapshot(named: "round \(round)")
      // The writer trims and returns free pages between other requests.
      var status = persistence.status
      var calm = 0
      while calm < 200 {
        await Task.yield()
        try await persistence.flush()
        calm = persistence.status.bytes == status.bytes ? calm + 1 : 0
        status = persistence.status
      }
      try await persistence.close()

      let connection = try Connection(path: path, mode: .readOnly)
      let journal = try connection.first(
        "SELECT sum(bytes + length(name) + length(place) + 72) FROM delta"
      ) { try $0.int(0) }
      let snapshots = try connection.first("SELECT sum(length(body)) FROM chunk") {
        try $0.int(0)
      }
      let entities = try connection.first("SELECT entities FROM snapshot ORDER BY revision DESC") {
        try $0.int(0)
      }
      try connection.close()
      #expect(status.bytes.journal == journal)
      #expect(status.bytes.snapshots == snapshots)
      #expect(status.newestSnapshot?.revision == persistence.revision)
      #expect(status.newestSnapshot.map { Int64($0.entities) } == entities)
    }
  }

  @Test
  func `a disk that refuses is told with its cause and since when, also after it is over`()
    async throws
  {
    let vfs = try FaultVFS(name: "status-\(UUID().uuidString)")
    let clock = StoppedClock()
    var configuration = PersistenceConfiguration(
      durability: .onFlush,
      recoveryInterval: .milliseconds(5),
      now: { clock.now }
    )
    configuration.vfs = vfs.name
    let persistence = try await open(configuration)
    let store = LibraryStore(persistence)
    var events = persistence.events.makeAsyncIterator()
    vfs.failNext(.write, in: .wal, code: .full, times: .sticky)
    let began = clock.now
    store.commit { $0.db.books.insert(Book(id: 1)) }
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    clock.advance(by: 60)
    #expect(
      persistence.status.condition
        == .degraded(PersistenceError(.appending, path: persistence.path, .diskFull), since: began)
    )
    #expect(persistence.status.lastFailure?.message.contains("the disk is full") == true)
    for number in 2...9 {
      store.commit { $0.db.books.insert(Book(id: EntityID(number % 2), title: "\(number)")) }
    }
    #expect(persistence.status.queue.commits == 9)

    vfs.heal()
    while let event = await events.next() {
      if case .recovered = event { break }
    }
    let status = persistence.status
    #expect(status.condition == .healthy)
    #expect(status.lastFailure != nil)
    #expect(status.queue.commits == 0)
    #expect(status.revisions.durable == 9)
    try await persistence.close()
  }

  @Test
  func `a reader that keeps a transaction open is told as pinning the log, until it lets go`()
    async throws
  {
    let persistence = try await open(PersistenceConfiguration(durability: .onFlush))
    let store = LibraryStore(persistence)
    let reader = try Connection(path: path, mode: .readOnly)
    try await reader.readTransactionAsync {
      _ = try reader.first("SELECT count(*) FROM delta", []) { try $0.int(0) }
      for number in 1...60 {
        store.commit { $0.db.books.insert(thickBook(number, kilobytes: 200)) }
        try await persistence.flush()
      }
      let pinned = try #require(persistence.status.pinnedWAL)
      #expect(pinned.bytes > 4 << 20)
      #expect(persistence.status.bytes.wal > pinned.bytes)
    }
    try reader.close()
    for number in 1...60 {
      store.commit { $0.db.books.insert(thickBook(number, kilobytes: 200)) }
      try await persistence.flush()
    }
    #expect(persistence.status.pinnedWAL == nil)
    try await persistence.close()
  }

  @Test
  func `a checkpoint that a reader keeps from copying makes nothing durable by itself`()
    async throws
  {
    let vfs = try FaultVFS(name: "status-\(UUID().uuidString)")
    var configuration = PersistenceConfiguration(
      durability: .onFlush,
      snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
    )
    configuration.vfs = vfs.name
    let persistence = try await open(configuration)
    let store = LibraryStore(persistence)
    var events = persistence.events.makeAsyncIterator()
    let reader = try Connection(path: path, mode: .readOnly, vfs: vfs.name)
    try await reader.readTransactionAsync {
      _ = try reader.first("SELECT count(*) FROM delta", []) { try $0.int(0) }
      for batch in 1...5 {
        let last = Revision(Int64(30 * batch))
        for number in 1...30 {
          store.commit { $0.db.books.insert(thickBook(number, kilobytes: 200)) }
        }
        while let event = await events.next(), event != .appended(through: last) {}
        let durable = persistence.durableRevision
        for seed in UInt64(0)..<2 where batch > 2 {
          let after = try TemporaryDirectory()
          try vfs.cutPower(seed: seed, into: after.url)
          let restored = try await Persistence.open(
            at: after.path("app.strata"),
            initialState: LibraryState(),
            database: \.db
          )
          #expect(restored.revision >= durable, "batch \(batch), seed \(seed)")
          try await restored.close()
        }
      }
    }
    try reader.close()
    try await persistence.close()
  }

  @Test
  func `asking waits for no writer, and neither does a commit`() async throws {
    let held = Counter()
    let proceed = Latch()
    var configuration = PersistenceConfiguration()
    // This runs on the writer's thread and blocks it.
    configuration.progress = { progress in
      guard progress.activity == .snapshotting, held.count == 0 else { return }
      held.add()
      _ = proceed.wait()
    }
    let persistence = try await open(configuration)
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 0)) }
    async let snapshot = persistence.snapshot(named: "held")
    while held.count == 0 { await Task.yield() }
    for number in 1...2_000 {
      store.commit { $0.db.books.insert(Book(id: EntityID(number))) }
      #expect(persistence.status.revisions.committed == Revision(Int64(number) + 1))
    }
    #expect(persistence.status.revisions.written == 1)
    proceed.open()
    #expect(try await snapshot == 1)
    try await persistence.close()
  }
}

extension Connection {
  /// A read transaction around an asynchronous body.
  fileprivate func readTransactionAsync(_ body: () async throws -> Void) async throws {
    try execute("BEGIN DEFERRED")
    try await body()
    try execute("COMMIT")
  }
}

/// A clock that only moves when `advance(by:)` is called.
private final class StoppedClock: Sendable {
  private let time = Lock(Date(timeIntervalSince1970: 1_700_000_000))

  var now: Date { time.withLock { $0 } }

  func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}
