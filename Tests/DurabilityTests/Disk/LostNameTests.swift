import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Files that are moved away while a writer has them open.
struct LostNameTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    recoveryInterval: Duration
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(recoveryInterval: recoveryInterval)
    )
  }

  private func move(_ source: String, to destination: String) throws {
    try FileManager.default.moveItem(atPath: source, toPath: destination)
  }

  @Test
  func `a writer whose lock file was removed acknowledges nothing, and takes the lock again`()
    async throws
  {
    let persistence = try await open(recoveryInterval: .milliseconds(5))
    let store = LibraryStore(persistence)
    var events = persistence.events.makeAsyncIterator()
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    try FileManager.default.removeItem(atPath: path + ".lock")
    store.commit { $0.db.books.insert(Book(id: 2)) }
    let error = await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    #expect(error?.description.contains("its lock file was removed") == true)
    while let event = await events.next() {
      if case .recovered = event { break }
    }
    try await persistence.flush()
    #expect(persistence.durableRevision == 2)
    // The lock that is there now is held.
    let second = await #expect(throws: PersistenceError.self) {
      _ = try await open(recoveryInterval: .seconds(1))
    }
    guard case .alreadyOpen = second?.reason else {
      Issue.record("another reason: \(String(describing: second))")
      return
    }
    try await persistence.close()
  }

  @Test
  func `a writer whose removed lock another one has taken does not write again`() async throws {
    let persistence = try await open(recoveryInterval: .milliseconds(5))
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    try FileManager.default.removeItem(atPath: path + ".lock")
    let lock = try LockFileHolder(path + ".lock")
    store.commit { $0.db.books.insert(Book(id: 2)) }
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    let closing = await #expect(throws: PersistenceError.self) { try await persistence.close() }
    guard case .alreadyOpen = closing?.reason else {
      Issue.record("another reason: \(String(describing: closing))")
      return
    }
    withExtendedLifetime(lock) {}
  }

  /// A lock file that another writer holds.
  private final class LockFileHolder {
    private let descriptor: Int32

    init(_ path: String) throws {
      descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      try #require(descriptor >= 0)
      try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    deinit { _ = Foundation.close(descriptor) }
  }

  @Test(arguments: ["", "-wal"])
  func `nothing is acknowledged that nobody would find`(suffix: String) async throws {
    let persistence = try await open(recoveryInterval: .seconds(1_000))
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    try move(path + suffix, to: path + suffix + ".elsewhere")
    store.commit { $0.db.books.insert(Book(id: 2)) }
    let error = await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    guard case .damaged = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(persistence.durableRevision == 1)
    await #expect(throws: PersistenceError.self) { try await persistence.close() }
  }

  @Test
  func `nor by a closing`() async throws {
    let persistence = try await open(recoveryInterval: .seconds(1_000))
    let store = LibraryStore(persistence)
    try move(path, to: path + ".elsewhere")
    store.commit { $0.db.books.insert(Book(id: 1)) }
    await #expect(throws: PersistenceError.self) { try await persistence.close() }
  }

  @Test(arguments: ["", "-wal"])
  func `a read of the history says it too`(suffix: String) async throws {
    let persistence = try await open(recoveryInterval: .seconds(1_000))
    let store = LibraryStore(persistence)
    for number in 1...3 { store.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
    try await persistence.flush()
    try move(path + suffix, to: path + suffix + ".elsewhere")
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await persistence.state(at: .revision(1))
    }
    #expect(error?.description.contains("was removed, moved or replaced while it was open") == true)
    // A reader makes an empty WAL where there is none.
    if suffix == "-wal" { unlink(path + suffix) }
    try move(path + suffix + ".elsewhere", to: path + suffix)
    #expect(try await persistence.state(at: .revision(1)).books.count == 1)
    try await persistence.close()
  }

  /// After an error of the disk the writer has another WAL, and an archive that went back asks for what was trimmed.
  @Test
  func `a read beside a writer that has opened its files again says what is wrong with it`()
    async throws
  {
    let persistence = try await open(recoveryInterval: .seconds(1_000))
    LibraryStore(persistence).commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    let pins = HistoryPins()
    let reader = HistoryReader(try StorePath(path, for: .inspecting), vfs: nil, pins: pins)
    // Made while the WAL is there, so that it is another file.
    try Data().write(to: URL(fileURLWithPath: path + ".next"))
    try await persistence.close()
    try move(path + ".next", to: path + "-wal")
    func reason() async throws -> PersistenceError.Reason? {
      let error = await #expect(throws: PersistenceError.self) {
        try await reader.read { _ in throw PersistenceError.Reason.trimmed(1, oldest: 2) }
      }
      return error?.reason
    }
    guard case .damaged = try await reason() else {
      Issue.record("files that nobody has opened again are lost")
      return
    }
    pins.noteOpened()
    #expect(try await reason() == .trimmed(1, oldest: 2))
  }

  @Test
  func `what comes back is caught up with`() async throws {
    let persistence = try await open(recoveryInterval: .milliseconds(5))
    let store = LibraryStore(persistence)
    var events = persistence.events.makeAsyncIterator()
    try move(path, to: path + ".elsewhere")
    store.commit { $0.db.books.insert(Book(id: 1)) }
    let error = await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    _ = try #require(error)
    try move(path + ".elsewhere", to: path)
    while let event = await events.next() {
      if case .recovered = event { break }
    }
    try await persistence.flush()
    #expect(persistence.durableRevision == 1)
    try await persistence.close()
    let again = try await open(recoveryInterval: .seconds(1))
    #expect(again.initialState.db == store.state.db)
    try await again.close()
  }
}
