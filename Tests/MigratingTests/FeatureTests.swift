import ProductSupport
import Strata
import StrataArchiving
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrations
import StrataPersistence
import StrataSQLite
import StrataSchema
import StrataStorage
import TestSupport
import Testing

/// A file names what a program must know of to write to it, beside the migrations of its data.
struct FeatureTests {
  private typealias First = FiveReleases.First

  private let directory: TemporaryDirectory
  private let app: NumberedStore

  init() throws {
    app = try NumberedStore()
    directory = app.directory
  }

  private func open(
    _ restore: RestorePolicy = .strict,
    with steps: [any OpeningStep] = []
  ) async throws -> Persistence<First.State, First.Database> {
    try await Persistence.open(
      at: app.path,
      initialState: First.State(),
      database: \.db,
      configuration: PersistenceConfiguration(restore: restore),
      with: steps
    )
  }

  /// Adds a feature that no version knows.
  private func addFeature() throws {
    let connection = try Connection(path: app.path, mode: .readWrite)
    let since = try app.revision
    try HashedTable.feature.insert(
      [.text("folding"), .integer(since.number)],
      on: connection
    )
    try connection.close()
  }

  @Test
  func `a feature of a later version is refused, and a step of this one makes no difference`()
    async throws
  {
    try await app.write(knowing: 1, ["ada": "Ada"])
    try addFeature()
    for steps in [[], [.migrations([])]] as [[any OpeningStep]] {
      let before = try StoreBytes(app.path)
      let error = await #expect(throws: PersistenceError.self) { try await open(with: steps) }
      #expect(error?.reason == .needsFeature("folding"))
      #expect(error?.remedy == .useNewerBuild)
      #expect(try StoreBytes(app.path) == before)
    }
    // Pending migrations do not run either.
    let migrations = Array(NumberedStore.steps.prefix(2))
    let before = try StoreBytes(app.path)
    await #expect(throws: PersistenceError.self) { try await open(with: [.migrations(migrations)]) }
    #expect(try StoreBytes(app.path) == before)
  }

  /// What writes to a store without a program's types.
  enum Door: CaseIterable {
    case migrate, erase, nameSnapshot, push
  }

  @Test(arguments: Door.allCases)
  func `a feature of a later version is refused at every door, and every byte is kept`(
    door: Door
  ) async throws {
    try await app.write(knowing: 1, ["ada": "Ada"])
    try addFeature()
    let before = try StoreBytes(app.path)
    let error = await #expect(throws: PersistenceError.self) {
      switch door {
      case .migrate: try await app.migrator(2).up()
      case .erase:
        let entities = ErasedEntities([.init(table: "users", meantBy: "ada")])
        _ = try StoreErasure.run(at: app.path, entities, .leave)
      case .nameSnapshot: _ = try NamedSnapshots(of: app.path).create("before")
      case .push:
        _ = try await ArchivePush(
          from: StorePath(app.path, for: .archiving),
          to: FolderArchive(directory.path("archive"))
        ).run()
      }
    }
    #expect(error?.reason == .needsFeature("folding"))
    #expect(try StoreBytes(app.path) == before)
  }

  @Test
  func `a file with a feature of a later version is read`() async throws {
    try await app.write(knowing: 0, ["ada": "Ada"])
    try addFeature()
    let persistence = try await open(.readOnly)
    #expect(persistence.initialState.db.users.map(\.name) == ["Ada"])
    try await persistence.close()
  }

  @Test
  func `a copy of a file has its features, and one from before them does not`() async throws {
    try await app.write(knowing: 0, ["ada": "Ada"])
    let before = try app.revision
    try await app.write(knowing: 0, ["bob": "Bob"])
    try addFeature()
    for (name, point) in [("last", try app.revision), ("first", before)] {
      let copy = directory.path("\(name).strata")
      try await StoreBackup.fork(app.path, at: .revision(point), to: copy)
      let feature = try Inspector(path: copy).query {
        try HashedTable.unknownFeature(on: $0.journal.connection)
      }
      #expect(feature == (name == "last" ? "folding" : nil))
    }
  }
}
