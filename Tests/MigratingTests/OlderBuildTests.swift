import Foundation
import ProductSupport
import Strata
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataMigrations
import StrataPersistence
import StrataScripts
import StrataStorage
import TestSupport
import Testing

/// Builds that lack migrations which ran on a store.
struct OlderBuildTests {
  private typealias First = FiveReleases.First

  private let app: NumberedStore
  private var path: String { app.path }
  private var backup: String { "\(path).before-1" }

  init() async throws {
    app = try await NumberedStore(users: 2)
    try await app.migrator(3).up()
  }

  private func error(
    _ body: () async throws -> Void
  ) async throws -> PersistenceError {
    try await #require(throws: PersistenceError.self) { try await body() }
  }

  /// A build that lists so many steps; nil for one without the step of an opening.
  private func open(
    knowing count: Int?,
    _ restore: RestorePolicy = .strict
  ) async throws -> Persistence<First.State, First.Database> {
    try await Persistence.open(
      at: path,
      initialState: First.State(),
      database: \.db,
      configuration: PersistenceConfiguration(restore: restore),
      with: count.map { [.migrations(app.migrator($0).migrations)] } ?? []
    )
  }

  @Test(arguments: [nil, 0, 1, 2], [RestorePolicy.strict, .bestEffort])
  func `it is refused for writing, with what it lacks, and every byte is kept`(
    count: Int?,
    policy: RestorePolicy
  ) async throws {
    let before = try StoreBytes(path)
    let error = try await error { try await open(knowing: count, policy).close() }
    let known = count ?? 0
    let lacks = ["0001_add", "0002_add", "0003_add"].dropFirst(known)
    #expect(
      error.olderBuild
        == OlderBuild(
          known: known,
          last: 3,
          lacks: Array(lacks),
          isReversible: true,
          // That of one run is of before all of its steps.
          backup: backup
        )
    )
    #expect(error.kind == .newer && error.remedy == .useNewerBuild)
    #expect(try StoreBytes(path) == before)
  }

  @Test
  func `the error names both versions and each way on`() async throws {
    let one = try await error { try await open(knowing: 1).close() }
    #expect(
      one.description == """
        \(path): migrations up to 3 ran on this store, and this build knows those up to 1: it lacks 0002_add, 0003_add. Use \
        the build that has them, and passes them with .migrations([…]). To go on with this build, take them back by its \
        scripts with `strata migrate down '\(path)' --to 1`, or restore the backup from before them with `strata restore \
        '\(path)' '\(backup)'`. RestorePolicy.readOnly reads it with this build, if that can decode \
        all of it. The file was not changed.
        """
    )
    let none = try await error { try await open(knowing: nil).close() }
    let lacks = "this build knows none: it lacks 0001_add, 0002_add, 0003_add."
    #expect(none.description.contains(lacks))
    #expect(none.description.contains("open with .migrations(.external)"))
  }

  @Test
  func `a step without a way back, and a backup that is gone, are no ways on`() async throws {
    let last = DataMigration("0004_last", table: "users") { $0["age"] = .integer(1) }
    try await DataMigrator(app.migrator(3).migrations + [last], at: path).up()
    for name in try FileManager.default.contentsOfDirectory(atPath: app.directory.path("."))
    where name.contains(".before-") {
      try FileManager.default.removeItem(atPath: app.directory.path(name))
    }
    let error = try await error { try await open(knowing: 1).close() }
    let older = try #require(error.olderBuild)
    #expect(!older.isReversible && older.backup == nil && older.last == 4)
    #expect(!error.description.contains("migrate down"))
    #expect(error.description.contains("To go on with this build, restore a backup from before"))
  }

  @Test(arguments: [nil, 0, 2])
  func `it reads, and its report says what it lacks`(count: Int?) async throws {
    let persistence = try await open(knowing: count, .readOnly)
    let names = NumberedStore.names(persistence.initialState.db)
    #expect(names == ["u1": "User 1123", "u2": "User 2123"])
    #expect(persistence.report.newerMigrations.count == 3 - (count ?? 0))
    #expect(persistence.report.notes.count { $0.contains("must not write") } == 1)
    try await persistence.close()
  }

  @Test
  func `it writes again when the newer build has taken its steps back`() async throws {
    try await app.migrator(3).down(to: 1)
    try await app.write(knowing: 1, ["a": "a1"])
    #expect(try app.names() == ["u1": "User 11", "u2": "User 21", "a": "a1"])
    try await app.migrator(3).up()
    #expect(try app.names()["a"] == "a123")
  }

  @Test
  func `it writes again when the backup from before the steps is restored`() async throws {
    let error = try await error { try await open(knowing: 0).close() }
    let backup = try #require(error.olderBuild?.backup)
    _ = try await StoreBackup.restore(backup, replacing: path)
    try await app.write(knowing: 0, ["a": "a"])
    #expect(try app.names() == ["u1": "User 1", "u2": "User 2", "a": "a"])
  }

  @Test
  func `a program whose migrations something else runs is no older build`() async throws {
    try await app.write(knowing: nil, ["a": "a123"])
    #expect(try await app.migrator(3).up().steps.isEmpty)
    #expect(try app.names()["a"] == "a123")
  }

  /// What a runner of migrations does with a list.
  enum Call: CaseIterable { case up, down, plan, test }

  @Test(arguments: Call.allCases)
  func `a runner with a shorter list is refused, and every byte is kept`(_ call: Call) async throws
  {
    let migrator = app.migrator(2)
    let before = try StoreBytes(path)
    let error = try await error {
      switch call {
      case .up: try await migrator.up()
      case .down: try await migrator.down()
      case .plan: _ = try await migrator.plan()
      case .test: _ = try await migrator.test()
      }
    }
    let older = OlderBuild(
      known: 2,
      last: 3,
      lacks: ["0003_add"],
      isReversible: true,
      backup: backup
    )
    #expect(error.olderBuild == older)
    #expect(try StoreBytes(path) == before)
    #expect(try await migrator.status().entries.map(\.state) == [.applied, .applied, .newer])
  }

  @Test
  func `a runner with a shorter list reverts to before the migrations`() async throws {
    try await app.migrator(0).revert(to: 1)
    try await app.write(knowing: 0, ["a": "a"])
    #expect(try app.names() == ["u1": "User 1", "u2": "User 2", "a": "a"])
  }

  @Test
  func `steps that were squashed since are known by their numbers`() async throws {
    let squashed = DataMigration("0003_squashed", replacing: 1...3)
    let next = DataMigration("0004_last", table: "users") { $0["age"] = .integer(1) }
    try await DataMigrator([squashed, next], at: path).up()
    let error = try await error {
      try await Persistence.open(
        at: path,
        initialState: First.State(),
        database: \.db,
        with: [.migrations([squashed])]
      ).close()
    }
    #expect(error.olderBuild?.known == 3)
    #expect(error.olderBuild?.lacks == ["0004_last"])
  }
}
