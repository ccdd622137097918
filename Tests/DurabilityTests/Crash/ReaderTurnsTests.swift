import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Readers of a store that no program has open, and a writer that comes meanwhile.
struct ReaderTurnsTests {
  static let turns = loopCount("STRATA_TURNS", 300)

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  /// The files in the directory of the store.
  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
  }

  @Test
  func `a reader that starts over and over and a writer that does never refuse each other`()
    async throws
  {
    try await open().close()
    let reader = try ChildProcess("CrashChild", [path, "1", "look", "\(Self.turns)"])
    var openings = 0
    while !reader.hasEnded {
      let persistence = try await open()
      let store = LibraryStore(persistence)
      store.commit { $0.db.books.insert(Book(id: EntityID(openings % 10), title: "\(openings)")) }
      try await persistence.close()
      openings += 1
    }
    #expect(reader.lines(atLeast: 1) == ["looked \(Self.turns)"])
    #expect(openings > 0)
    #expect(try files() == ["app.strata", "app.strata.head", "app.strata.lock"])
    #expect(try Inspector(path: path).verify().isSound)
    printStatistics("\(Self.turns) readers beside \(openings) openings for writing")
  }

  @Test
  func `a reader goes on beside a writer that opens the store, and after it`() async throws {
    try await open().close()
    let inspector = try Inspector(path: path)
    #expect(try inspector.lastRevision() == 0)
    #expect(inspector.access.mode == .atRest)
    let persistence = try await open()
    LibraryStore(persistence).commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    #expect(try inspector.lastRevision() == 1)
    #expect(inspector.access.mode == .live)
    try await persistence.close()
    #expect(try inspector.lastRevision() == 1)
    #expect(inspector.access.mode == .atRest)
    #expect(try inspector.verify().isSound)
    #expect(try files() == ["app.strata", "app.strata.head", "app.strata.lock"])
  }

  @Test
  func `a reader that left a writer's company last leaves nothing of it`() async throws {
    try await open().close()
    let persistence = try await open()
    var inspector: Inspector? = try Inspector(path: path)
    #expect(inspector?.access.mode == .live)
    #expect(try inspector?.lastRevision() == 0)
    try await persistence.close()
    inspector = nil
    #expect(try files() == ["app.strata", "app.strata.head", "app.strata.lock"])
  }

  @Test
  func `a reader that does not pause is named to the writer`() async throws {
    try await open().close()
    let reader = try ChildProcess("CrashChild", [path, "1", "hold"])
    #expect(reader.lines(atLeast: 1) == ["held"])
    let error = await #expect(throws: PersistenceError.self) { _ = try await open() }
    #expect(
      error?.reason
        == .busy("process \(reader.identifier) reads it and has not paused for half a second")
    )
    reader.kill()
    try await open().close()
    #expect(try files() == ["app.strata", "app.strata.head", "app.strata.lock"])
  }

  @Test
  func `what a crash left of a writer that waited means nothing`() async throws {
    try await open().close()
    try Data().write(to: URL(fileURLWithPath: path + ".coming"))
    #expect(try Inspector(path: path).lastRevision() == 0)
    try await open().close()
  }

  @Test(arguments: [RestorePolicy.strict, .bestEffort, .readOnly])
  func `an opening that is refused leaves nothing beside the store`(
    policy: RestorePolicy
  ) async throws {
    var configuration = PersistenceConfiguration()
    configuration.application = "one"
    try await open(configuration).close()
    try FileManager.default.removeItem(atPath: path + ".lock")
    let before = try files()
    configuration.application = "another"
    configuration.restore = policy
    let error = await #expect(throws: PersistenceError.self) { _ = try await open(configuration) }
    guard case .otherApplication = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(try files() == before)
    #expect(before == ["app.strata", "app.strata.head"])
  }
}
