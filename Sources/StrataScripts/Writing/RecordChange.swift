import StrataJournal
package import StrataRecords

/// What scripts have done to one entity.
package struct RecordChange {
  package let table: String
  /// The encoded ID.
  package let id: [UInt8]
  /// The record of this ID now, with the layout to read it with; nil if the one that had it is gone.
  package let record: (layout: Layout, bytes: [UInt8])?
  /// The encoded ID of the record that it was; nil for a new one.
  package let former: [UInt8]?
}

/// Why a script failed, or why its result cannot be stored.
package enum EntityTableError: Error, Equatable, Sendable {
  /// SQLite refused a statement, which is on this line of its script.
  case statement(String, line: Int?, message: String)
  /// The statement would reach beyond the tables.
  case refused(String)
  case timeLimit(Duration)
  /// A value is larger than it may be.
  case valueTooLarge(line: Int?)
  /// The script adds more than it may.
  case tooMuch
  /// An error of reading or writing the temporary files, or no room for them.
  case temporaryFile(String)
  /// It needs more memory than it may.
  case memoryLimit
  /// A table has no column `id`.
  case noID(table: String)
  /// The column of a table that holds its IDs has another name.
  case renamedID(table: String, name: String)
  /// A column of a table has no name.
  case noName(table: String)
  /// A table is declared WITHOUT ROWID.
  case withoutRowID(table: String)
  /// A row has no ID, or one that cannot be stored.
  case badID(table: String, value: String)
  /// A row has a text that is not valid UTF-8.
  case invalidText(table: String)
  /// Two rows have one ID.
  case sameID(table: String, id: String)
  /// A record has no value in a column that a script has declared NOT NULL without a DEFAULT.
  case emptyRequired(table: String, id: String, column: String)
  /// The declared type of a column stands for no kind.
  case unknownType(table: String, column: String, type: String)
  /// A value is not of the kind of its column.
  case doesNotFit(table: String, id: String, column: String, kind: String)
}

extension EntityTableError: CustomStringConvertible {
  /// A sentence without a full stop, and what to do.
  package var description: String {
    switch self {
    case .statement(_, let line, let message): "\(Self.place(line))\(message)"
    case .refused(let what): "\(what) is not allowed: a script may use its tables only"
    case .timeLimit(let limit):
      """
      the script took longer than \(limit.seconds) s; let it do less, or raise the limit, which is \
      timeLimit: of the migration or --timeout of the command
      """
    case .valueTooLarge(let line):
      "\(Self.place(line))a value is larger than 64 MB; let the script make smaller ones"
    case .tooMuch: "the script adds more to the tables than it may: does it end?"
    case .temporaryFile(let detail):
      "a temporary file failed (\(detail)): check the disk of the temporary directory, or set TMPDIR"
    case .memoryLimit:
      """
      the script needs more memory than it may; let a statement sort or join less, or raise the limit, \
      which is --memory of the command
      """
    case .noID(let table):
      "the table \(table) has no column id; add one, or create the table with CREATE TEMP TABLE"
    case .renamedID(let table, let name):
      """
      the column id of \(table) holds its IDs and was renamed to \(name): leave its name, or copy the IDs into a \
      further column of that name
      """
    case .noName(let table): "a column of \(table) has no name; give it one"
    case .withoutRowID(let table): "the table \(table) is WITHOUT ROWID; declare it without that"
    case .badID(let table, let value):
      """
      a row of \(table) has \(value) for its ID; give it one of the type of the column id, or delete it
      """
    case .invalidText(let table):
      """
      a row of \(table) has a text that is not valid UTF-8, as CAST(… AS TEXT) of bytes may be; store the \
      bytes in a column of type BLOB, or convert them with hex()
      """
    case .sameID(let table, let id):
      "two rows of \(table) have the ID \(id); give one of them another, or delete it"
    case .emptyRequired(let table, let id, let column):
      """
      \(table) \(id) has no value in \(column), which a migration has declared NOT NULL: let the program, or a \
      migration in Swift before this one, write one
      """
    case .unknownType(let table, let column, let type):
      "the type \(type) of \(table).\(column) stands for no kind; use one such as TEXT or INTEGER"
    case .doesNotFit(let table, let id, let column, let kind):
      """
      \(table) \(id): the value of \(column) is no \(kind); convert it in the script, or rebuild the column \
      with a type that holds it
      """
    }
  }

  /// The temporary directory has no room.
  static let temporaryDiskFull = temporaryFile("there is no room for a copy of the tables")

  private static func place(_ line: Int?) -> String { line.map { "line \($0): " } ?? "" }
}
