/// Why a folder of migrations cannot be used.
public enum SQLMigrationError: Error, Equatable, Sendable {
  /// A folder or a file cannot be read.
  case unreadable(path: String, detail: String)
  /// A folder or a file cannot be written.
  case unwritable(path: String, detail: String)
  /// There is no migration of this number.
  case noMigration(number: Int)
  /// The name of a file is not a number, an underscore and what it does.
  case badName(file: String)
  /// Two migrations have one number; `rename` is the command that gives the newer one the next free number.
  case duplicate(number: Int, files: [String], rename: String)
  /// There is a way back for a migration that is missing.
  case onlyDown(file: String)
  /// A comment that starts with `-- strata:` cannot be read, or does not fit the script.
  case directive(migration: String, line: Int, detail: String)
  /// The folder says that a migration is written in Swift, and it was not passed.
  case missingSwift(migration: String)
  /// A migration in Swift was passed, and the folder has no file for it.
  case missingFile(migration: String)
}

extension SQLMigrationError: CustomStringConvertible {
  /// A sentence, and what to do.
  public var description: String {
    switch self {
    case .unreadable(let path, let detail): "\(path): \(detail). Check the path."
    case .unwritable(let path, let detail):
      "\(path): \(detail). Check the path, and that this user may write there."
    case .noMigration(let number):
      "There is no migration \(number). Use the number of one of the files."
    case .badName(let file):
      "\(file): a migration is named as 0003_split_name.sql. Rename the file, or move it away."
    case .duplicate(let number, let files, let rename):
      """
      The files \(files.joined(separator: " and ")) have the number \(number). Give the newer one the \
      next free number: \(rename)
      """
    case .onlyDown(let file):
      "\(file) takes back a migration that is not there. Restore its script, or remove the file."
    case .directive(let migration, let line, let detail):
      "\(migration), line \(line): \(detail). Correct the line, or remove it."
    case .missingSwift(let migration):
      """
      The migration \(migration) is written in Swift, and no closure for it was passed. Pass a \
      DataMigration of this name.
      """
    case .missingFile(let migration):
      """
      The folder has no file for the migration \(migration). Add an empty file \(migration).swift, so \
      that the command stops before it.
      """
    }
  }
}
