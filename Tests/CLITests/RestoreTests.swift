import Foundation
import Strata
import StrataInspection
import StrataMaintaining
import StrataMigrations
import StrataRecords
import Testing

/// `strata restore` and `strata migrate revert`: the way back by the command.
struct RestoreTests {
  private struct Price: EntityType {
    static let tableName: TableName = "prices"
    let id: EntityID<Price>
    var amount: Int
  }

  private struct Shop: StateType {
    struct Database: DatabaseType {
      var prices = EntityTable<Price>()
      static let schema = DatabaseSchema<Database> { Entities(\.prices) }
    }

    var db = Database()
  }

  private let folder: Folder
  private var store: String { folder.path("app.strata") }
  private var scripts: String { folder.path("Migrations") }

  init() async throws {
    folder = try Folder()
    try await write(5)
    try FileManager.default.createDirectory(atPath: scripts, withIntermediateDirectories: true)
    try Data("UPDATE prices SET amount = amount * 100;".utf8)
      .write(to: URL(fileURLWithPath: scripts + "/0001_cents.sql"))
  }

  /// Commits the price of something.
  private func write(_ amount: Int, to name: String = "tea") async throws {
    let persistence = try await Persistence.open(
      at: store,
      initialState: Shop(),
      database: \.db,
      with: [.migrations(.external)]
    )
    let shop = Store<Shop, Never>(persistence)
    shop.commit { $0.db.prices.insert(Price(id: EntityID(name), amount: amount)) }
    try await persistence.close()
  }

  private func amount(in path: String? = nil) throws -> Int? {
    let tea = try Inspector(path: path ?? store).show(table: "prices", id: "tea").first
    return try tea?.value["amount"]?.decoded(as: Int.self)
  }

  @Test
  func `a backup takes the place of a store, whose files stay together`() async throws {
    let up = try await Program.strata("migrate", "up", store, "--dir", scripts)
    #expect(up.status == 0)
    let backup = folder.path("app.strata.before-1")
    #expect(up.output.contains(backup))
    #expect(try amount() == 500)
    let asked = try await Program.strata("restore", store, backup)
    #expect(asked.status == 1)
    #expect(
      asked.errors.hasPrefix("Put \(backup), which is at revision 1, in the place of \(store)? ")
    )
    #expect(try amount() == 500)
    let restored = try await Program.strata("restore", store, backup, "--yes")
    #expect(restored.status == 0 && restored.errors.isEmpty)
    #expect(
      restored.output.hasPrefix(
        "\(store) is \(backup) at revision 1, in a new lineage.\nThe files that were there are in \(store).set-aside-"
      )
    )
    #expect(try amount() == 5)
    #expect(try amount(in: backup) == 5)
    let sets = try Quarantine.all(besideStoreAt: store)
    try #require(sets.count == 1)
    #expect(sets[0].reason == "replaced by the backup \(backup)")
    #expect(try amount(in: sets[0].directory + "/app.strata") == 500)
    let status = try await Program.strata("migrate", "status", store, "--dir", scripts)
    #expect(status.status == 2)
    try await write(7)
    try sets[0].restore()
    #expect(try amount() == 500)
  }

  @Test
  func `a backup is restored where no store is, and a file that is none stays`() async throws {
    let other = folder.path("other.strata")
    let restored = try await Program.strata("restore", other, store, "--json")
    #expect(restored.status == 0)
    let lineage = try Inspector(path: other).info().lineage
    #expect(restored.output.contains("\"lineage\" : \"\(lineage)\""))
    #expect(try amount(in: other) == 5)
    let same = try await Program.strata("restore", store, store, "--yes")
    #expect(same.status == 1)
    #expect(same.errors.contains("there is already a file"))
    let missing = try await Program.strata("restore", store, folder.path("none"), "--yes")
    #expect(missing.status == 3)
    #expect(try amount() == 5)
    #expect(try Quarantine.all(besideStoreAt: store).isEmpty)
  }

  @Test
  func `a backup of another store says so before it takes the place of this one, and after`()
    async throws
  {
    let backup = folder.path("shop.strata")
    for amount in [1, 2] {
      let persistence = try await Persistence.open(
        at: backup,
        initialState: Shop(),
        database: \.db
      )
      Store<Shop, Never>(persistence).commit {
        $0.db.prices.insert(Price(id: "tea", amount: amount))
      }
      try await persistence.close()
    }
    let asked = try await Program.strata("restore", store, backup)
    #expect(
      asked.errors.hasPrefix(
        """
        \(backup) is a backup of another store than \(store). Put \(backup), which is at revision 2, in the place of \
        \(store)?
        """
      )
    )
    let restored = try await Program.strata("restore", store, backup, "--yes")
    #expect(restored.status == 0)
    let lines = restored.output.split(separator: "\n")
    #expect(lines.dropFirst().first == "It is another store than the one that was there.")
    #expect(try amount() == 2)
    let again = try await Program.strata("restore", store, backup, "--yes", "--json")
    #expect(again.output.contains("\"isOtherStore\" : false"))
  }

  @Test
  func `a backup that was only copied into place is named as the cause, and can be restored then`()
    async throws
  {
    let backup = folder.path("monday.strata")
    try FileManager.default.copyItem(atPath: store, toPath: backup)
    try await write(6)
    try FileManager.default.removeItem(atPath: store)
    try FileManager.default.copyItem(atPath: backup, toPath: store)
    let error = await #expect(throws: PersistenceError.self) { try await write(7) }
    #expect(error?.reason == .endMissing(last: 1, written: 2))
    #expect(
      error?.description.contains(
        ": another file was put in the place of this store, such as a copied backup, or it was copied without its -wal"
      ) == true
    )
    let verified = try await Program.strata("verify", store)
    #expect(verified.status == 4)
    #expect(verified.output.contains("another file was put in the place of this store"))
    let up = try await Program.strata("migrate", "up", store, "--dir", scripts)
    #expect(up.status == 4)
    #expect(up.errors.contains("`strata restore \(store) BACKUP`"))
    let restored = try await Program.strata("restore", store, backup, "--yes")
    #expect(restored.status == 0)
    try await write(8)
    #expect(try amount() == 8)
  }

  @Test
  func `a backup from before an erasure is restored only where what was erased may come back`()
    async throws
  {
    let (before, after) = (folder.path("monday.strata"), folder.path("tuesday.strata"))
    for (name, backup) in [("tea", before), ("milk", after)] {
      #expect(try await Program.strata("backup", store, backup).status == 0)
      try await write(6, to: "milk")
      #expect(try await Program.strata("erase", store, "prices", name, "--yes").status == 0)
    }
    // The second backup has the first erasure.
    for (backup, count) in [(before, "2 entities"), (after, "1 entity")] {
      let refused = try await Program.strata("restore", store, backup, "--yes")
      #expect(refused.status == 1)
      #expect(
        refused.errors == """
          \(backup) may have \(count) erased from \(store) since: restoring it brings back what was erased. Nothing was \
          restored. --with-erased restores it; `strata erase` erases again.

          """
      )
    }
    #expect(try Quarantine.all(besideStoreAt: store).isEmpty)
    #expect(throws: PersistenceError.self) { try amount() }
    let last = folder.path("wednesday.strata")
    #expect(try await Program.strata("backup", store, last).status == 0)
    let restored = try await Program.strata("restore", store, before, "--yes", "--with-erased")
    #expect(restored.status == 0)
    let advice = "\nErase again what was erased: strata erase \(store) TABLE ID\n"
    #expect(restored.output.contains(advice))
    #expect(try amount() == 5)
    let newer = try await Program.strata("restore", store, last, "--yes", "--json")
    #expect(newer.status == 0 && newer.errors.isEmpty)
    #expect(newer.output.contains("\"missingErasures\" : 0"))
  }

  @Test
  func `a backup in the place of a store that cannot be read says so`() async throws {
    let backup = folder.path("monday.strata")
    #expect(try await Program.strata("backup", store, backup).status == 0)
    #expect(try await Program.strata("erase", store, "prices", "tea", "--yes").status == 0)
    let other = folder.path("other.strata")
    try FileManager.default.copyItem(atPath: store, toPath: other)
    let read = try await StoreBackup.restore(backup, replacing: other)
    #expect(read.missingErasures == 1)
    try Data(repeating: 7, count: 4_096).write(to: URL(fileURLWithPath: store))
    let restored = try await Program.strata("restore", store, backup, "--yes")
    #expect(restored.status == 0)
    #expect(
      restored.errors == """
        \(store) cannot be read: \(backup) may have what was erased from it, and would bring it back.

        """
    )
    #expect(try amount() == 5)
  }

  @Test
  func `revert goes back across a migration without a way back`() async throws {
    _ = try await Program.strata("migrate", "up", store, "--dir", scripts)
    try await write(900)
    let reverted = try await Program.strata("migrate", "revert", store, "--to", "1")
    #expect(reverted.status == 0)
    #expect(
      reverted.output == """
        The data is what it was at revision 1, as revision 4. The backup is \(store).before-3.
        Pending again: 0001_cents.

        """
    )
    #expect(try amount() == 5)
    let again = try await Program.strata("migrate", "up", store, "--dir", scripts)
    #expect(again.status == 0)
    #expect(try amount() == 500)
    let none = try await Program.strata("migrate", "revert", store, "--to", "99")
    #expect(none.status == 3)
    let wrong = try await Program.strata("migrate", "revert", store, "--to", "yesterday")
    #expect(wrong.status == 64)
  }
}
