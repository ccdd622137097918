import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataMaintaining
import StrataMaintenance
import StrataMigrating
import StrataMigrations
import StrataScripts

// The pages of `StrataPersistence`, `StrataStorage` and `StrataSQL`.

/// "StrataPersistence".
private func opening() async throws {
  let persistence = try await Persistence.open(
    at: "app.strata",
    initialState: AppState(),
    database: \.db
  )
  let store = AppStore(persistence)
  _ = store
}

private func holdingBoth() async throws {
  let persistence = try await Persistence.open(
    at: "app.strata",
    initialState: AppState(),
    database: \.db
  )
  let store = AppStore(persistence)
  print(persistence.report)  // Restored 1 entity at revision 1, from the snapshot of …
  try await persistence.flush()
  try await persistence.close()
  _ = store
}

/// "Durability guarantees".
private func durability(
  store: AppStore,
  persistence: Persistence<AppState, Database>,
  draft: Draft,
  cart: Cart
) async throws {
  store.commit { $0.db.drafts.insert(draft) }  // in memory; the file follows
  try await persistence.flush()  // now it is on disk

  let order = try await store.commitDurably("place order") { try $0.db.place(cart) }
  await answer(.accepted(order))  // and so is this
}

/// "Beyond one machine".
private enum BeyondOneMachine {
  static func open() async throws {
    let archive = FolderArchive("/mnt/backups/app")
    let persistence = try await Persistence.open(
      at: "app.strata",
      initialState: AppState(),
      database: \.db,
      with: [.archive(archive)]
    )
    _ = persistence
  }

  static func replicate(store: AppStore, cart: Cart) async throws {
    let order = try await store.commitDurably("place order", until: .replicated) { state in
      try state.db.place(cart)
    }
    await answer(.accepted(order))  // it survives this machine from here on
  }

  static func follow(archive: FolderArchive, revision: Revision) async throws {
    let follower = try await Persistence.follow(
      archive,
      at: "replica.strata",
      initialState: AppState(),
      database: \.db
    )
    let store = AppStore(follower)
    try await follower.reach(revision, within: .seconds(1))  // read what was written elsewhere
    _ = store
  }

  static func standBy(archive: FolderArchive, policy: ArchivePolicy) async throws {
    let standby = try await Persistence.standBy(
      archive,
      at: "standby.strata",
      initialState: AppState(),
      database: \.db,
      policy: policy
    )
    let store = AppStore(standby)
    let events = standby.events
    if standby.status != .leading {
      for await event in events where event == .leading { break }
    }
    let persistence = try await standby.lead()  // it leads already: this returns its persistence
    _ = (store, persistence)
  }
}

/// "Evolving your data".
private enum EvolvingYourData {
  struct User: EntityType {
    static let tableName: TableName = "users"
    let id: EntityID<User>
    var fullName: String  // was: name

    private enum CodingKeys: String, CodingKey { case id, fullName = "name" }
  }

  static func open() async throws {
    let migrations = [
      DataMigration("0001_memos", .rename("notes", to: "memos"))
    ]
    let persistence = try await Persistence.open(
      at: "app.strata",
      initialState: AppState(),
      database: \.db,
      with: [.migrations(migrations)]
    )
    _ = persistence
  }

  static func declarations() -> [DataMigration] {
    let memos = DataMigration(
      "0002_memos",
      .rename("notes", to: "memos"),
      .renameField("text", to: "body", in: "memos")
    )
    let integerIDs = DataMigration(
      "0004_integer_ids",
      .changeID(of: "users") { user in
        .integer(Int(user.id.text?.dropFirst() ?? "") ?? -1)
      } back: { user in
        user.id.integer.map { .string("u\($0)") }
      }
    )
    let noTags = DataMigration("0005_no_tags", .dropTable("tags"))
    return [memos, integerIDs, noTags]
  }

  static func closures() -> [DataMigration] {
    let addAge = DataMigration("0001_add_age", table: "users") { user in
      user["age"] = .integer(18)
    }
    .reversed(table: "users") { $0.remove("age") }

    let splitAddress = DataMigration("0003_split_address", table: "users") { user, tables in
      if let street = user["street"] {
        var address = MigrationRecord(table: "addresses", id: user.id)
        address["id"] = user["id"]
        address["street"] = street
        try tables.put(address)
      }
      user.remove("street")
    }
    .allowing(.destructive("users.street"))

    return [addAge, splitAddress]
  }

  static func acrossMigrations(
    _ persistence: Persistence<AppState, Database>,
    _ id: User.ID,
    _ migrations: [DataMigration]
  ) async throws {
    let then = try await Persistence.fork(
      of: "app.strata",
      at: .revision(120),
      to: "then.strata",
      initialState: AppState(),
      database: \.db,
      with: [.migrations(migrations)]
    )
    for version in try await persistence.history(of: id) {
      switch version.content {
      case .put(let user): print(version.revision, user)
      case .earlier(let record):
        print(version.revision, record.fields, "before \(record.migration)")
      case .removed, .erased, .notPersisted, .undecodable: print(version.revision, version.content)
      }
    }
    try await then.close()
  }

  static func values() -> [DataMigration] {
    let total = DataMigration("0006_total", table: "orders") { order in
      let lines = order["lines"]?.elements ?? []
      order["total"] = .integer(lines.reduce(0) { $0 + Int($1["cents"]?.integer ?? 0) })
      if let placed = try order.value(Date.self, of: "placed") {
        try order.set("due", to: placed + 14 * 86_400)
      }
    }

    let shipped = DataMigration("0007_shipped", table: "orders") { order in
      guard let sent = order["delivery"]?["sent"] else { return }
      order["delivery"] = .object([.init("shipped", sent)])
    }
    let contact = DataMigration("0009_contact", table: "users") { user in
      struct Contact: Encodable {
        var mail: String?
        var phone: String?
      }
      try user.set("contact", to: Contact(mail: user["mail"]?.text, phone: user["phone"]?.text))
      user.remove("mail")
      user.remove("phone")
    }
    .allowing(.destructive("users.mail"), .destructive("users.phone"))
    return [total, shipped, contact]
  }

  static func persistedValues() throws -> [DataMigration] {
    let units = DataMigration("0008_units", value: "settings") { settings in
      settings.rename("colour", to: "color")
      settings["unit"] = .string("km")
    }
    .reversed(value: "settings") { settings in
      settings.rename("color", to: "colour")
      settings["unit"] = .string("miles")
    }

    let unitsInSQL = try DataMigration(
      "0008_units",
      sql: """
        UPDATE "value:settings" SET value =
          json_set(json_remove(value, '$.colour'), '$.color', value ->> '$.colour', '$.unit', 'km');
        UPDATE "value:volume" SET value = value * 10;
        """
    )
    return [units, unitsInSQL]
  }

  static func plan(_ migrations: [DataMigration]) async throws {
    let migrator = DataMigrator(migrations, at: "app.strata")
    for step in try await migrator.plan().steps {
      print(step.name)
      for table in step.tables { print("  \(table)") }
      for finding in step.findings { print("  \(finding)") }
    }
  }

  static func policies(_ migrations: [DataMigration]) -> any OpeningStep {
    .migrations(
      migrations,
      MigrationConfiguration(
        policy: .refuseIfPending,  // throws instead of migrating
        backups: .none,  // the default keeps three, named by revision
        progress: { print($0.migration, $0.records) }
      )
    )
  }
}

/// "History".
private enum History {
  struct Rename: Codable, Equatable, Sendable {
    var name = ""
  }

  static func read(persistence: Persistence<AppState, Database>) async throws {
    let before = try await persistence.state(at: .revision(120))
    let yesterday = try await persistence.state(at: .time(.now - 86_400))
    let old = try await persistence.state(at: .snapshot("before-upgrade"))

    for try await delta in persistence.deltas(from: 100, to: 200) {
      print(delta.revision, delta.time, delta.name, delta.place, delta.changes)
    }
    for version in try await persistence.history(of: User.ID("42")) {
      print(version.revision, version.time, version.content, version.context?.user ?? "")
    }
    let typed = Revision(readLine() ?? "")  // from text, or nil
    _ = (before, yesterday, old, typed)
  }

  static func arguments(delta: Delta) throws {
    let rename = try delta.context?.call?.arguments(as: Rename.self)
    print(rename?.name ?? "")
  }

  static func undo(editor: Editor) throws {
    let undo = UndoStack(of: editor, database: \.db)
    editor.rename("42", to: "Ada")
    try undo.undo()  // false if there is nothing to undo
    try undo.redo()
    try undo.undo(.overwrite)  // even if others changed the same since
  }

  static func goBack(persistence: Persistence<AppState, Database>) async throws {
    try await persistence.revert(to: .revision(120))
    try await persistence.undo([25, 26])
  }
}

/// "Copies and erasing".
private enum CopiesAndErasing {
  static func bundle(persistence: Persistence<AppState, Database>) async throws {
    try await persistence.bundle(
      last: 50,
      redacting: [.init("users", "name"), .init("users", "contact.mail")],
      to: "bug.strata"
    )
  }

  static func erase(
    store: AppStore,
    persistence: Persistence<AppState, Database>
  ) async throws {
    store.commit("remove user") { $0.db.users.remove("ada") }
    let report = try await persistence.erase([User.ID("ada")])
    for copy in report.copies { print(copy.path, copy.finding) }  // what still has it
  }
}

/// "Operating a store".
private enum Operating {
  static func watch(persistence: Persistence<AppState, Database>) {
    let status = persistence.status
    print(status)  // all of it as sentences, what is wrong and what to do first
    print(status.condition)  // healthy, degraded with the cause and since when, …
    print(status.queue.commits)  // how many commits the file does not have yet
    print(status.revisions.durable)  // the revision that a power cut cannot undo
    print(status.bytes.wal, status.bytes.journal ?? 0)
  }

  static func backUp(persistence: Persistence<AppState, Database>) async throws {
    let position = try await persistence.backup(to: "backups/app-2026-11-21.strata")
    print(position)
  }

  static func restore() async throws {
    try await StoreBackup.restore("backups/app-2026-11-21.strata", replacing: "app.strata")
  }

  static func suspend(persistence: Persistence<AppState, Database>) async throws {
    try await persistence.suspend()  // everything written, no lock held, nothing open

    try await persistence.resume()  // verified again; what was committed meanwhile is written
  }
}

/// "Storage options".
private enum StorageOptions {
  static func values() async throws {
    let persistence = try await Persistence.open(
      at: "app.strata",
      initialState: AppState(),
      database: \.db,
      values: [
        PersistedValue("my-info", \.loggedIn.myInfo),
        PersistedValue("settings", \.settings),
      ]
    )
    _ = persistence
  }

  struct Vault: RecordSealing {
    let key: [UInt8]

    func seal(_ record: [UInt8], context: RecordContext) throws -> [UInt8] { record }
    func open(_ sealed: [UInt8], context: RecordContext) throws -> [UInt8] { sealed }
  }

  static func tables(key: [UInt8]) async throws {
    let persistence = try await Persistence.open(
      at: "app.strata",
      initialState: AppState(),
      database: \.db,
      tables: [
        .excluded(\.drafts),
        .redacted(\.users) { $0.password = "" },
        .sealed(\.letters, with: Vault(key: key)),
      ]
    )
    _ = persistence
  }

  static func newFile(
    values: [PersistedValue<AppState>],
    options: [TableOption<Database>]
  ) async throws {
    let old = try await Persistence.open(
      at: "app.strata",
      initialState: AppState(),
      database: \.db,
      values: values,
      tables: options,
      configuration: PersistenceConfiguration(restore: .readOnly)
    )
    let new = try await Persistence.open(
      at: "new.strata",
      initialState: old.initialState,
      database: \.db,
      values: values,
      tables: options
    )
    _ = new
  }
}

/// "Recovery".
private enum Recovery {
  static func log(_ text: String) {}

  static func bestEffort() async throws {
    let configuration = PersistenceConfiguration(restore: .bestEffort)
    let persistence = try await Persistence.open(
      at: "app.strata",
      initialState: AppState(),
      database: \.db,
      configuration: configuration
    )
    if let loss = persistence.report.loss {
      log(
        "\(loss.damage ?? "") \(loss.revisions.map { "\($0) are gone" } ?? "") \(loss.undecodableCount)"
      )
    }
  }

  static func restoreQuarantine() throws {
    for set in try Quarantine.all(besideStoreAt: "app.strata") {
      print(set.directory, set.time, set.reason)
    }
    try Quarantine.all(besideStoreAt: "app.strata").last?.restore()
  }
}

/// "Migrations in SQL".
private enum Scripts {
  static func folder(splitPeople: DataMigration) throws {
    let migrations = try SQLMigrations.folder("Migrations", with: [splitPeople])
    print(migrations.count)
  }

  static func embedded() throws -> DataMigration {
    try DataMigration(
      "V0001_add_vip",
      sql: "ALTER TABLE people ADD COLUMN vip BOOLEAN NOT NULL DEFAULT FALSE"
    )
  }
}

/// "Start in ten minutes".
private enum Start {
  static func run() async throws {}

  static func main() async {
    do { try await run() } catch { print(error); exit(1) }
  }
}

/// The page "Errors".
private func explain(_ error: PersistenceError) -> String {
  switch error.remedy {
  case .retry: "The shop is open in another window."
  case .freeSpace: "The disk is full. Free some space, and start the shop again."
  case .useNewerBuild: "A newer version of this app has written your shop. Update the app."
  case .restore: "Your shop is damaged. Restore a backup of it."
  default: "Your shop cannot be opened: \(error)"
  }
}
