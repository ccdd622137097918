import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataSQLite
import TestSupport
import Testing

/// A file that is not a store, or not one for this build, is refused with the reason and not changed.
struct RefusedFileTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func refusal(_ path: String? = nil) async throws -> PersistenceError.Reason? {
    let path = path ?? self.path
    let before = try? StoreBytes(path)
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db
      )
    }
    #expect((try? StoreBytes(path)) == before)
    #expect(error?.description.contains(URL(fileURLWithPath: path).lastPathComponent) == true)
    return error?.reason
  }

  private func patch(_ offset: Int, _ bytes: [UInt8]) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    data.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    try data.write(to: URL(fileURLWithPath: path))
  }

  private func makeStore() async throws {
    try await withPersistence(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      store: LibraryStore.init
    ) { store in
      for number in 1...50 { store.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
    }
  }

  @Test
  func `a directory that is missing`() async throws {
    let missing = directory.path("no/such/app.strata")
    #expect(try await refusal(missing) == .missingDirectory(directory.path("no/such")))
  }

  @Test
  func `a directory in place of the file`() async throws {
    #expect(try await refusal(directory.url.path) == .notAFile("a directory"))
  }

  @Test
  func `a link in place of the file`() async throws {
    try await makeStore()
    let link = directory.path("link.strata")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(try await refusal(link) == .notAFile("a symbolic link"))
  }

  @Test
  func `a file of two names under either, also while it is open`() async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    let store = LibraryStore(persistence)
    let second = directory.path("second.strata")
    try FileManager.default.linkItem(atPath: path, toPath: second)
    #expect(try await refusal(second) == .notAFile("one of several names (hard links) of a file"))
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.close()
    #expect(try await refusal() == .notAFile("one of several names (hard links) of a file"))
    try FileManager.default.removeItem(atPath: second)
    let again = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    #expect(again.initialState.db == store.state.db)
    try await again.close()
  }

  @Test(arguments: ["app.strata.creating", "app.strata.creating-7"])
  func `a name that is left from the making is no second one`(name: String) async throws {
    try await makeStore()
    try FileManager.default.linkItem(atPath: path, toPath: directory.path(name))
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    #expect(persistence.initialState.db.books.count == 50)
    #expect(!FileManager.default.fileExists(atPath: directory.path(name)))
    try await persistence.close()
  }

  @Test
  func `a link on the way to the file is followed`() async throws {
    let link = directory.path("here")
    try FileManager.default.createSymbolicLink(
      atPath: link,
      withDestinationPath: directory.url.path
    )
    try await makeStore()
    let persistence = try await Persistence.open(
      at: link + "/app.strata",
      initialState: LibraryState(),
      database: \.db
    )
    #expect(persistence.initialState.db.books.count == 50)
    try await persistence.close()
  }

  @Test
  func `an empty file`() async throws {
    try Data().write(to: URL(fileURLWithPath: path))
    #expect(try await refusal() == .empty)
    #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
  }

  @Test
  func `a text file`() async throws {
    try Data(String(repeating: "Dear diary, ", count: 500).utf8)
      .write(to: URL(fileURLWithPath: path))
    #expect(try await refusal() == .notADatabase)
    #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
  }

  @Test
  func `another program's SQLite database`() async throws {
    let connection = try Connection(path: path, mode: .create)
    try connection.setApplicationID(42)
    try connection.execute("CREATE TABLE recipe (id INTEGER PRIMARY KEY)")
    try connection.close()
    #expect(try await refusal() == .foreign(applicationID: 42))
    #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
  }

  @Test
  func `the header of a store without its tables`() async throws {
    let connection = try Connection(path: path, mode: .create)
    try connection.setApplicationID(StoreHeader.applicationID)
    try connection.close()
    #expect(try await refusal() == .olderFormat(found: 0, known: StoreFormat.known))
  }

  @Test
  func `a store of a newer format`() async throws {
    try await makeStore()
    try patch(60, [0, 0, 0, 99])
    #expect(try await refusal() == .newerFormat(found: 99, known: StoreFormat.known))
  }

  @Test
  func `a truncated store`() async throws {
    try await makeStore()
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: UInt64(size - 5_000))
    try handle.close()
    #expect(try await refusal() == .truncated(expected: Int64(size), found: Int64(size - 5_000)))
    try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 60)
    #expect(try await refusal() == .truncated(expected: 100, found: 60))
  }

  @Test
  func `a store that another writer has open`() async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(at: path, initialState: LibraryState(), database: \.db)
    }
    guard case .alreadyOpen(let owner) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(owner.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
    // The refused opening has not released the locks of the first one.
    LibraryStore(persistence).commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.close()
    let again = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    #expect(again.initialState.db.books.count == 1)
    try await again.close()
  }

  @Test
  func `a store whose acknowledged end is missing`() async throws {
    try await makeStore()
    let old = try Data(contentsOf: URL(fileURLWithPath: path))
    try await withPersistence(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      store: LibraryStore.init
    ) { store in store.commit { $0.db.books.removeAll() } }
    try old.write(to: URL(fileURLWithPath: path))
    guard case .endMissing = try await refusal() else {
      Issue.record("not refused as a file without its end")
      return
    }
  }
}
