package import StrataSQLite

/// A feature of a file that a program must know of to write to it: a row of the table `feature`.
///
/// File systems do the same: what does not know such a feature can still read. A row is never removed while the history
/// reaches back to it, so it holds for every state that can be read.
///
/// | name | the product that brings it |
/// | --- | --- |
/// | `migrations` | `StrataMigrations` |
package struct FeatureRow: Hashable, Sendable {
  /// The features of this build.
  package enum Name: String, Sendable {
    /// Migrations of the data ran on the file, or were noted in it when it was made.
    case migrations
  }

  /// The name, which may be that of a newer build.
  package let name: String
  /// The revision after which the file has it.
  package let since: Int64

  /// The features of a file, by name.
  package static func all(on connection: Connection) throws(SQLiteError) -> [FeatureRow] {
    try HashedTable.feature.rows("ORDER BY name", on: connection) { row throws(SQLiteError) in
      FeatureRow(name: try row.text(0), since: try row.int(1))
    }
  }

  /// The name of a feature of a file that only a later version knows; nil if there is none.
  package static func unknown(on connection: Connection) throws(SQLiteError) -> String? {
    try all(on: connection).first { Name(rawValue: $0.name) == nil }?.name
  }

  /// Notes that a file has a feature, unless it has it already.
  static func note(
    _ name: Name,
    since revision: Int64,
    on connection: Connection
  ) throws(SQLiteError) {
    try HashedTable.feature.insert(
      [.text(name.rawValue), .integer(revision)],
      on: connection,
      .keep
    )
  }
}
