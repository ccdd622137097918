import Foundation
import StrataColumns
import StrataJournal
import StrataRecords
import StrataSQLite
import StrataSchema

/// The stored values that SQL shows rounded, by what it shows: a cell that a script has only moved gets its
/// stored value back.
///
/// SQL holds a decimal number as the nearest real, a date to the millisecond, NaN as NULL, and a nested value
/// as JSON without its kinds. A script that copies such a cell copies the rounded value. So its result is
/// looked up here: first among the cells of the record with the same ID, then among all, if exactly one
/// stored value shows like this. Literals come first: a number or a text in the script is stored as it is
/// written.
///
/// A cell that a script has moved into a column of texts, where SQL writes 15 digits of a number and milliseconds of a
/// time, gets the text of its stored value, if it is one of the record with the same ID.
///
/// It is made before anything is stored, in the database of the sorted rows, which uses the disk.
struct StoredCells {
  private let ofText: RowCursor
  private let sameCell: RowCursor
  private let ofRecord: RowCursor
  private let first: RowCursor
  private let last: RowCursor
  private let literals: ScriptLiterals

  /// O(records), for the columns whose values SQL may round.
  ///
  /// Nil where no such column was copied and no literal needs it.
  init?(
    _ tables: [EntityTables.Table],
    literals: ScriptLiterals,
    in connection: Connection
  ) throws {
    let sources = tables.compactMap { table -> (EntityTables.Table, [Int])? in
      let columns = table.columns.columns.indices.dropFirst().filter { number in
        table.isCopied(number) && table.columns.columns[number].kind.isRounded
      }
      return columns.isEmpty ? nil : (table, columns)
    }
    if sources.isEmpty, literals.numbers.isEmpty { return nil }
    self.literals = literals
    try connection.execute(
      "CREATE TEMP TABLE \"strata:cell\"(kind TEXT, value, stored BLOB, id BLOB, name TEXT)"
    )
    try connection.execute("BEGIN")
    let insert = try connection.cursor("INSERT INTO temp.\"strata:cell\" VALUES (?, ?, ?, ?, ?)")
    func add(_ values: [Value]) throws {
      try insert.start(values)
      _ = try insert.next()
    }
    for (table, columns) in sources { try Self.forEachRounded(table, columns, add) }
    insert.reset()
    try connection.execute(
      """
      CREATE INDEX temp."strata:cell by value" ON "strata:cell"(kind, value, stored);
      CREATE INDEX temp."strata:cell by ID" ON "strata:cell"(id, kind, value);
      COMMIT
      """
    )
    ofText = try connection.cursor(
      """
      SELECT stored FROM temp."strata:cell" WHERE id = ? AND kind <> '\(ColumnKind.json.rawValue)'
        AND CAST(value AS TEXT) = ? AND name = coalesce(?, name) GROUP BY stored LIMIT 2
      """
    )
    let find = "SELECT stored FROM temp.\"strata:cell\" WHERE kind = ? AND value IS ?"
    sameCell = try connection.cursor("\(find) AND id = ? AND name = ? LIMIT 1")
    ofRecord = try connection.cursor("\(find) AND id = ? GROUP BY stored LIMIT 2")
    first = try connection.cursor("\(find) ORDER BY stored LIMIT 1")
    last = try connection.cursor("\(find) ORDER BY stored DESC LIMIT 1")
  }

  private static func forEachRounded(
    _ table: EntityTables.Table,
    _ columns: [Int],
    _ add: ([Value]) throws -> Void
  ) throws {
    var reader = EntityReader(table.columns, used: columns) { try table.records.layout($0) }
    let names = columns.map { table.columns.fields[$0 - 1] }
    var readers: [Int64: RecordFields] = [:]
    var places = [RecordFields.Place](repeating: .none, count: names.count)
    let next = try table.records.start()
    while let entity = try next() {
      let layout = try table.records.layout(entity.layout)
      if layout.isOfSealedRecords { continue }
      let fields = readers[entity.layout] ?? RecordFields(names, in: layout)
      readers[entity.layout] = fields
      try fields.locate(in: entity.record, &places)
      reader.move(to: entity)
      for (index, column) in columns.enumerated() {
        guard let stored = try fields.value(at: places[index], in: entity.record),
          stored != .null
        else { continue }
        let kind = table.columns.columns[column].kind
        let shown = try reader.value(column)
        let isExact = kind.exact(shown) == stored && !shown.isRoundedAsText
        if isExact || kind == .any && !stored.isNested { continue }
        try add([
          .text(stored.isNested ? ColumnKind.json.rawValue : kind.rawValue), shown,
          .blob(stored.taggedBytes), .blob(Array(entity.id)),
          .text(names[index]),
        ])
      }
    }
  }

  /// What is known of a value that a script has left in a cell.
  enum Origin {
    /// It was moved from a cell, or is written in the script: this is stored.
    case known(RecordValue)
    /// Several stored values show like this, so it is not known which one was moved.
    case ambiguous
    /// It is none of them.
    case none
  }

  /// Finds where a value has come from; O(log cells).
  ///
  /// - Parameters:
  ///   - name: The field that it is in now.
  ///   - ids: The encoded IDs that its record has and had.
  func origin(
    of value: Value,
    _ kind: ColumnKind,
    in name: String,
    of ids: [[UInt8]]
  ) throws -> Origin {
    switch (kind, value) {
    case (.decimal, .real(let shown)):
      if literals.ambiguous.contains(shown) { return .ambiguous }
      if let number = literals.numbers[shown] { return .known(.decimal(number)) }
    case (_, .text(let text)) where literals.texts.contains(text): return .none
    case (.string, .text(let text)): return try origin(ofText: text, in: name, of: ids)
    default: break
    }
    guard kind.isRounded else { return .none }
    // Dictionaries, and fields that two kinds were seen of, are in columns of any kind.
    let key: [Value] = [.text(kind == .any ? ColumnKind.json.rawValue : kind.rawValue), value]
    for id in ids {
      if let stored = try Self.values(sameCell, key + [.blob(id), .text(name)]).first {
        return .known(try RecordValue(taggedBytes: stored))
      }
    }
    // NULL and 0 may be meant: they stand for NaN and -0.0 only in the same field of the same record.
    if value == .null || kind.affinity == .real { return .none }
    for id in ids {
      let stored = try Self.values(ofRecord, key + [.blob(id)])
      if stored.count == 1 { return .known(try RecordValue(taggedBytes: stored[0])) }
    }
    guard let low = try Self.values(first, key).first, let high = try Self.values(last, key).first
    else { return .none }
    return low == high ? .known(try RecordValue(taggedBytes: low)) : .ambiguous
  }

  private func origin(ofText text: String, in name: String, of ids: [[UInt8]]) throws -> Origin {
    for id in ids {
      let key: [Value] = [.blob(id), .text(text)]
      var stored = try Self.values(ofText, key + [.text(name)])
      if stored.isEmpty { stored = try Self.values(ofText, key + [.null]) }
      if stored.count > 1 { return .ambiguous }
      guard let first = stored.first else { continue }
      switch try RecordValue(taggedBytes: first) {
      // As SQL writes other times into the column.
      case .date(let date): return .known(.string(date.iso8601Text.replacing("T", with: " ")))
      case let value:
        guard let text = ScalarText.text(of: value) else { return .none }
        return .known(.string(text))
      }
    }
    return .none
  }

  private static func values(_ cursor: RowCursor, _ key: [Value]) throws -> [[UInt8]] {
    try cursor.start(key)
    defer { cursor.reset() }
    var values: [[UInt8]] = []
    while try cursor.next() {
      values.append(try cursor.withRow { row throws(SQLiteError) in try row.blob(0) })
    }
    return values
  }
}

extension Value {
  /// Whether SQLite may write it with fewer digits than it has, of which it writes 15.
  fileprivate var isRoundedAsText: Bool {
    guard case .real(let number) = self, number.isFinite else { return false }
    return number.description.prefix { $0 != "e" }.count { $0.isNumber } > 15
  }
}

extension ColumnKind {
  /// Whether several of its values may look the same in SQL.
  var isRounded: Bool {
    switch self {
    case .date, .decimal, .json, .any, .float, .double: true
    default: false
    }
  }

  /// Whether SQL would show one of its values like this.
  func shows(_ value: Value) -> Bool {
    if self == .any { return true }
    guard let stored = exact(value) else { return false }
    switch (self, value) {
    case (.json, _): return stored.isNested
    // Read back, it may be rounded down to the millisecond before.
    case (.date, .text(let text)): return text.utf8.count == "2026-02-03 04:05:06.789Z".count
    default: return ColumnValue.value(stored, of: self) == value
    }
  }

  /// What a value of SQL is stored as, if nothing else is known about it.
  fileprivate func exact(_ value: Value) -> RecordValue? {
    let natural = RecordValue(value)
    if let scalar { return scalar.stored(natural) }
    guard self == .json else { return natural }
    guard case .string(let text) = natural else { return nil }
    return JSONReader.value(text)
  }
}

/// The numbers and texts that are written in a script.
struct ScriptLiterals {
  /// The texts, without their quotes.
  private(set) var texts: Set<String> = []
  /// The decimal numbers, by the real that SQLite makes of each.
  private(set) var numbers: [Double: Decimal] = [:]
  /// Those of which a script has several that make one real.
  private(set) var ambiguous: Set<Double> = []

  /// O(text).
  init(_ sql: String) {
    let tokens = SQLTokens(sql)
    for token in tokens {
      switch token.kind {
      case .text:
        let text = tokens.content(of: token)
        texts.insert(text)
        note(text)
      case .number: note(Self.number(tokens.text(of: token)))
      default: break
      }
    }
  }

  private mutating func note(_ text: String) {
    guard let shown = ScalarText.double(text), shown.isFinite,
      case .decimal(let number)? = ScalarText.value(text, as: .decimal)
    else { return }
    if let other = numbers.updateValue(number, forKey: shown), other != number {
      ambiguous.formUnion([shown, -shown])
    }
    numbers[-shown] = -number
  }

  /// A number of SQL, which may lack the digits before or after its point, as RFC 8259 has it.
  private static func number(_ text: String) -> String {
    let digits = text.filter { $0 != "_" }
    let whole = digits.prefix { $0.isNumber }
    let rest = digits.dropFirst(whole.count)
    let significant = whole.drop { $0 == "0" }
    let fraction = rest.dropFirst().prefix { $0.isNumber }
    let point = rest.first == "." && fraction.isEmpty ? ".0" + rest.dropFirst() : String(rest)
    return (significant.isEmpty ? "0" : String(significant)) + point
  }
}
