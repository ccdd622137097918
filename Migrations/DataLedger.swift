package import StrataBase
package import StrataSQLite

/// The migrations of the user's data that ran on a file: the rows of its table `migration` whose kind is 1.
package enum DataLedger {
  /// The form of a migration that was noted without running.
  package static let baseline = "baseline"

  /// A row: a migration that ran.
  package struct Entry: Hashable, Sendable {
    /// 1, 2, 3 … in the order in which they ran.
    package var number: Int
    package var name: String
    package var checksum: Checksum
    /// When it started, in microseconds since 1970.
    package var applied: Int64
    /// How long it took, in microseconds.
    package var duration: Int64
    /// How it is written.
    package var form: String
    /// Whether it has a way back.
    package var isReversible: Bool
    /// What ran, where it is SQL.
    package var script: String?
    /// The last revision after it.
    package var revision: Int64
    /// The highest number of a layout after it.
    package var layout: Int64
    /// The numbers that it stands for, where it is squashed.
    package var replaces: ClosedRange<Int>?

    package init(
      number: Int,
      name: String,
      checksum: Checksum,
      applied: Int64,
      duration: Int64,
      form: String,
      isReversible: Bool = false,
      script: String? = nil,
      revision: Int64,
      layout: Int64,
      replaces: ClosedRange<Int>? = nil
    ) {
      self.number = number
      self.name = name
      self.checksum = checksum
      self.applied = applied
      self.duration = duration
      self.form = form
      self.isReversible = isReversible
      self.script = script
      self.revision = revision
      self.layout = layout
      self.replaces = replaces
    }

    /// The numbers that it says ran: its own, or those that it stands for.
    package var numbers: ClosedRange<Int> {
      replaces.flatMap { $0.contains(number) ? $0 : nil } ?? number...number
    }
  }

  /// The rows, ordered by number.
  ///
  /// - Throws: `.mismatch` for a checksum of the wrong length or numbers out of order, and errors of SQLite.
  package static func entries(on connection: Connection) throws(SQLiteError) -> [Entry] {
    try HashedTable.migration.rows("WHERE kind = 1 ORDER BY version", on: connection) {
      row throws(SQLiteError) in
      let first = try row.optionalInt(11).map { Int($0) }
      let last = try row.optionalInt(12).map { Int($0) }
      var replaces: ClosedRange<Int>?
      if let first, let last, first <= last { replaces = first...last }
      return Entry(
        number: Int(try row.int(1)),
        name: try row.text(2),
        checksum: try MigrationLedger.checksum(3, of: row),
        applied: try row.int(4),
        duration: try row.int(5),
        form: try row.optionalText(6) ?? "",
        isReversible: try row.optionalInt(7) == 1,
        script: try row.optionalText(8),
        revision: try row.optionalInt(9) ?? 0,
        layout: try row.optionalInt(10) ?? 0,
        replaces: replaces
      )
    }
  }

  /// The numbers up to one that have no row, in runs.
  package static func gaps(in entries: [Entry], through last: Int) -> [ClosedRange<Int>] {
    var gaps: [ClosedRange<Int>] = []
    var next = 1
    for numbers in entries.map(\.numbers) where numbers.lowerBound <= last {
      if next < numbers.lowerBound { gaps.append(next...(numbers.lowerBound - 1)) }
      next = max(next, numbers.upperBound + 1)
    }
    if next <= last { gaps.append(next...last) }
    return gaps
  }

  /// The number at the front of a name, after an optional `V`; nil if there is none.
  package static func number(of name: some StringProtocol) -> Int? {
    let digits = name.drop { $0 == "V" }.prefix { $0.isASCII && $0.isNumber }
    return Int(digits).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Adds a row; fails if there is one of its number.
  package static func append(_ entry: Entry, on connection: Connection) throws(SQLiteError) {
    try HashedTable.migration.insert(
      [
        1, .integer(Int64(entry.number)), .text(entry.name), .blob(entry.checksum.bytes),
        .integer(entry.applied), .integer(entry.duration), .text(entry.form),
        .integer(entry.isReversible ? 1 : 0), .text(orNull: entry.script), .integer(entry.revision),
        .integer(entry.layout),
        .integer(orNull: entry.replaces.map { Int64($0.lowerBound) }),
        .integer(orNull: entry.replaces.map { Int64($0.upperBound) }),
      ],
      on: connection
    )
  }

  /// Removes the row of a number.
  package static func remove(_ number: Int, on connection: Connection) throws(SQLiteError) {
    try connection.run(
      "DELETE FROM migration WHERE kind = 1 AND version = ?",
      [.integer(Int64(number))]
    )
  }

  /// Replaces the row of a number.
  package static func replace(_ entry: Entry, on connection: Connection) throws(SQLiteError) {
    try remove(entry.number, on: connection)
    try append(entry, on: connection)
  }

  /// Replaces all rows by others; one that is the same stays as it is.
  package static func replaceAll(
    with entries: [Entry],
    on connection: Connection
  ) throws(SQLiteError) {
    let before = try self.entries(on: connection)
    for entry in before where !entries.contains(entry) {
      try remove(entry.number, on: connection)
    }
    for entry in entries where !before.contains(entry) { try append(entry, on: connection) }
  }
}
