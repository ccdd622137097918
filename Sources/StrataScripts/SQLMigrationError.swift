/// Why a folder of migrations cannot be used.
public enum SQLMigrationError: Error, Equatable, Sendable {
  /// A folder or a file cannot be read.
  case unreadable(path: String, detail: String)
  /// A folder or a file cannot be written.
  case unwritable(path: String, detail: String)
  /// There is no migration of this number.
  case noMigration(number: Int)
  /// A script is not text in UTF-8.
  case notText(path: String)
  /// A folder has no migration.
  case empty(path: String)
  /// A file is meant as one of a migration and has another name; `detail` says how it is to be named.
  case badName(file: String, detail: String)
  /// Two migrations have one number; each of `renames` is a command that gives one of them the next free number.
  ///
  /// Where the store is known, there is none for the one that ran on it.
  case duplicate(number: Int, files: [String], renames: [String])
  /// The migrations that are to be squashed are one file already, which stands for these numbers.
  case squashed(file: String, numbers: ClosedRange<Int>)
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
    case .unreadable(let path, let detail): "\(path): \(detail)."
    case .notText(let path): "\(path): the file is not text in UTF-8. Save it as UTF-8."
    case .empty(let path):
      """
      \(path): the folder has no migration. Check the path; a script in it is named as 0001_split_name.sql, and \
      `strata migrate new` writes one.
      """
    case .unwritable(let path, let detail):
      "\(path): \(detail). Check the path, and that this user may write there."
    case .noMigration(let number):
      "There is no migration \(number). Use the number of one of the files."
    case .badName(let file, let detail):
      "\(file): \(detail). Rename the file, or move it away."
    case .duplicate(let number, let files, let renames):
      """
      The files \(files.joined(separator: " and ")) have the number \(number). Give the one that ran on no store the \
      next free number: \(renames.joined(separator: ", or "))
      """
    case .squashed(let file, let numbers):
      """
      \(file) stands for the migrations \(numbers.lowerBound) to \(numbers.upperBound) already. Squash to a later one.
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
