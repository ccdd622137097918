import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataMigrating
import StrataMigrations
import StrataSQLite
import StrataSchema
import StrataStorage
import TestSupport
import Testing

/// What the catalog said at an earlier revision: which migrations had run, also where they were taken back since.
struct EarlierLedgerTests {
  private typealias First = FiveReleases.First

  private let app: NumberedStore
  private var directory: TemporaryDirectory { app.directory }
  private var path: String { app.path }

  init() async throws { app = try await NumberedStore(users: 2) }

  private func migrator(_ count: Int) -> DataMigrator { app.migrator(count) }

  private func revision() throws -> Revision { try app.revision }

  private func names(_ database: First.Database) -> [String: String] {
    NumberedStore.names(database)
  }

  /// The names in a fork that a build opens.
  private func namesOfFork(
    at revision: Revision,
    knowing count: Int
  ) async throws -> [String: String] {
    try await namesOfFork(at: .revision(revision), knowing: count)
  }

  private func namesOfFork(
    at point: HistoryPoint,
    knowing count: Int
  ) async throws -> [String: String] {
    let persistence = try await Persistence.fork(
      of: path,
      at: point,
      to: directory.path("\(UUID().uuidString).strata"),
      initialState: First.State(),
      database: \.db,
      with: [.migrations(Array(NumberedStore.steps.prefix(count)))]
    )
    let names = names(persistence.initialState.db)
    try await persistence.close()
    return names
  }

  private func reason(_ body: () async throws -> Void) async throws -> PersistenceError.Reason? {
    do {
      try await body()
      return nil
    } catch let error as PersistenceError {
      return error.reason
    }
  }

  @Test
  func `a fork does not run a migration again that was taken back later`() async throws {
    let first = try revision()
    try await migrator(1).up()
    try await app.write(knowing: 1, ["u3": "User 31"])
    let ran = try revision()
    try await migrator(1).down()
    let expected = ["u1": "User 11", "u2": "User 21", "u3": "User 31"]
    #expect(try await namesOfFork(at: ran, knowing: 1) == expected)
    #expect(try await namesOfFork(at: first, knowing: 1) == ["u1": "User 11", "u2": "User 21"])
    #expect(try await namesOfFork(at: revision(), knowing: 1) == expected)

    let copy = directory.path("copy.strata")
    try await StoreBackup.fork(path, at: .revision(ran), to: copy)
    let fork = DataMigrator([NumberedStore.steps[0]], at: copy)
    #expect(try await fork.status().pending == [])
    #expect(try await fork.down().steps.map(\.name) == ["0001_add"])
    #expect(try Inspector(path: copy).verify().isSound)
  }

  @Test
  func `a way back that changes nothing is in the history too`() async throws {
    try await migrator(1).up()
    let ran = try revision()
    try await app.write(knowing: 1) { state in
      for id in state.db.users.ids { state.db.users.remove(id) }
    }
    try await migrator(1).down()
    #expect(try await namesOfFork(at: ran, knowing: 1) == ["u1": "User 11", "u2": "User 21"])
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `an earlier state and a revert go through a migration that was taken back since`()
    async throws
  {
    try await migrator(1).up()
    try await app.write(knowing: 1, ["u3": "User 31"])
    let ran = try revision()
    let then = try await migrator(1).history()
    try await migrator(1).down()
    let expected = ["u1": "User 11", "u2": "User 21", "u3": "User 31"]

    let persistence = try await app.open(knowing: 1)
    #expect(names(try await persistence.state(at: .revision(ran))) == expected)
    try await persistence.close()
    try await migrator(1).down()

    try await migrator(1).revert(to: ran)
    let now = try await migrator(1).history()
    #expect(now.map(\.name) == then.map(\.name) && now.map(\.checksum) == then.map(\.checksum))
    #expect(try await namesOfFork(at: revision(), knowing: 1) == expected)
    // The revert is a change of the ledger as well.
    try await migrator(1).down()
    #expect(try await namesOfFork(at: revision().previous, knowing: 1) == expected)
  }

  @Test
  func `a build without the migration does not read its records`() async throws {
    try await migrator(1).up()
    let ran = try revision()
    try await migrator(1).down()
    let persistence = try await app.open(knowing: 0)
    #expect(
      try await reason { _ = try await persistence.state(at: .revision(ran)) }
        == .beforeMigration("0001_add", ran)
    )
    try await persistence.close()
  }

  @Test
  func `a migration that has changed since it was taken back is another one`() async throws {
    try await migrator(1).up()
    let ran = try revision()
    try await migrator(1).down()
    let other = DataMigration("0001_add", table: "users", version: 2) { user in
      user["name"] = .string("other")
    }
    let persistence = try await Persistence.open(
      at: path,
      initialState: First.State(),
      database: \.db,
      with: [.migrations([other])]
    )
    #expect(
      try await reason { _ = try await persistence.state(at: .revision(ran)) }
        == .beforeMigration("0001_add", ran)
    )
    try await persistence.close()
  }

  /// The ledger of a file.
  private func ledger(of path: String) throws -> [DataLedger.Entry] {
    try Inspector(path: path).query { try DataLedger.entries(on: $0.journal.connection) }
  }

  @Test
  func `a named snapshot has the ledger of its revision when the deltas after it are trimmed`()
    async throws
  {
    try await migrator(1).up()
    try await app.write(knowing: 1, ["u3": "User 31"])
    let named = try await app.open(knowing: 1)
    try await named.snapshot(named: "ran")
    try await named.close()
    let (ran, then) = (try revision(), try ledger(of: path))
    try await migrator(1).down()
    for name in ["u4", "u5"] { try await app.write(knowing: 0, [name: name]) }
    let compacted = try await app.open(knowing: 0)
    _ = try await compacted.compact()
    try await compacted.close()
    #expect(try Inspector(path: path).query { $0.first } == nil)

    let copy = directory.path("copy.strata")
    try await StoreBackup.fork(path, at: .snapshot("ran"), to: copy)
    #expect(try ledger(of: copy) == then)
    #expect(try Inspector(path: copy).verify().isSound)
    #expect(
      try await namesOfFork(at: .snapshot("ran"), knowing: 1)
        == ["u1": "User 11", "u2": "User 21", "u3": "User 31"]
    )
    let persistence = try await app.open(knowing: 0)
    #expect(
      try await reason { _ = try await persistence.state(at: .snapshot("ran")) }
        == .beforeMigration("0001_add", ran)
    )
    try await persistence.close()
  }

  @Test
  func `a pull up to a revision has the ledger of the revision`() async throws {
    try await migrator(1).up()
    try await app.write(knowing: 1, ["u3": "User 31"])
    let named = try await app.open(knowing: 1)
    try await named.snapshot(named: "ran")
    try await named.close()
    let (ran, then) = (try revision(), try ledger(of: path))
    try await migrator(1).down()
    try await app.write(knowing: 0, ["u4": "u4"])
    let archive = FolderArchive(directory.path("archive"))
    let leader = try await app.open(knowing: 0, archive: archive)
    try await leader.replicated(through: leader.revision, within: .seconds(600))
    try await leader.close()

    for (name, end) in [
      ("revision", .point(.revision(ran))), ("name", .point(.snapshot("ran"))),
    ] as [(String, ArchivePull.End)] {
      let copy = directory.path("\(name).strata")
      let target = try StorePath(copy, for: .archiving)
      _ = try await ArchivePull(from: archive, to: target, on: .system).run(to: end)
      #expect(try ledger(of: copy) == then)
      #expect(try Inspector(path: copy).verify().isSound)
      let migrator = DataMigrator([NumberedStore.steps[0]], at: copy)
      #expect(try await migrator.status().pending == [])
      #expect(
        try FiveReleases.names(at: copy) == ["u1": "User 11", "u2": "User 21", "u3": "User 31"]
      )
    }
    let whole = try StorePath(directory.path("whole.strata"), for: .archiving)
    _ = try await ArchivePull(from: archive, to: whole, on: .system).run()
    #expect(try ledger(of: whole.file) == [])
  }

  /// An archive that has the store, and then the first delta of what a closure does, with the catalog of the last.
  private func archiveBehindItsCatalog(
    _ change: () async throws -> Void
  ) async throws -> FolderArchive {
    let folder = FolderArchive(directory.path("archive"))
    let archive = FaultyArchive(folder)
    let push = ArchivePush(
      from: try StorePath(path, for: .archiving),
      to: archive,
      ArchivePolicy(segmentBytes: 1)
    )
    _ = try await push.run()
    let head = try revision()
    try await change()
    let calls = Lock(0)
    archive.fail { call in
      guard call == "append" else { return nil }
      return calls.withLock { count in
        count += 1
        return count > 1 ? .lost : nil
      }
    }
    await #expect(throws: PersistenceError.self) { _ = try await push.run() }
    #expect(try await folder.head()?.mark.revision == head.next)
    return folder
  }

  @Test
  func `an archive whose catalog is ahead of its head has the ledger of its head`() async throws {
    try await migrator(1).up()
    let then = try ledger(of: path)
    let archive = try await archiveBehindItsCatalog {
      try await app.write(knowing: 1, ["u3": "User 31"])
      try await migrator(1).down()
    }
    let copy = try StorePath(directory.path("copy.strata"), for: .archiving)
    _ = try await ArchivePull(from: archive, to: copy, on: .system).run()
    #expect(try ledger(of: copy.file) == then)
  }

  @Test(arguments: 1...6)
  func `the ledger of each revision is the one that the file had`(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var known: [Revision: [DataLedger.Entry]] = [:]
    for step in 0..<14 {
      let applied = try await migrator(3).history().count
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        if applied < 3 {
          try await migrator(3).up(to: Int.random(in: (applied + 1)...3, using: &random))
        }
      case 2:
        if applied > 0 {
          try await migrator(3).down(to: Int.random(in: 0..<applied, using: &random))
        }
      case 3:
        try await migrator(3).revert(
          to: Revision(Int64.random(in: 0...revision().number, using: &random))
        )
      default:
        let empties = Bool.random(using: &random)
        try await app.write(knowing: nil) { state in
          if empties { for id in state.db.users.ids { state.db.users.remove(id) } }
          state.db.tags.insert(First.Tag(id: EntityID("t\(step)")))
        }
      }
      known[try revision()] = try Inspector(path: path).query {
        try DataLedger.entries(on: $0.journal.connection)
      }
    }
    for (revision, rows) in known {
      let ledger = try Inspector(path: path).query {
        try DataLedger.entries(at: revision.number, on: $0.journal.connection)
      }
      #expect(ledger == rows, "seed \(seed), revision \(revision)")
    }
  }
}
