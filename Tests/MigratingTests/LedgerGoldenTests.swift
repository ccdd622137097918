import Foundation
import Strata
import StrataArchive
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// A file of the second format that has what its ledgers, marks and indexes can have, and an archive of it: both were
/// made once by the last build that wrote this format.
///
/// Migrations ran, one was taken back and ran again, an entity was erased, a leader sent the history to an archive,
/// older builds wrote to the file, and it has so many commits that their changes are indexed.
struct LedgerGoldenTests {
  private typealias First = FiveReleases.First

  private let app: NumberedStore
  private var directory: TemporaryDirectory { app.directory }
  private var path: String { app.path }

  init() throws {
    app = try NumberedStore()
    if Self.isRecording { return }
    for (suffix, name) in [("", "app.strata"), (".head", "app.strata.head")] {
      try Self.copy("ledgers2.strata\(suffix)", to: directory.path(name))
    }
    try Self.copy("archive2", to: directory.path("archive"))
  }

  private static func copy(_ name: String, to path: String) throws {
    try FileManager.default.copyItem(
      at: GoldenFile.folder.appendingPathComponent(name),
      to: URL(fileURLWithPath: path)
    )
  }
}

/// What is read of it.
extension LedgerGoldenTests {
  /// What the tables say that format 2 had elsewhere.
  private struct Facts: Equatable {
    var steps: [String]
    var erased: [String]
    var marks: [String]
    var leadership: String?
    var traces: [String]
    var index: ClosedRange<Int64>?
    var names: [String]
    var tables: [String]
  }

  private static let facts = Facts(
    steps: ["1 0001_add Swift 2", "2 0002_add Swift 3", "3 0003_add Swift 6"],
    erased: ["1 users 6 1...6"],
    marks: ["older 0 at 1040"],
    leadership: "3 at 490",
    traces: [
      "2 up(1, nil)", "3 up(2, nil)", "4 up(3, nil)", "5 down(3, nil)", "6 up(3, nil)",
      "1038 stragglers(2, since: 6)", "1039 stragglers(3, since: 6)",
    ],
    index: 1...1_024,
    names: ["led 1036"],
    tables: ["notes since 0", "tags since 0", "users since 0"]
  )

  private func facts() throws -> Facts {
    try Inspector(path: path).query { view in
      let connection = view.journal.connection
      let index = try view.journal.index(after: 0).flatMap { index, chain in
        index.isSound(at: chain) ? index : nil
      }
      return Facts(
        steps: try DataLedger.entries(on: connection).map {
          "\($0.number) \($0.name) \($0.form) \($0.revision)"
        },
        erased: try ErasureLedger.entries(on: connection).map { entry in
          "\(entry.number) \(entry.table) \(entry.revision) "
            + (entry.rewritten.map { "\($0)" } ?? "")
        },
        marks: try OlderBuildMarks.read(connection).openings.map { opening in
          switch opening.writer {
          case .olderBuild(let known): "older \(known) at \(opening.revision)"
          case .currentBuild: "current at \(opening.revision)"
          case .undone: "undone at \(opening.revision)"
          }
        },
        leadership: try LeadershipRecord.last(connection).map {
          "\($0.epoch) at \($0.mark.revision)"
        },
        traces: try view.journal.headers(after: 0, limit: 2_000).compactMap { header, _ in
          MigrationTrace(of: header).map { "\(header.revision) \($0)" }
        },
        index: try index.map { try $0.contents(after: 0).first.number...$0.last.number },
        names: view.names.map { "\($0.name) \($0.revision)" },
        tables: try ListedTable.all(in: connection).map { table in
          "\(table.name) since \(table.since)" + (table.until.map { " until \($0)" } ?? "")
        }
      )
    }
  }

  @Test
  func `reading it finds what a file of the newest format has, and leaves it as it is`() throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(try facts() == Self.facts)
    let inspector = try Inspector(path: path)
    #expect(try inspector.info().format == 2)
    let verification = try inspector.verify()
    #expect(verification.isSound, "\(verification)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test
  func `bringing it up moves every row to its table, and changes no delta`() throws {
    let before = try Inspector(path: path).info()
    try OwnedStore.write(StorePath(path, for: .opening), for: .opening, .init()) { _, _ in }
    #expect(try facts() == Self.facts)
    let inspector = try Inspector(path: path)
    let info = try inspector.info()
    #expect(info.format == StoreFormat.known)
    #expect(info.chain == before.chain)
    #expect(info.erased == before.erased)
    let verification = try inspector.verify()
    #expect(verification.isSound, "\(verification)")
  }

  /// A change in each row of a column: of one bit of a number, of one letter, of one byte.
  private static func change(of column: String, in table: String) -> String {
    """
    PRAGMA ignore_check_constraints = ON;
    UPDATE \(table) SET \(column) = CASE typeof(\(column))
        WHEN 'integer' THEN (\(column) | 2) - (\(column) & 2)
        WHEN 'text' THEN char(unicode(\(column)) + 1) || substr(\(column), 2)
        ELSE CAST(substr(\(column), 2) || x'7F' AS BLOB)
      END
      WHERE \(column) IS NOT NULL;
    SELECT CASE changes() WHEN 0 THEN abs(-9223372036854775808) END
    """
  }

  @Test(arguments: HashedTable.all.map { $0.name })
  func `a row that was changed is found, refused, and salvaged`(name: String) async throws {
    let table = try #require(HashedTable.all.first { $0.name == name })
    try OwnedStore.write(StorePath(path, for: .opening), for: .opening, .init()) { _, _ in }
    func open(_ path: String, _ policy: RestorePolicy) async throws
      -> Persistence<First.State, First.Database>
    {
      try await Persistence.open(
        at: path,
        initialState: First.State(),
        database: \.db,
        configuration: PersistenceConfiguration(restore: policy)
      )
    }
    var changed = 0
    for column in table.columns {
      let victim = directory.path("\(column).strata")
      for suffix in ["", ".head"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: victim + suffix)
      }
      do {
        try RawSQLite.run(Self.change(of: column, in: name), on: victim)
      } catch is RawSQLite.Failure {
        // No row has a value there, or two would have the same key.
        continue
      }
      changed += 1
      let place: Comment = "\(name).\(column)"
      #expect(try !Inspector(path: victim).verify().isSound, place)
      // What names the openings is read where a delta names one.
      if name != HashedTable.origin.name {
        let error = await #expect(throws: PersistenceError.self, place) {
          _ = try await open(victim, .strict)
        }
        guard case .damaged = error?.reason else {
          Issue.record("another reason at \(name).\(column): \(String(describing: error))")
          continue
        }
      }
      // Every hash covers the ID of the store, so nothing is left.
      if (name, column) == ("store", "id") { continue }
      let salvaged = try await open(victim, .bestEffort)
      #expect(salvaged.initialState.db.users.count == 10, place)
      try await salvaged.close()
      if name == HashedTable.origin.name { continue }
      let verification = try Inspector(path: victim).verify()
      #expect(verification.isSound, "\(name).\(column): \(verification)")
    }
    let isNew = [HashedTable.declaredColumn, .migrationTrace].map(\.name).contains(name)
    #expect(changed > 0 || isNew)
  }

  @Test
  func `the newest build goes on where it was left`() async throws {
    let migrator = app.migrator(3)
    #expect(try await migrator.status().stragglers == ["users": 1])
    let persistence = try await app.open(knowing: 3)
    let names = NumberedStore.names(persistence.initialState.db)
    #expect(names.count == 10)
    #expect(names["c"] == "c123")
    #expect(names["b"] == "b")
    try await persistence.close()
    #expect(try await migrator.status().stragglers == [:])
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `a restored copy and a fork of it have the newest format`() async throws {
    let copy = directory.path("copy.strata")
    _ = try await StoreBackup.restore(path, to: copy)
    #expect(try Inspector(path: copy).info().format == StoreFormat.known)
    #expect(try Inspector(path: copy).verify().isSound)
    let fork = directory.path("fork.strata")
    _ = try await StoreBackup.fork(path, at: .revision(5), to: fork)
    #expect(try Inspector(path: fork).info().format == StoreFormat.known)
    #expect(try Inspector(path: fork).verify().isSound)
  }

  @Test
  func `an archive of a newer format is refused by its number, not as damage`() async throws {
    let folder = directory.path("archive")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let catalog = URL(fileURLWithPath: folder)
      .appendingPathComponent(try #require(names.first { $0.hasPrefix("catalog-") }))
    var image = try Data(contentsOf: catalog)
    image[63] = 99
    try image.write(to: catalog)
    let path = try StorePath(directory.path("pulled.strata"), for: .archiving)
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await ArchivePull(from: FolderArchive(folder), to: path, on: .system).run()
    }
    let newer = ArchiveError(
      .newerFormat(found: 99, known: StoreFormat.known),
      archive: FolderArchive(folder).name
    )
    #expect(error?.reason == .archive(newer))
    #expect(!FileManager.default.fileExists(atPath: path.file))
  }

  @Test
  func `an archive of format 2 is pulled, followed and led`() async throws {
    let archive = FolderArchive(directory.path("archive"))
    let pulled = try StorePath(directory.path("pulled.strata"), for: .archiving)
    let position = try await ArchivePull(from: archive, to: pulled, on: .system).run()
    #expect(position.revision == 1_036)
    let inspector = try Inspector(path: pulled.file)
    #expect(try inspector.info().format == StoreFormat.known)
    let verification = try inspector.verify()
    #expect(verification.isSound, "\(verification)")
    let marks = try inspector.query { try OlderBuildMarks.read($0.journal.connection) }
    #expect(marks.openings.map(\.writer) == [.olderBuild(knowing: 2)])

    let leader = try await Persistence.open(
      at: directory.path("leader.strata"),
      initialState: First.State(),
      database: \.db,
      migrations: Array(NumberedStore.steps.prefix(3)),
      archive: archive
    )
    #expect(leader.initialState.db.users.count == 7)
    try await leader.replicated(through: leader.revision, within: .seconds(600))
    try await leader.close()
    let again = try StorePath(directory.path("again.strata"), for: .archiving)
    _ = try await ArchivePull(from: archive, to: again, on: .system).run()
    #expect(
      try Inspector(path: again.file).info().chain
        == Inspector(path: directory.path("leader.strata")).info().chain
    )
  }
}

extension LedgerGoldenTests {
  private static let isRecording = ProcessInfo.processInfo.environment["STRATA_GOLDEN"] != nil

  /// The file of a released format never changes: it is made by the last build that writes the format.
  @Test(.enabled(if: isRecording, "the file is made once for a format"))
  func `the file is made`() async throws {
    func user(_ id: String, _ name: String) -> First.User {
      First.User(id: EntityID(id), name: name, street: nil, city: nil)
    }
    try await FiveReleases.makeFirst(at: path, users: 3)
    let migrator = app.migrator(3)
    try await migrator.up()
    try await migrator.down(to: 2)
    try await migrator.up()
    _ = try StoreErasure.run(
      at: path,
      ErasedEntities([.init(table: "users", meantBy: "u3")]),
      .leave
    )

    let leader = try await app.open(knowing: 2, archive: FolderArchive(directory.path("archive")))
    let led = Store<First.State, Never>(leader)
    for number in 1...1_030 {
      led.commit("n") { $0.db.users.insert(user("v\(number % 5)", "n\(number)")) }
    }
    try await leader.snapshot(named: "led")
    try await leader.replicated(through: leader.revision, within: .seconds(600))
    try await leader.close()

    for (known, name) in [(1, "a"), (3, "b"), (0, "c")] {
      let persistence = try await app.open(knowing: known)
      let store = Store<First.State, Never>(persistence)
      store.commit(name) { $0.db.users.insert(user(name, name)) }
      try await persistence.close()
    }
    let targets = [("app.strata", "ledgers2.strata"), ("app.strata.head", "ledgers2.strata.head")]
    for (name, target) in targets + [("archive", "archive2")] {
      let target = GoldenFile.folder.appendingPathComponent(target)
      try? FileManager.default.removeItem(at: target)
      try FileManager.default.copyItem(
        at: URL(fileURLWithPath: directory.path(name)),
        to: target
      )
    }
  }
}
