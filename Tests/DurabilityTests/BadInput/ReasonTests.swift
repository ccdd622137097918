import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// The reason of an error is what is wrong, so that the remedy fits.
struct ReasonTests {
  @Test
  func `a row that is too large or not UTF-8 is damage, and best effort restores the rest`()
    async throws
  {
    for sql in [
      "UPDATE delta SET name = CAST(x'FF41' AS TEXT) WHERE revision = 45",
      "UPDATE delta SET body = zeroblob(70000000) WHERE revision = 45",
    ] {
      let store = try await DamagedStore()
      try RawSQLite.run(sql, on: store.path)
      let error = await #expect(throws: PersistenceError.self) { _ = try await store.open(.strict) }
      guard case .damaged = error?.reason else {
        Issue.record("another reason: \(String(describing: error))")
        return
      }
      let opened = try await store.open(.bestEffort)
      #expect(opened.initialState.db == store.model(at: 44))
      #expect(opened.report.loss?.revisions == 45...50)
      try await opened.close()
    }
  }

  @Test
  func `best effort salvages a file in which SQLite meets damage while it reads`() async throws {
    let store = try await DamagedStore()
    let connection = try Connection(path: store.path, mode: .readOnly)
    let root = try connection.first(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'delta_part'"
    ) { try $0.int(0) }
    let leaf = try connection.first("SELECT rootpage FROM sqlite_schema WHERE name = 'origin'") {
      try $0.int(0)
    }
    try connection.close()
    var data = try Data(contentsOf: URL(fileURLWithPath: store.path))
    for page in [try #require(root), try #require(leaf)] {
      let start = Int(page - 1) * 4096
      data.replaceSubrange(start..<start + 4096, with: Data(count: 4096))
    }
    try data.write(to: URL(fileURLWithPath: store.path))
    let opened = try await store.open(.bestEffort)
    #expect(opened.initialState.db == store.model(at: 50))
    #expect(opened.report.outcome == .restoredWithLoss)
    try await opened.close()
    #expect(try Inspector(path: store.path).verify().isSound)
  }

  @Test
  func `a full disk is said to be full by an opening`() async throws {
    let store = try await DamagedStore()
    let vfs = try FaultVFS(name: "full-\(UUID().uuidString)", follows: false)
    vfs.failNext(.write, in: .wal, code: .full, times: .sticky)
    let error = await #expect(throws: PersistenceError.self) {
      var configuration = PersistenceConfiguration()
      configuration.vfs = vfs.name
      _ = try await Persistence.open(
        at: store.path,
        initialState: LibraryState(),
        database: \.db,
        configuration: configuration
      )
    }
    #expect(error?.reason == .diskFull)
    for code in [ENOSPC, EDQUOT] {
      for result in [ResultCode.ioerrWrite, .cantOpen, .ioerr] {
        let error = SQLiteError(
          code: result,
          operation: .configure,
          message: "disk I/O error",
          path: store.path,
          systemErrno: code
        )
        let wrapped = PersistenceError(.opening, path: store.path, wrapping: error)
        #expect(wrapped.reason == .diskFull)
      }
    }
  }

  @Test
  func `a file that cannot be read is not said to be unwritable`() async throws {
    // The superuser reads everything.
    guard geteuid() != 0 else { return try await expectAsUser() }
    try await expectUnreadable()
  }

  private func expectUnreadable() async throws {
    let store = try await DamagedStore()
    for suffix in [".head", ""] {
      try #require(chmod(store.path + suffix, 0) == 0)
      defer { chmod(store.path + suffix, 0o600) }
      for policy in [RestorePolicy.strict, .readOnly] {
        let error = await #expect(throws: PersistenceError.self) {
          _ = try await store.open(policy)
        }
        guard case .notReadable(let detail) = error?.reason else {
          Issue.record("another reason: \(String(describing: error))")
          return
        }
        #expect(detail.contains("app.strata\(suffix)"))
      }
    }
  }

  /// The same through the disk's watch, where permissions do not count.
  private func expectAsUser() async throws {
    let store = try await DamagedStore()
    struct Refusing: DiskWatch {
      let path: String

      func fault(before call: DiskCall) -> DiskCall.Fault? {
        guard case .open(path) = call else { return nil }
        return DiskCall.Fault(code: EACCES)
      }
      func didMake(_ call: DiskCall) {}
    }
    for suffix in [".head", ""] {
      var configuration = PersistenceConfiguration()
      configuration.watch = Refusing(path: store.path + suffix)
      for policy in [RestorePolicy.strict, .readOnly] {
        configuration.restore = policy
        let error = await #expect(throws: PersistenceError.self) {
          _ = try await Persistence.open(
            at: store.path,
            initialState: LibraryState(),
            database: \.db,
            configuration: configuration
          )
        }
        guard case .notReadable(let detail) = error?.reason else {
          Issue.record("another reason: \(String(describing: error))")
          return
        }
        #expect(detail.contains("app.strata\(suffix)"))
      }
    }
  }
}
