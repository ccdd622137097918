import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Numbers at the end of their range: each is an error where it is read, and none ends the process.
struct ForgedNumberTests {
  private static let forgeries = [
    "UPDATE delta SET revision = 9223372036854775807 WHERE revision = 50",
    "UPDATE delta SET first = 9223372036854775807 WHERE revision = 50",
    "UPDATE delta SET first = -9223372036854775808 WHERE revision = 50",
    "UPDATE delta SET revision = -9223372036854775808 WHERE revision = 50",
    "UPDATE delta SET lineage = 9223372036854775807 WHERE revision = 50",
    "UPDATE delta SET time = 9223372036854775807 WHERE revision = 50",
    "UPDATE delta SET time = -9223372036854775808 WHERE revision = 50",
    "UPDATE delta SET entities = 9223372036854775807 WHERE revision = 50",
    "UPDATE delta SET entities = -1 WHERE revision = 50",
    "UPDATE delta SET parts = 9223372036854775807 WHERE revision = 50",
    "UPDATE delta SET bytes = 9223372036854775807",
    "UPDATE snapshot SET revision = 9223372036854775807 WHERE revision = 40",
    "UPDATE snapshot SET revision = -9223372036854775808 WHERE revision = 40",
    "UPDATE snapshot SET lineage = 9223372036854775807 WHERE revision = 40",
    "UPDATE snapshot SET time = 9223372036854775807 WHERE revision = 40",
    "UPDATE snapshot SET chunks = 9223372036854775807 WHERE revision = 40",
    "UPDATE snapshot SET entities = 9223372036854775807 WHERE revision = 40",
    "UPDATE snapshot SET bytes = 9223372036854775807 WHERE revision = 40",
    "UPDATE snapshot_name SET revision = 9223372036854775807",
    "UPDATE store SET epoch = 9223372036854775807",
    "UPDATE store SET epoch = -9223372036854775808",
    "UPDATE lineage SET id = 9223372036854775807",
    "UPDATE lineage SET id = 0",
    "UPDATE lineage SET number = 2",
    "UPDATE lineage SET time = 9223372036854775807",
    "UPDATE store SET created = 9223372036854775807",
    "UPDATE layout SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM layout)",
    "UPDATE layout SET id = -9223372036854775808 WHERE id = 1",
  ]

  @Test(arguments: forgeries)
  func `a number at the end of its range is damage for every reader`(sql: String) async throws {
    let store = try await DamagedStore()
    try store.damage(sql)
    let before = try StoreBytes(store.path)
    for policy in [RestorePolicy.strict, .readOnly] {
      let error = await #expect(throws: PersistenceError.self) { _ = try await store.open(policy) }
      switch error?.reason {
      case .damaged, .endMissing: break
      default:
        Issue.record("another reason: \(String(describing: error))")
        return
      }
    }
    try inspect(store.path)
    #expect(try StoreBytes(store.path) == before)

    do {
      let salvaged = try await store.open(.bestEffort)
      #expect(salvaged.initialState.db == store.model(at: salvaged.report.revision))
      LibraryStore(salvaged).commit { $0.db.books.insert(Book(id: 999)) }
      try await salvaged.close()
      #expect(try Inspector(path: store.path).verify().isSound)
    } catch let error as PersistenceError {
      guard case .damaged = error.reason else { throw error }
    }
  }

  /// Asks everything of a file that is asked of one without a writer.
  private func inspect(_ path: String) throws {
    let inspector = try Inspector(path: path)
    #expect(try inspector.verify().isSound == false)
    for query in [
      { _ = try inspector.info() }, { _ = try inspector.tables() },
      { _ = try inspector.log(.last(5)) }, { _ = try inspector.log(.after(0, limit: .max)) },
      { _ = try inspector.show(table: "books") },
    ] as [() throws -> Void] {
      do { try query() } catch is PersistenceError {}
    }
  }

  @Test
  func `a layout number at the end of its range stops no later commit`() async throws {
    let store = try await DamagedStore()
    let connection = try Connection(path: store.path, mode: .readWrite)
    try connection.execute(
      """
      INSERT INTO entity_table VALUES ('zzz', 0, NULL, NULL, zeroblob(16));
      INSERT INTO layout SELECT 9223372036854775807, 'zzz', hash, body FROM layout LIMIT 1
      """
    )
    try connection.close()
    let error = await #expect(throws: PersistenceError.self) { _ = try await store.open(.strict) }
    #expect(error?.description.contains("the number of a layout") == true)
    let opened = try await store.open(.bestEffort)
    #expect(opened.initialState.db == store.model(at: 50))
    try await opened.close()
  }

  private static let heads: [(serial: UInt64, lineage: Int64, revision: Int64)] = [
    (.max, 1, 50), (.max - 1, 1, 50), (1 << 63, 1, 50), (7, .max, 50), (7, .min, 50), (7, 1, .max),
    (7, 1, .min),
  ]

  @Test(arguments: heads)
  func `a head with such numbers is torn, and reported`(
    serial: UInt64,
    lineage: Int64,
    revision: Int64
  ) async throws {
    let store = try await DamagedStore()
    let info = try Inspector(path: store.path).info()
    let mark = HeadRecord.Mark(revision: Revision(revision), chain: Checksum(of: []))
    let record = HeadRecord(
      storeID: info.store,
      lineage: Lineage.ID(lineage),
      bootID: UUID(),
      durable: mark,
      written: mark
    )
    try Data(record.slot(serial: serial)).write(to: URL(fileURLWithPath: store.path + ".head"))
    #expect(try Inspector(path: store.path).info().head == nil)
    let opened = try await store.open(.strict)
    #expect(opened.initialState.db == store.model(at: 50))
    #expect(opened.report.notes.contains { $0.contains("missing or torn") })
    LibraryStore(opened).commit { $0.db.books.insert(Book(id: 999)) }
    try await opened.close()

    // Restoring a backup replaces the head.
    let copy = store.directory.path("copy.strata")
    let again = try await store.open(.strict)
    try await again.backup(to: copy)
    try await again.close()
    unlink(store.path)
    try Data(record.slot(serial: serial)).write(to: URL(fileURLWithPath: store.path + ".head"))
    let position = try await StoreBackup.restore(copy, to: store.path)
    #expect(position.lineageID != info.lineage)
    #expect(try Inspector(path: store.path).info().head?.written == position.revision.number)
  }

  @Test
  func `a backup of an epoch at the end of its range is refused, and leaves nothing`() async throws
  {
    let store = try await DamagedStore()
    try store.damage("UPDATE store SET epoch = 9223372036854775807")
    let names = try contentsOfFiles(in: store.directory.url.path).keys
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await StoreBackup.restore(store.path, to: store.directory.path("other.strata"))
    }
    switch error?.reason {
    case .damaged, .endMissing: break
    default:
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    let left = try contentsOfFiles(in: store.directory.url.path).keys
    #expect(
      left.filter { !$0.hasSuffix(".lock") }.sorted()
        == names.filter { !$0.hasSuffix(".lock") }.sorted()
    )
  }

  @Test
  func `a time that no file has is an answer`() async throws {
    let store = try await DamagedStore()
    let opened = try await store.open(.strict)
    for seconds in [Double.infinity, 1e300, -1e300, -Double.infinity] {
      let time = Date(timeIntervalSince1970: seconds)
      if seconds > 0 {
        #expect(try await opened.state(at: .time(time)) == store.model(at: 50))
      } else {
        await #expect(throws: PersistenceError.self) { _ = try await opened.state(at: .time(time)) }
      }
    }
    for revision in [Revision(.max), Revision(.min)] {
      await #expect(throws: PersistenceError.self) {
        _ = try await opened.state(at: .revision(revision))
      }
    }
    try await opened.close()
  }
}
