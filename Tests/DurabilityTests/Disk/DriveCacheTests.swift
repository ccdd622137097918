import Foundation
import Strata
import StrataBase
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Apple's SQLite answers a full sync with a barrier: what was written may still be in the cache of the drive.
struct DriveCacheTests {
  private let directory: TemporaryDirectory
  private let vfs: FaultVFS
  private var configuration = PersistenceConfiguration(durability: .onFlush)

  init() throws {
    directory = try TemporaryDirectory()
    vfs = try FaultVFS(name: "drive-cache-\(UUID().uuidString)")
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
  }

  private func open(
    _ path: String,
    _ configuration: PersistenceConfiguration
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  /// What promises that a commit is on the medium when it returns.
  enum Promise: CaseIterable {
    case flush, durableCommit, snapshot, close
  }

  /// Commits, keeps a promise, and returns how many books are there after a power cut.
  private func booksAfterPowerCut(
    _ promise: Promise,
    _ configuration: PersistenceConfiguration
  ) async throws -> Int {
    let persistence = try await open(directory.path("app.strata"), configuration)
    let store = LibraryStore(persistence)
    vfs.addDriveCache()
    store.commit { $0.db.books.insert(Book(id: 1)) }
    switch promise {
    case .flush: try await persistence.flush()
    case .durableCommit:
      try await store.commitDurably { $0.db.books.insert(Book(id: 2)) }
    case .snapshot: try await persistence.snapshot(named: "n")
    case .close: try await persistence.close()
    }
    let after = try TemporaryDirectory()
    try vfs.cutPower(seed: 1, into: after.url)
    try await persistence.close()
    var plain = PersistenceConfiguration()
    plain.bootID = UUID()
    plain.restore = .bestEffort
    let again = try await open(after.path("app.strata"), plain)
    try await again.close()
    return again.initialState.db.books.count
  }

  @Test(arguments: Promise.allCases)
  func `what was promised is on the medium when syncs only order writes`(
    promise: Promise
  ) async throws {
    var configuration = configuration
    configuration.disk.sqliteSync = .ordersWrites
    let books = try await booksAfterPowerCut(promise, configuration)
    #expect(books == (promise == .durableCommit ? 2 : 1))
  }

  @Test func `it would not be if such a sync were taken for one that reaches the medium`()
    async throws
  {
    var configuration = configuration
    configuration.disk.sqliteSync = .reachesMedium
    #expect(try await booksAfterPowerCut(.flush, configuration) == 0)
  }

  @Test func `a flush needs no second sync where one reaches the medium`() async throws {
    var configuration = configuration
    configuration.disk.sqliteSync = .reachesMedium
    let persistence = try await open(directory.path("app.strata"), configuration)
    let store = LibraryStore(persistence)
    vfs.resetCounts()
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    #expect(vfs.count(of: .sync, in: .wal) == 1)
    #expect(vfs.count(of: .sync, in: .own) == 0)
    try await persistence.close()
  }
}

/// On Apple's systems a lock of `flock` excludes the locks that SQLite takes on the same file.
struct LockedFileTests {
  private final class Locks: DiskWatch {
    let paths = Lock<Set<String>>([])

    func fault(before call: DiskCall) -> DiskCall.Fault? { nil }
    func didMake(_ call: DiskCall) {
      if case .lock(let path) = call { paths.withLock { _ = $0.insert(path) } }
    }
  }

  @Test func `no file that SQLite opens is locked`() async throws {
    let directory = try TemporaryDirectory()
    let locks = Locks()
    var configuration = PersistenceConfiguration()
    configuration.watch = locks
    let path = directory.path("app.strata")
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.backup(to: directory.path("copy.strata"))
    try await persistence.bundle(last: 1, to: directory.path("bundle.strata"))
    store.commit { $0.db.books.remove(1) }
    try await persistence.erase([Book.ID(1)])
    try await persistence.close()

    let suffixes = locks.paths.withLock { paths in
      Set(paths.map { $0.split(separator: ".").last.map(String.init) ?? "" })
    }
    #expect(suffixes.isSuperset(of: ["lock", "mark"]))
    #expect(suffixes.isSubset(of: ["lock", "mark", "coming"]))
  }
}
