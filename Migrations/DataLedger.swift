package import StrataBase
package import StrataSQLite

/// The migrations of the user's data that ran on a file: the rows of its table `migration` whose kind is 1.
///
/// A row stays when its migration is taken back, with the revision that did so. So what the ledger was at an earlier revision
/// is a question to its rows.
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
    /// Since when it is in force: the last revision after it ran, or that of a revert that led to where it had run.
    package var revision: Int64
    /// The highest number of a layout after it.
    package var layout: Int64
    /// The numbers that it stands for, where it is squashed.
    package var replaces: ClosedRange<Int>?
    /// The names that it gave tables and fields.
    package var renames: [Rename]

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
      replaces: ClosedRange<Int>? = nil,
      renames: [Rename] = []
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
      self.renames = renames
    }

    /// The numbers that it says ran: its own, or those that it stands for.
    package var numbers: ClosedRange<Int> {
      replaces.flatMap { $0.contains(number) ? $0 : nil } ?? number...number
    }
  }

  /// The migrations that are in force, by their numbers.
  ///
  /// - Throws: `.mismatch` for a checksum of the wrong length, and errors of SQLite.
  package static func entries(on connection: Connection) throws(SQLiteError) -> [Entry] {
    try rows("AND until IS NULL", [], on: connection).map(\.entry)
  }

  /// Those that were in force at a revision, by their numbers.
  package static func entries(
    at revision: Int64,
    on connection: Connection
  ) throws(SQLiteError) -> [Entry] {
    try rows(
      "AND revision <= ?1 AND (until IS NULL OR until > ?1)",
      [.integer(revision)],
      on: connection
    ).map(\.entry)
  }

  /// All that were ever in force, in the order of their numbers, with the revisions that took them back.
  package static func history(
    on connection: Connection
  ) throws(SQLiteError) -> [(entry: Entry, until: Int64?)] {
    try rows("", [], on: connection)
  }

  private static func rows(
    _ condition: String,
    _ values: [Value],
    on connection: Connection
  ) throws(SQLiteError) -> [(entry: Entry, until: Int64?)] {
    let rest = "WHERE kind = 1 \(condition) ORDER BY version, revision"
    return try HashedTable.migration.rows(rest, values, on: connection) {
      row throws(SQLiteError) in
      let first = try row.optionalInt(12).map { Int($0) }
      let last = try row.optionalInt(13).map { Int($0) }
      var replaces: ClosedRange<Int>?
      if let first, let last, first <= last { replaces = first...last }
      let path = row.path
      let entry = Entry(
        number: Int(try row.int(1)),
        name: try row.text(2),
        checksum: try MigrationLedger.checksum(3, of: row),
        applied: try row.int(4),
        duration: try row.int(5),
        form: try row.optionalText(6) ?? "",
        isReversible: try row.optionalInt(7) == 1,
        script: try row.optionalText(8),
        revision: try row.int(9),
        layout: try row.optionalInt(11) ?? 0,
        replaces: replaces,
        renames: try row.optionalText(14).map { text throws(SQLiteError) in
          try [Rename](in: text, at: path)
        } ?? []
      )
      return (entry, try row.optionalInt(10))
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

  /// Adds a row.
  package static func append(_ entry: Entry, on connection: Connection) throws(SQLiteError) {
    try write(entry, on: connection, .refuse)
  }

  /// Adds a row, or writes it again with another name and content.
  package static func replace(_ entry: Entry, on connection: Connection) throws(SQLiteError) {
    try write(entry, on: connection, .replace)
  }

  private static func write(
    _ entry: Entry,
    on connection: Connection,
    _ existing: HashedTable.Existing
  ) throws(SQLiteError) {
    try HashedTable.migration.insert(
      [
        1, .integer(Int64(entry.number)), .text(entry.name), .blob(entry.checksum.bytes),
        .integer(entry.applied), .integer(entry.duration), .text(entry.form),
        .integer(entry.isReversible ? 1 : 0), .text(orNull: entry.script), .integer(entry.revision),
        .null, .integer(entry.layout),
        .integer(orNull: entry.replaces.map { Int64($0.lowerBound) }),
        .integer(orNull: entry.replaces.map { Int64($0.upperBound) }),
        entry.renames.isEmpty ? .null : .text(entry.renames.text),
      ],
      on: connection,
      existing
    )
  }

  /// Notes that a migration was taken back at a revision.
  ///
  /// - Parameter renames: What its way back did; the row keeps what it does not say of fields already.
  package static func end(
    _ number: Int,
    at revision: Int64,
    takenBack renames: [Rename] = [],
    on connection: Connection
  ) throws(SQLiteError) {
    if var entry = try entries(on: connection).first(where: { $0.number == number }) {
      let others = renames.filter { rename in
        rename.after.field != nil && !entry.renames.contains(rename)
          && !entry.renames.contains(Rename(rename.after, to: rename.before))
      }
      entry.renames += others
      if !others.isEmpty { try replace(entry, on: connection) }
    }
    try HashedTable.migration.end(
      "WHERE kind = 1 AND version = ? AND until IS NULL",
      [.integer(Int64(number))],
      at: revision,
      on: connection
    )
  }

  /// Makes those in force what they were at an earlier revision, from a later one on.
  package static func revert(
    to earlier: Int64,
    at revision: Int64,
    on connection: Connection
  ) throws(SQLiteError) {
    let (now, then) = (try entries(on: connection), try entries(at: earlier, on: connection))
    for entry in now where !then.contains(entry) {
      try end(entry.number, at: revision, on: connection)
    }
    for var entry in then where !now.contains(entry) {
      entry.revision = revision
      try append(entry, on: connection)
    }
  }
}
