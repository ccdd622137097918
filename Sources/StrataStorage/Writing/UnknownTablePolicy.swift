/// What opening does with a file that has records of tables which this build does not know, and lacks a table of this
/// build that would start empty: the sign of a table that was renamed without a migration.
public enum UnknownTablePolicy: String, Sendable, Codable, CaseIterable {
  /// Throws `.tablesGone`, which names the migration to write; nothing is changed.
  case refuse
  /// Leaves the records in the file, and starts the new table empty.
  case keep
}
