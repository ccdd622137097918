import StrataBase
public import StrataRecords

/// A change of the data that needs no closure over records, for ``DataMigration/init(_:_:)-(String,DataChange...)``.
///
/// ```swift
/// DataMigration(
///   "0004_memos",
///   .rename("notes", to: "memos"),
///   .renameField("text", to: "body", in: "memos")
/// )
/// ```
public struct DataChange: Sendable {
  /// What the checksum of its migration is of.
  let content: String
  let table: String
  let up: DataMigration.Step
  let down: DataMigration.Step?

  private init(
    _ content: String,
    of table: String,
    down: DataMigration.Step? = nil,
    up: @escaping DataMigration.Step
  ) {
    self.content = content
    self.table = table
    self.up = up
    self.down = down
  }

  /// Gives a table another name; its records keep their bytes, and so do references to them.
  ///
  /// O(records of the table and of those that refer to it). The migration fails if the new name has records.
  public static func rename(_ table: String, to name: String) -> DataChange {
    DataChange(
      "rename \(table) \(name)",
      of: table,
      down: { try $0.rename([name: table]) },
      up: { try $0.rename([table: name]) }
    )
  }

  /// Gives a field of a table another name; the values keep their bytes.
  ///
  /// O(records).
  public static func renameField(
    _ field: String,
    to name: String,
    in table: String
  ) -> DataChange {
    DataChange(
      "renameField \(table) \(field) \(name)",
      of: table,
      down: { try $0.renameField(name, to: field, in: table) },
      up: { try $0.renameField(field, to: name, in: table) }
    )
  }

  /// Says that a field holds IDs of another table, where the type of the program does not say it: the records stay as
  /// they are, and from then on a change of those IDs follows.
  ///
  /// See ``MigrationTables/reference(_:to:in:)``. O(layouts).
  public static func reference(
    _ field: String,
    to target: String,
    in table: String
  ) -> DataChange {
    DataChange(
      "reference \(table) \(field) \(target)",
      of: table,
      down: { $0.removeReference(of: field, in: table) },
      up: { try $0.reference(field, to: target, in: table) }
    )
  }

  /// Removes a table with its records; its history stays.
  ///
  /// O(records).
  public static func dropTable(_ table: String) -> DataChange {
    DataChange("dropTable \(table)", of: table, up: { try $0.drop(table) })
  }

  /// Gives the records of a table other IDs, and rewrites the references to them.
  ///
  /// ```swift
  /// .changeID(of: "users") { user in
  ///   .integer(Int(user.id.text?.dropFirst() ?? "") ?? -1)
  /// } back: { user in
  ///   user.id.integer.map { .string("u\($0)") }
  /// }
  /// ```
  ///
  /// References are the fields that the layouts of the file record as such: of a type `EntityID` or a collection of
  /// it, those that a script declares with `REFERENCES`, and those of ``reference(_:to:in:)``. An ID in a field that two
  /// shapes were seen of is not one. Other fields whose values equal old IDs are findings of the step, and stay as they
  /// are. O(records of the store).
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - version: Raise it when the closure is changed before its release.
  ///   - newID: The new ID of a record.
  ///   - back: The ID that a record had before, for the way back. Where it is nil for a record, or the same for two,
  ///     `down` throws `DataMigrationError.idsNotReversible`. Without the closure the change has no way back.
  public static func changeID(
    of table: String,
    version: Int = 1,
    _ newID: @escaping @Sendable (MigrationRecord) throws -> RecordValue,
    back: (@Sendable (MigrationRecord) throws -> RecordValue?)? = nil
  ) -> DataChange {
    var down: DataMigration.Step?
    if let back {
      down = { tables in
        try tables.changeID(of: table) { record in
          if let id = try back(record) { return id }
          throw MigrationStepError.noEarlierID(record.id, in: table)
        }
      }
    }
    return DataChange(
      "changeID \(table) \(version)",
      of: table,
      down: down,
      up: { try $0.changeID(of: table, newID) }
    )
  }

  /// Writes every record of a table with the newest layout, so that code that reads older ones can go.
  ///
  /// O(records). A record that is written with it already keeps its bytes.
  public static func rewrite(_ table: String) -> DataChange {
    DataChange("rewrite \(table)", of: table, up: { try $0.rewrite(table) })
  }
}
