public import StrataJournal
import StrataSchema
import StrataStorage

/// One step in the evolution of a store's data: it has a number and a name, and changes tables of records.
///
/// ```swift
/// let migrations = [
///   DataMigration("0001_full_name", table: "users") { user in
///     user["name"] = .string("\(user["first"]?.text ?? "") \(user["last"]?.text ?? "")")
///     user.remove("first", "last")
///   }.allowing(.destructive("users.first"), .destructive("users.last")),
///   DataMigration("0002_memos", .rename("notes", to: "memos")),
/// ]
/// ```
///
/// A migration works on records without their types, so it does not break when a type changes later. Its name
/// starts with its number, 1, 2, 3 … without gaps. A store lists in its ledger which migrations ran on it, so each
/// runs once. After its release, a migration is never changed.
///
/// A step sees every record that the file has when it starts, batch by batch. All pending steps are one
/// transaction: all take effect, or none.
public struct DataMigration: Sendable {
  /// How a migration is written.
  public typealias Form = MigrationForm

  /// What a migration does with the tables.
  package typealias Step = @Sendable (MigrationTables) throws -> Void

  /// The name, with the number at its front: `0003_split_name`.
  public let name: String
  /// How it is written.
  public let form: Form
  /// The bytes that its checksum is of; nil for one that is only a marker, whose content is elsewhere.
  package let content: [UInt8]?
  /// The script, where it is written in SQL.
  package let script: String?
  /// Runs it; nil for a marker, which only a program with the closure can run.
  package let up: Step?
  /// Takes it back; nil if that is not declared.
  package private(set) var down: Step?
  /// The tables whose records it goes through, where it names them; else empty.
  let tables: Set<String>
  /// What opens and seals the records of a table.
  private(set) var seals: [String: any RecordSealing] = [:]
  /// What it may lose.
  public private(set) var allowances: [MigrationAllowance]
  /// The numbers that it stands for, where it is squashed.
  public let replaces: ClosedRange<Int>?
  /// The ways whose script has neither a statement nor a check: they do not run.
  let emptyScripts: Set<MigrationReport.Direction>

  package init(
    name: String,
    form: Form,
    content: [UInt8]?,
    script: String? = nil,
    tables: Set<String> = [],
    allowances: [MigrationAllowance] = [],
    replaces: ClosedRange<Int>? = nil,
    emptyScripts: Set<MigrationReport.Direction> = [],
    down: Step? = nil,
    up: Step?
  ) {
    self.name = name
    self.form = form
    self.content = content
    self.script = script
    self.tables = tables
    self.allowances = allowances
    self.replaces = replaces
    self.emptyScripts = emptyScripts
    self.up = up
    self.down = down
  }

  /// The number at the front of the name, after an optional `V`; nil if there is none.
  public var number: Int? { DataLedger.number(of: name) }

  /// The numbers that it stands for: its own, or those of the migrations that it replaces.
  func numbers(as number: Int) -> ClosedRange<Int> { replaces ?? number...number }

  /// Whether it can be taken back.
  public var isReversible: Bool { down != nil }

  /// What runs in a direction; nil if there is nothing.
  func step(_ direction: MigrationReport.Direction) -> Step? { direction == .up ? up : down }

  /// Its name, or that of what takes it back, which may be a script of its own.
  func name(_ direction: MigrationReport.Direction) -> String {
    switch (direction, form) {
    case (.up, _): name
    case (.down, .sql): "\(name).down"
    case (.down, _): "\(name) (its way back)"
    }
  }
}

/// Closures over records.
extension DataMigration {
  /// A step that changes each record of a table on its own.
  ///
  /// O(records of the table). Throwing from the closure rolls the whole run back.
  ///
  /// - Parameters:
  ///   - name: The name, with the number at its front.
  ///   - table: The table.
  ///   - version: Raise it when the closure is changed before its release; it is what the checksum is of.
  ///   - change: Changes a record.
  public init(
    _ name: String,
    table: String,
    version: Int = 1,
    _ change: @escaping @Sendable (inout MigrationRecord) throws -> Void
  ) {
    self.init(
      name: name,
      form: .swift,
      content: Self.content(version),
      tables: [table]
    ) { try $0.forEach(in: table, change) }
  }

  /// A step that goes through the records of a table, and may change other tables too.
  ///
  /// O(records of the table).
  public init(
    _ name: String,
    table: String,
    version: Int = 1,
    _ change: @escaping @Sendable (inout MigrationRecord, MigrationTables) throws -> Void
  ) {
    self.init(name: name, form: .swift, content: Self.content(version), tables: [table]) { tables in
      try tables.forEach(in: table) { try change(&$0, tables) }
    }
  }

  /// A step that changes a persisted value, such as settings.
  ///
  /// ```swift
  /// DataMigration("0008_units", value: "settings") { settings in
  ///   settings["unit"] = .string("km")
  ///   settings.rename("colour", to: "color")
  /// }
  /// ```
  ///
  /// The closure gets the fields of the value's struct as those of a record, or the elements of a dictionary by their keys.
  /// A value that is neither is the field `value`. It is not called where the file does not have the value, and where it is
  /// nil. With `removeRecord()` the value leaves the file, and the next opening takes it from the initial state. O(1).
  ///
  /// The value is in the table `value:settings`: that is its name for a permission, for ``DataMigration/sealed(_:with:)``,
  /// in ``DataChange/rename(_:to:)``, and in a script.
  ///
  /// - Parameters:
  ///   - name: The name, with the number at its front.
  ///   - value: The name of the value.
  ///   - version: Raise it when the closure is changed before its release; it is what the checksum is of.
  ///   - change: Changes the fields.
  public init(
    _ name: String,
    value: String,
    version: Int = 1,
    _ change: @escaping @Sendable (inout MigrationRecord) throws -> Void
  ) {
    self.init(name, table: StoredValues.table(of: value), version: version) { record in
      try record.changeValue(change)
    }
  }

  /// A step that changes any tables.
  public init(
    _ name: String,
    version: Int = 1,
    _ change: @escaping @Sendable (MigrationTables) throws -> Void
  ) {
    self.init(name: name, form: .swift, content: Self.content(version), up: change)
  }

  /// A step that only declares what changes.
  public init(_ name: String, _ changes: DataChange...) {
    let down: Step = { tables in
      for change in changes.reversed() { try change.down?(tables) }
    }
    self.init(
      name: name,
      form: .declaration,
      content: Array(changes.map(\.content).joined(separator: "\n").utf8),
      tables: Set(changes.map(\.table)),
      down: changes.contains { $0.down == nil } ? nil : down,
      up: { tables in for change in changes { try change.up(tables) } }
    )
  }

  /// A migration that stands for those of a range of numbers, which are no longer listed.
  ///
  /// It has the number of the last of them. A store that ran all of them goes on after it, also if it ran some as a
  /// squashed migration; any other one is refused with `.tooOld`.
  public init(_ name: String, replacing numbers: ClosedRange<Int>) {
    self.init(
      name: name,
      form: .squashed,
      content: Array("replaces \(numbers.lowerBound)...\(numbers.upperBound)".utf8),
      replaces: numbers,
      up: nil
    )
  }

  private static func content(_ version: Int) -> [UInt8] { Array("swift \(version)".utf8) }
}

extension DataMigration {
  /// The same with a way back.
  public func reversed(
    by change: @escaping @Sendable (MigrationTables) throws -> Void
  ) -> DataMigration {
    var migration = self
    migration.down = change
    return migration
  }

  /// The same for a step that goes through the records of a table.
  public func reversed(
    table: String,
    by change: @escaping @Sendable (inout MigrationRecord) throws -> Void
  ) -> DataMigration {
    reversed { try $0.forEach(in: table, change) }
  }

  /// The same for a step that changes a persisted value.
  public func reversed(
    value: String,
    by change: @escaping @Sendable (inout MigrationRecord) throws -> Void
  ) -> DataMigration {
    reversed(table: StoredValues.table(of: value)) { try $0.changeValue(change) }
  }

  /// The same for a table whose records are sealed: the step sees them opened, and what it stores there is sealed.
  ///
  /// A record that it does not change keeps its bytes. Not for scripts, whose tables may be on the disk while they
  /// run.
  ///
  /// ```swift
  /// DataMigration("0004_subject", table: "letters") { letter in
  ///   letter["subject"] = letter["subject"] ?? .string("")
  /// }.sealed("letters", with: Vault(key: key))
  /// ```
  public func sealed(_ table: String, with sealing: any RecordSealing) -> DataMigration {
    var migration = self
    migration.seals[table] = sealing
    return migration
  }

  /// The same with losses that are intended, on the way there and on the way back.
  public func allowing(_ losses: MigrationAllowance...) -> DataMigration {
    var migration = self
    migration.allowances += losses
    return migration
  }
}
