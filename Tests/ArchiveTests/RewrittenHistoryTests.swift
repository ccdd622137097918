import Foundation
import Strata
import StrataArchive
import StrataBase
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// An archive that gets the history of a file from which entities were erased.
///
/// The simulator found each of these.
struct RewrittenHistoryTests {
  let directory: TemporaryDirectory
  let memory = MemoryArchive()
  let archive: FaultyArchive

  init() throws {
    directory = try TemporaryDirectory()
    archive = FaultyArchive(memory)
  }

  private func open(
    _ name: String = "app"
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(durability: .grouped(maxDelay: .milliseconds(1)))
    configuration.archiving = ArchivePolicy(lease: .seconds(60), maxDelay: .zero)
    configuration.archiving.closingLimit = .milliseconds(10)
    return try await Persistence.open(
      at: directory.path("\(name).strata"),
      initialState: LibraryState(),
      database: \.db,
      archive: archive,
      configuration: configuration
    )
  }

  private func add(_ numbers: ClosedRange<Int>, to store: LibraryStore) {
    for number in numbers {
      store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
    }
  }

  /// Adds a book with a secret, and removes it: two commits.
  private func addSecret(to store: LibraryStore) {
    store.commit { $0.db.books.insert(Book(id: 99, title: secret)) }
    store.commit { $0.db.books.remove(99) }
  }

  /// What the archive has.
  private func archived() async throws -> LibraryDatabase {
    let path = directory.path("pulled \(UUID().uuidString).strata")
    _ = try await ArchivePull(from: memory, to: StorePath(path, for: .archiving), on: .system).run()
    let pulled = try Inspector(path: path)
    #expect(try pulled.verify().isSound)
    #expect(try StoreBytes(path).files(holding: secret).isEmpty)
    let last = Revision(try pulled.info().revision)
    return try pulled.database(over: LibraryDatabase(), at: last)
  }

  @Test
  func `an archive that starts again has all that it had confirmed`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    addSecret(to: store)
    add(1...20, to: store)
    try await persistence.replicated(through: persistence.revision)
    // Nothing arrives after the restart, as from a machine that is lost.
    let hasRestarted = Lock(false)
    let (lost, loss) = AsyncStream.makeStream(of: Void.self)
    archive.fail { call in
      hasRestarted.withLock { hasRestarted in
        if hasRestarted {
          loss.yield()
          return .lost
        }
        hasRestarted = call == "restart"
        return nil
      }
    }
    try await persistence.erase([Book.ID(99)])
    for await _ in lost { break }
    try await persistence.close()
    #expect(try await archived() == store.state.db)
    #expect(await memory.gaps() == [])
    // The history is there too, and not only its end.
    #expect(await memory.segments(after: 0, bytes: .max).first?.start.revision == 0)
  }

  @Test
  func `what is erased before it was sent leaves an archive that can be pulled`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    add(1...3, to: store)
    try await persistence.replicated(through: 3)
    archive.fail { $0 == "append" ? .lost : nil }
    addSecret(to: store)
    try await persistence.erase([Book.ID(99)])
    add(4...6, to: store)
    archive.work()
    try await persistence.replicated(through: persistence.revision)
    #expect(try await archived() == store.state.db)
    try await persistence.close()
  }

  @Test
  func `a leader that the archive has forgotten while it took over leads again`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    addSecret(to: store)
    try await persistence.replicated(through: 2)
    let before = await memory.contents
    let (lost, loss) = AsyncStream.makeStream(of: Void.self)
    archive.fail { call in
      guard call == "restart" else { return nil }
      loss.yield()
      return .lost
    }
    try await persistence.erase([Book.ID(99)])
    for await _ in lost { break }
    await memory.replace(by: before)
    archive.work()
    try await persistence.replicated(through: 2)
    #expect(try await archived() == store.state.db)
    try await persistence.close()
  }

  @Test
  func `a file with erasures that another leader has overtaken was not taken back`() async throws {
    let first = try await open()
    add(1...3, to: LibraryStore(first))
    try await first.replicated(through: 3)
    try await first.close()
    let second = try await open("other")
    add(4...20, to: LibraryStore(second))
    try await second.replicated(through: 20)
    try await second.close()
    // Each erasure raises the epoch of the file, here beyond that of the archive.
    let alone = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db
    )
    addSecret(to: LibraryStore(alone))
    for _ in 1...3 { try await alone.erase([Book.ID(99)]) }
    try await alone.close()
    let error = await #expect(throws: PersistenceError.self) { try await open() }
    guard case .archive(let refusal) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(refusal.reason == .lacksErasures(1))
  }
}
