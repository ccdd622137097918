import ProductSupport
import Strata
import StrataArchiving
import StrataJournal
import StrataMaintaining
import StrataMigrations
import StrataPersistence
import StrataSQLite
import StrataSchema
import StrataStorage
import TestSupport
import Testing

/// A file names what a program must know of to write to it.
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

  private func features(at path: String? = nil) throws -> [String: Int64] {
    try Inspector(path: path ?? app.path).query { view in
      let rows = try FeatureRow.all(on: view.journal.connection)
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.since) })
    }
  }

  @Test
  func `a program without migrations writes to a file until the first one has run on it`()
    async throws
  {
    try await open().close()
    #expect(try features() == [:])
    try await app.write(knowing: 0, ["ada": "Ada"])
    #expect(try features() == [:])
    try await app.migrator(1).up()
    #expect(try features() == ["migrations": app.revision.number])
    let since = try app.revision.number
    try await app.migrator(2).up()
    #expect(try features() == ["migrations": since])
  }

  @Test(arguments: [RestorePolicy.strict, .bestEffort])
  func `without the step it is refused for writing, with the import, and keeps every byte`(
    policy: RestorePolicy
  ) async throws {
    try await app.write(knowing: 1, ["ada": "Ada"])
    let before = try StoreBytes(app.path)
    let error = await #expect(throws: PersistenceError.self) { try await open(policy) }
    #expect(error?.reason == .needsFeature("migrations"))
    #expect(error?.remedy == .fixProgram)
    #expect(error?.description.contains("Import StrataMigrations") == true)
    #expect(try StoreBytes(app.path) == before)
    try await open(with: [.migrations([])]).close()
  }

  @Test
  func `without the step it is read, and no state from before the last one`() async throws {
    try await app.write(knowing: 1, ["ada": "Ada", "bob": "Bob"])
    let persistence = try await open(.readOnly)
    #expect(persistence.initialState.db.users.count == 2)
    let last = persistence.revision
    #expect(try await persistence.state(at: .revision(last)) == persistence.initialState.db)
    let error = await #expect(throws: PersistenceError.self) {
      try await persistence.state(at: .revision(last.previous))
    }
    #expect(error?.reason == .needsFeature("migrations"))
    try await persistence.close()
  }

  @Test
  func `a feature of a later version is refused, and a step of this one makes no difference`()
    async throws
  {
    try await app.write(knowing: 1, ["ada": "Ada"])
    let connection = try Connection(path: app.path, mode: .readWrite)
    try HashedTable.feature.insert([.text("folding"), .integer(1)], on: connection)
    try connection.close()
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
    let connection = try Connection(path: app.path, mode: .readWrite)
    try HashedTable.feature.insert([.text("folding"), .integer(1)], on: connection)
    try connection.close()
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
  func `copies of a file have its features, and one from before them does not`() async throws {
    try await app.write(knowing: 0, ["ada": "Ada"])
    let before = try app.revision
    try await app.migrator(1).up()
    try await app.write(knowing: 1, ["bob": "Bob"])
    let all = try features()
    #expect(all.keys.sorted() == ["migrations"])
    for (name, point) in [("last", try app.revision), ("first", before)] {
      let copy = directory.path("\(name).strata")
      try await StoreBackup.fork(app.path, at: .revision(point), to: copy)
      #expect(try features(at: copy) == (name == "last" ? all : [:]))
    }
    let persistence = try await open(with: [.migrations([])])
    let copy = directory.path("backup.strata")
    try await persistence.backup(to: copy)
    try await persistence.close()
    #expect(try features(at: copy) == all)
    _ = try StoreErasure.run(
      at: app.path,
      ErasedEntities([.init(table: "users", meantBy: "ada")]),
      .leave
    )
    #expect(try features() == all)
  }
}
