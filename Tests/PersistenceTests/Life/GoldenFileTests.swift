import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A file of the first format, written once; every later build must read all of it.
struct GoldenFileTests {
  private static let name = GoldenFile.name(ofFormat: 1)

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path(Self.name)
    try GoldenFile.copy(ofFormat: 1, to: path)
  }

  @Test
  func `it is verified`() throws {
    let verification = try Inspector(path: path).verify()
    #expect(verification.isSound, "\(verification)")
  }

  @Test
  func `it is restored to what it was made of`() async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: Golden.State(db: Golden.Second()),
      database: \.db
    )
    #expect(persistence.initialState.db == Golden.second(at: 12))
    let report = persistence.report
    #expect(report.outcome == .restored)
    #expect(report.revision == 12)
    #expect(report.snapshotRevision == 8)
    #expect(report.replayedDeltas == 3)
    #expect(report.unknownTables.isEmpty)
    #expect(report.newTables.isEmpty)
    #expect(report.notes.isEmpty)
    try await persistence.close()
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `opening it for writing brings it up, and every revision stays`() async throws {
    let before = try Inspector(path: path).info()
    let persistence = try await Persistence.open(
      at: path,
      initialState: Golden.State(db: Golden.Second()),
      database: \.db
    )
    try await persistence.close()
    let inspector = try Inspector(path: path)
    let info = try inspector.info()
    #expect(info.format == StoreFormat.known)
    #expect(info.store == before.store)
    #expect(info.chain == before.chain)
    #expect(info.application == nil)
    #expect(info.journal == before.journal)
    #expect(info.snapshots.map(\.revision) == before.snapshots.map(\.revision))
    #expect(info.snapshots.map(\.names) == before.snapshots.map(\.names))
    #expect(info.snapshots.allSatisfy { $0.verified })
    #expect(try inspector.verify().isSound)
    try expectEveryRevision(of: inspector)
  }

  @Test
  func `reading it leaves it as it is`() async throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let persistence = try await Persistence.open(
      at: path,
      initialState: Golden.State(db: Golden.Second()),
      database: \.db,
      configuration: PersistenceConfiguration(restore: .readOnly)
    )
    #expect(persistence.initialState.db == Golden.second(at: 12))
    try await persistence.close()
    let inspector = try Inspector(path: path)
    #expect(try inspector.verify().isSound)
    #expect(try inspector.tables().reduce(0) { $0 + $1.count } > 0)
    #expect(try inspector.show(table: "notes").count == Golden.second(at: 12).notes.count)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test
  func `a file that is refused is not brought up`() async throws {
    try RawSQLite.run("UPDATE delta SET name = 'forged' WHERE revision = 12", on: path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(
        at: path,
        initialState: Golden.State(db: Golden.Second()),
        database: \.db
      )
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    #expect(try Inspector(path: path).info().format == 1)
  }

  @Test
  func `every revision of it is read`() throws {
    try expectEveryRevision(of: try Inspector(path: path))
  }

  private func expectEveryRevision(of inspector: Inspector) throws {
    for revision in Int64(0)...3 {
      let restored = try inspector.database(over: Golden.First(), at: Revision(revision))
      #expect(restored == Golden.first(at: revision), "revision \(revision)")
    }
    for revision in Int64(4)...12 where revision == 11 || !Golden.merged.contains(revision) {
      let restored = try inspector.database(over: Golden.Second(), at: Revision(revision))
      #expect(restored == Golden.second(at: revision), "revision \(revision)")
    }
  }

  @Test
  func `an older build reads what it knows of it`() async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: Golden.State(db: Golden.First()),
      database: \.db,
      configuration: PersistenceConfiguration(restore: .readOnly)
    )
    let second = Golden.second(at: 12)
    #expect(persistence.initialState.db.authors == second.authors)
    let texts = Set(persistence.initialState.db.notes.map { "\($0.id) \($0.text)" })
    #expect(texts == Set(second.notes.map { "\($0.id) \($0.text)" }))
    #expect(persistence.report.unknownTables.count == 12)
    try await persistence.close()
  }

  @Test
  func `it says of itself what it said when it was made`() throws {
    let inspector = try Inspector(path: path)
    let info = try inspector.info()
    #expect(info.format == 1)
    #expect(info.epoch == 1)
    #expect(info.revision == 12)
    // The chain covers everything that is hashed, so a change of the hashing shows here.
    #expect(info.store.uuidString == "5CE4898E-5969-4529-87B2-8F5FA0C55103")
    #expect(info.chain == "c91cbf54385dc9b2263f20651619911d")
    #expect(info.created == Date(timeIntervalSince1970: 1_790_000_000))
    #expect(info.layouts == 16)
    #expect(info.snapshots.map(\.revision) == [8, 3, 0])
    #expect(info.snapshots.map(\.names) == [["second light"], ["first light"], []])
    #expect(info.snapshots.allSatisfy { $0.verified })
    #expect(info.head?.durable == 12)
    #expect(info.head?.written == 12)
    let log = try inspector.log(.last(100)).deltas
    #expect(log.map(\.revision) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12])
    #expect(log.map(\.first) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12])
    #expect(
      log.map(\.name) == [
        "write notes", "", "rename Ada",
        "new tables: books, dictionaries, empties, enums, kinds, loans, moods, nulls, optionals, "
          + "scalars, trees, unruly",
        "fill the zoo", "tag notes", "moods", "unspeakable", "refused", "2 commits merged", "last",
      ]
    )
    #expect(log[7].changes.first { $0.table == "moods" }?.notPersisted == ["a"])
    #expect(log[7].changes.first { $0.table == "moods" }?.removed == ["b"])
  }
}
