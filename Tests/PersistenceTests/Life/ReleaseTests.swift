import Foundation
import Strata
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Stores that nobody closes: released, or open when the process ends.
struct ReleaseTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  /// A store whose writer waits for an hour with each group, so that what is committed is pending.
  private static func open(
    at path: String,
    on vfs: FaultVFS? = nil
  ) async throws -> LibraryStore {
    var configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .seconds(3_600)),
      recoveryInterval: .seconds(3_600)
    )
    configuration.vfs = vfs?.name
    return LibraryStore(
      try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        configuration: configuration
      )
    )
  }

  /// Opens the file once it is free: what a store still does beside the test holds it for as long.
  private func opened() async throws -> Persistence<LibraryState, LibraryDatabase> {
    while true {
      do throws(PersistenceError) {
        return try await Persistence.open(
          at: path,
          initialState: LibraryState(),
          database: \.db
        )
      } catch {
        guard case .alreadyOpen = error.reason else { throw error }
        await Task.yield()
      }
    }
  }

  private func booksInFile() async throws -> Int {
    let persistence = try await opened()
    let count = persistence.initialState.db.books.count
    try await persistence.close()
    return count
  }

  @Test
  func `what is pending in a store that is released without close is written`() async throws {
    var store: LibraryStore? = try await Self.open(at: path)
    for number in 1...3 { store?.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
    store = nil
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    #expect(try await booksInFile() == 3)
  }

  @Test
  func `a suspended store that is released without close writes what was committed meanwhile`()
    async throws
  {
    var persistence: Persistence<LibraryState, LibraryDatabase>? = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    var store = persistence.map { LibraryStore($0) }
    try await persistence?.suspend()
    store?.commit { $0.db.books.insert(Book(id: 1)) }
    (store, persistence) = (nil, nil)
    #expect(try await booksInFile() == 1)
  }

  @Test
  func `what is pending in a store that is open when the process exits is written`() async throws {
    await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
      let store = try await Self.open(at: path)
      store.commit { $0.db.books.insert(Book(id: 1)) }
      withExtendedLifetime(store) { exit(7) }
    }
    #expect(try await booksInFile() == 1)
  }

  /// A debug build stops here; a release build goes on.
  @Test
  func `what cannot be written when a store is released is reported with the cause and the remedy`()
    async throws
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      let vfs = try FaultVFS(name: "release")
      var store: LibraryStore? = try await Self.open(at: path, on: vfs)
      for number in 1...2 { store?.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
      vfs.failNext(.write, in: .wal, code: .full, times: .sticky)
      store = nil
      exit(1)
    }
    let text = try #require(result?.standardErrorContent.text)
    #expect(text.contains("app.strata: the store was not closed, and 2 commits are"))
    #expect(text.contains("full") && text.contains("use withPersistence."), "\(text)")
  }

  @Test
  func `a store whose close has failed says nothing more when it is released`() async throws {
    let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent])
    {
      [path = path as String] in
      let vfs = try FaultVFS(name: "closed")
      var configuration = PersistenceConfiguration(
        durability: .grouped(maxDelay: .seconds(3_600)),
        recoveryInterval: .seconds(3_600)
      )
      configuration.vfs = vfs.name
      var persistence: Persistence<LibraryState, LibraryDatabase>? = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        configuration: configuration
      )
      var store = persistence.map { LibraryStore($0) }
      store?.commit { $0.db.books.insert(Book(id: 1)) }
      vfs.failNext(.write, in: .wal, code: .full, times: .sticky)
      do {
        try await persistence?.close()
        exit(1)
      } catch {
        (store, persistence) = (nil, nil)
        exit(7)
      }
    }
    let text = try #require(result?.standardErrorContent.text)
    #expect(!text.contains("was not closed"), "\(text)")
  }

  @Test
  func `what cannot be written when the process exits is reported`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      let vfs = try FaultVFS(name: "exit")
      let store = try await Self.open(at: path, on: vfs)
      store.commit { $0.db.books.insert(Book(id: 1)) }
      vfs.failNext(.write, in: .wal, code: .full, times: .sticky)
      withExtendedLifetime(store) { exit(1) }
    }
    let text = try #require(result?.standardErrorContent.text)
    #expect(text.contains("app.strata: the store was not closed, and 1 commit is"))
  }
}
