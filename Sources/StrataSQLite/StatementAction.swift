import CStrataSQLite

/// What a statement would do, as SQLite asks its authorizer while it compiles the statement
/// (`sqlite.org/c3ref/c_alter_table.html`).
package enum StatementAction: Hashable, Sendable {
  /// A SELECT, with or without a table.
  case select
  /// A column of a table is read; the name is empty if only rows are counted.
  case read(table: String, column: String)
  /// An SQL function is called.
  case function(String)
  /// A common table expression calls itself.
  case recursion
  /// Rows of a table are added or removed: `INSERT` or `DELETE`.
  case change(String, table: String)
  /// A column of a table is set.
  case update(table: String, column: String)
  /// An index of a table is created.
  case index(table: String)
  /// A table or its columns are renamed, added or dropped.
  case alter(table: String)
  /// The same of a temporary table.
  case alterTemporary
  /// Rows of a temporary table or view are read or changed.
  case useTemporary
  /// The rows of tables are compared with their constraints.
  case check
  /// Anything else, by SQLite's name, such as `ATTACH` or `CREATE TABLE`.
  case other(String)

  init(_ code: Int32, _ first: String?, _ second: String?, in database: String?) {
    switch code {
    case SQLITE_READ, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      self = database == "temp" ? .useTemporary : Self.use(code, first ?? "", second ?? "")
    case SQLITE_ALTER_TABLE:
      self = first == "temp" ? .alterTemporary : .alter(table: second ?? "")
    // What ADD COLUMN … CHECK asks.
    case SQLITE_PRAGMA where first == "quick_check": self = .check
    case SQLITE_SELECT: self = .select
    case SQLITE_FUNCTION: self = .function(second ?? "")
    case SQLITE_RECURSIVE: self = .recursion
    case SQLITE_CREATE_INDEX: self = .index(table: second ?? "")
    default: self = .other(Self.names[code] ?? "action \(code)")
    }
  }

  private static func use(_ code: Int32, _ table: String, _ column: String) -> StatementAction {
    switch code {
    case SQLITE_READ: .read(table: table, column: column)
    case SQLITE_UPDATE: .update(table: table, column: column)
    default: .change(code == SQLITE_INSERT ? "INSERT" : "DELETE", table: table)
    }
  }

  private static let names: [Int32: String] = [
    SQLITE_CREATE_TABLE: "CREATE TABLE", SQLITE_CREATE_TEMP_TABLE: "CREATE TABLE",
    SQLITE_CREATE_TEMP_INDEX: "CREATE INDEX",
    SQLITE_CREATE_TEMP_TRIGGER: "CREATE TRIGGER", SQLITE_CREATE_TEMP_VIEW: "CREATE VIEW",
    SQLITE_CREATE_TRIGGER: "CREATE TRIGGER", SQLITE_CREATE_VIEW: "CREATE VIEW",
    SQLITE_CREATE_VTABLE: "CREATE VIRTUAL TABLE", SQLITE_DROP_VTABLE: "DROP TABLE",
    SQLITE_DROP_INDEX: "DROP INDEX", SQLITE_DROP_TABLE: "DROP TABLE",
    SQLITE_DROP_TEMP_INDEX: "DROP INDEX", SQLITE_DROP_TEMP_TABLE: "DROP TABLE",
    SQLITE_DROP_TEMP_TRIGGER: "DROP TRIGGER", SQLITE_DROP_TEMP_VIEW: "DROP VIEW",
    SQLITE_DROP_TRIGGER: "DROP TRIGGER", SQLITE_DROP_VIEW: "DROP VIEW",
    SQLITE_PRAGMA: "PRAGMA", SQLITE_TRANSACTION: "a transaction", SQLITE_SAVEPOINT: "SAVEPOINT",
    SQLITE_ATTACH: "ATTACH", SQLITE_DETACH: "DETACH", SQLITE_REINDEX: "REINDEX",
    SQLITE_ANALYZE: "ANALYZE",
  ]
}
