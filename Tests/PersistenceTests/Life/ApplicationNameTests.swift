import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// The application that a store belongs to.
struct ApplicationNameTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    as application: String?,
    restore: RestorePolicy = .strict
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(restore: restore)
    configuration.application = application
    return try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  private var stored: String? {
    get throws { try Inspector(path: path).info().application }
  }

  @Test
  func `a new store has the name of its application`() async throws {
    try await open(as: "Library").close()
    #expect(try stored == "Library")
    try await open(as: "Library").close()
    try await open(as: nil).close()
    #expect(try stored == "Library")
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `a store without a name gets that of the first application that has one`() async throws {
    try await open(as: nil).close()
    #expect(try stored == nil)
    try await open(as: "Library", restore: .readOnly).close()
    #expect(try stored == nil)
    try await open(as: "Library").close()
    #expect(try stored == "Library")
  }

  @Test(arguments: RestorePolicy.allCases)
  func `another application is refused, and nothing changes`(policy: RestorePolicy) async throws {
    try await open(as: "Library").close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await open(as: "Cinema", restore: policy)
    }
    #expect(error?.reason == .otherApplication(found: "Library", expected: "Cinema"))
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("“Library”, and the configuration names “Cinema”"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test
  func `a damaged store of another application is not salvaged`() async throws {
    let persistence = try await open(as: "Library")
    LibraryStore(persistence).commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.close()
    try RawSQLite.run("UPDATE layout SET body = zeroblob(3)", on: path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await open(as: "Cinema", restore: .bestEffort)
    }
    #expect(error?.reason == .otherApplication(found: "Library", expected: "Cinema"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test
  func `the name survives a salvage and a restored backup`() async throws {
    let persistence = try await open(as: "Library")
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    store.commit { $0.db.books.insert(Book(id: 2)) }
    let backup = directory.path("backup.strata")
    try await persistence.backup(to: backup)
    try await persistence.close()
    let copy = directory.path("copy.strata")
    try await StoreBackup.restore(backup, to: copy)
    #expect(try Inspector(path: copy).info().application == "Library")

    try RawSQLite.run("UPDATE delta SET name = 'forged' WHERE revision = 2", on: path)
    let salvaged = try await open(as: "Library", restore: .bestEffort)
    #expect(salvaged.report.outcome == .restoredWithLoss)
    try await salvaged.close()
    #expect(try stored == "Library")
  }
}
