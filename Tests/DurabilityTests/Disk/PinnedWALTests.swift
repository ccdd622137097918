import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Another program that keeps a read transaction open.
struct PinnedWALTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(on vfs: FaultVFS) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(
      durability: .onFlush,
      snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
    )
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    return try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  /// Starts a read transaction, as an open `sqlite3` session does.
  private func pin() throws -> Connection {
    let reader = try Connection(path: path, mode: .readOnly)
    try reader.execute("BEGIN DEFERRED")
    _ = try reader.first("SELECT count(*) FROM delta") { try $0.int(0) }
    return reader
  }

  @Test
  func `what a closing wrote survives a power cut, also with a reader in the way`() async throws {
    let vfs = try FaultVFS(name: "pinned-\(UUID().uuidString)")
    // A transaction from before the first frame of the WAL blocks the checkpoint of every frame, so SQLite
    // copies none and syncs nothing.
    try await open(on: vfs).close()
    let reader = try pin()
    let persistence = try await open(on: vfs)
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: 8)
    for number in Int64(1)...20 { store.commit { script.commit(number, to: &$0.db) } }
    try await persistence.close()

    for seed in UInt64(0)..<8 {
      let after = try TemporaryDirectory()
      try vfs.cutPower(seed: seed, into: after.url)
      var rebooted = PersistenceConfiguration()
      rebooted.bootID = UUID()
      let restored = try await Persistence.open(
        at: after.path("app.strata"),
        initialState: LibraryState(),
        database: \.db,
        configuration: rebooted
      )
      #expect(restored.revision == 20, "seed \(seed)")
      #expect(restored.initialState.db == store.state.db, "seed \(seed)")
      try await restored.close()
    }
    try reader.close()
  }

  @Test
  func `a reader who stays makes the writer wait a quarter of a second in 8 MB, and not before 64`()
    async throws
  {
    let vfs = try FaultVFS(name: "pinned-\(UUID().uuidString)", follows: false)
    let persistence = try await open(on: vfs)
    let store = LibraryStore(persistence)
    let reader = try pin()
    vfs.resetCounts()
    let walPath = try StorePath(path, for: .inspecting)
    var number = 0
    func write(upTo bytes: Int64) async throws {
      while walPath.walSize < bytes {
        number += 1
        let title = String(repeating: "\(number)", count: 60_000)
        store.commit { $0.db.books.insert(Book(id: 1, title: title)) }
        try await persistence.flush()
      }
    }
    try await write(upTo: 62 << 20)
    #expect(vfs.lockWaits == [])
    try await write(upTo: 82 << 20)
    let waited = vfs.lockWaits.reduce(.zero, +)
    printStatistics("a reader who stays: \(waited) asked to wait for 20 MB beyond the limit")
    #expect(waited > .zero)
    #expect(waited <= .milliseconds(3 * 250))

    try reader.close()
    store.commit { $0.db.books.removeAll() }
    try await persistence.close()
    #expect(walPath.walSize == 0)
  }
}
