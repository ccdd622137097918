package import StrataBase
package import StrataRecords
package import StrataSQLite

/// The layouts of a file, by the number that records name them by, and by table and hash.
package struct LayoutCatalog: Sendable {
  /// A row of `layout`.
  package struct Row: Sendable, Equatable {
    package var number: Int64
    package var table: String
    package var layout: Layout

    package init(number: Int64, table: String, layout: Layout) {
      self.number = number
      self.table = table
      self.layout = layout
    }
  }

  private struct Key: Hashable {
    let table: String
    let hash: Checksum
  }

  private var byNumber: [Int64: Layout] = [:]
  private var numbers: [Key: Int64] = [:]
  private var tableOfNumber: [Int64: String] = [:]
  private var lastNumber: Int64 = 0
  /// The layout that the next record of each table is written with, before it is sealed.
  private var next: [String: (number: Int64, layout: Layout)] = [:]

  /// What readers show in place of values; nil for the values themselves.
  package var mask: RecordMask?

  /// No layouts.
  package init() {}

  /// Reads every layout of the file; throws if one does not have its hash.
  package init(reading connection: Connection) throws {
    let sql = "SELECT id, entity_table, hash, body FROM layout ORDER BY id"
    let rows = try connection.all(sql, []) { row in
      (
        try StoredNumber.layout(try row.int(0), "the number of a layout"), try row.text(1),
        try row.blob(2), try row.blob(3)
      )
    }
    for (number, table, hash, body) in rows {
      let computed = Checksum(of: body)
      guard let stored = Checksum(bytes: hash) else {
        throw CorruptionError("the hash of layout \(number) has \(hash.count) bytes, expected 16")
      }
      guard computed == stored else {
        throw CorruptionError.hashMismatch(
          in: "layout \(number)",
          stored: stored,
          computed: computed
        )
      }
      do {
        add(try Layout(body: body), number, table)
      } catch {
        throw CorruptionError("layout \(number) has its hash, but cannot be read: \(error)")
      }
    }
  }

  /// Reads the layouts that have their hashes, as far as the file can be read.
  ///
  /// - Throws: only I/O errors.
  package init(readableIn connection: Connection) throws {
    let sql = "SELECT id, entity_table, hash, body FROM layout ORDER BY id"
    try CorruptionError.nilIfCorrupt {
      try connection.forEach(sql) { row in
        let (number, table) = (try row.int(0), try row.text(1))
        let body = try row.blob(3)
        guard (0...StoredNumber.lastLayout).contains(number),
          Checksum(of: body).bytes == (try row.blob(2))
        else { return .continue }
        // A body that is not a layout counts as missing: a record that needs it is then found to be damaged.
        do { add(try Layout(body: body), number, table) } catch _ {}
        return .continue
      }
    }
  }

  /// The tables that have a layout.
  package private(set) var tables: Set<String> = []

  /// The numbers of all layouts.
  package var allNumbers: [Int64] { byNumber.keys.inOrder() }

  /// What a layout is for.
  package enum Use {
    /// A record that keeps its bytes.
    case kept
    /// The further records of its table.
    case next
  }

  /// The number of a table's layout; writes it if it is new, in the caller's transaction.
  ///
  /// The last layout of a table is the one in use, so one that comes into use again is written again.
  package mutating func number(
    of layout: Layout,
    table: String,
    for use: Use = .kept,
    in connection: Connection
  ) throws(SQLiteError) -> Int64 {
    if let next = next[table], next.layout == layout { return next.number }
    if use == .kept, let number = numbers[Key(table: table, hash: layout.id)] { return number }
    return try append(layout, table, to: connection)
  }

  private mutating func append(
    _ layout: Layout,
    _ table: String,
    to connection: Connection
  ) throws(SQLiteError) -> Int64 {
    let number = unusedNumber
    try connection.run(
      "INSERT INTO layout (id, entity_table, hash, body) VALUES (?, ?, ?, ?)",
      [.integer(number), .text(table), .blob(layout.id.bytes), .blob(layout.body)]
    )
    add(layout, number, table)
    return number
  }

  /// The number after the last one; in a forged file the last one may be the largest possible.
  private var unusedNumber: Int64 {
    if lastNumber < StoredNumber.lastLayout { return lastNumber + 1 }
    return (1...).first { byNumber[$0] == nil } ?? lastNumber
  }

  private mutating func add(_ layout: Layout, _ number: Int64, _ table: String) {
    byNumber[number] = layout
    tableOfNumber[number] = table
    tables.insert(table)
    numbers[Key(table: table, hash: layout.id)] = number
    if !layout.isOfSealedRecords { next[table] = (number, layout) }
    lastNumber = max(lastNumber, number)
  }

  /// The layout that the next record of a table is written with; nil for a table without records.
  package func lastLayout(of table: String) -> Layout? { next[table]?.layout }

  /// The same of every table.
  package var lastOfTable: [String: Layout] { next.mapValues(\.layout) }

  /// The table whose records a layout was created for.
  package func table(of number: Int64) -> String? { tableOfNumber[number] }

  /// Adds a layout that came with a frame.
  package mutating func add(_ row: Row) throws(CorruptionError) {
    if let known = byNumber[row.number] {
      guard known == row.layout, tableOfNumber[row.number] == row.table else {
        throw CorruptionError("layout \(row.number) of a frame is not the one that is known")
      }
      return
    }
    add(row.layout, row.number, row.table)
  }

  /// Adds the row of another file of the store; throws if this file has another row in its place.
  package static func add(_ row: Row, to connection: Connection) throws {
    let hash = row.layout.id
    let known = try connection.first(
      "SELECT entity_table, hash FROM layout WHERE id = ?",
      [.integer(row.number)]
    ) { (try $0.text(0), try $0.blob(1)) }
    if let (table, stored) = known {
      guard table == row.table, stored == hash.bytes else {
        throw CorruptionError("the file has another layout in the place of layout \(row.number)")
      }
      return
    }
    try connection.run(
      "INSERT INTO layout (id, entity_table, hash, body) VALUES (?, ?, ?, ?)",
      [.integer(row.number), .text(row.table), .blob(hash.bytes), .blob(row.layout.body)]
    )
  }

  /// The layouts of a table by their numbers; O(layouts).
  package func numberedLayouts(of table: String) -> [Int64: Layout] {
    byNumber.filter { tableOfNumber[$0.key] == table }
  }

  /// The highest number of a layout; 0 if there is none.
  package var last: Int64 { lastNumber }

  /// The layouts of a table, the oldest first.
  package func layouts(of table: String) -> [Layout] {
    numbers.filter { $0.key.table == table }.map(\.value).inOrder().compactMap { byNumber[$0] }
  }

  /// The fields that records of a table have: those of the last layout, then others of earlier ones; O(layouts).
  package func fields(of table: String) -> [Layout.Field] {
    var names: Set<String> = []
    return layouts(of: table).reversed().filter { !$0.isOfSealedRecords }
      .flatMap { $0.fields.filter { names.insert($0.name).inserted } }
  }

  /// How many layouts there are.
  package var count: Int { byNumber.count }

  /// The hashes of these layouts; throws if the file lacks one.
  package func hashes(of numbers: Set<Int64>) throws(CorruptionError) -> [Int64: Checksum] {
    var hashes: [Int64: Checksum] = [:]
    for number in numbers { hashes[number] = try layout(number).id }
    return hashes
  }

  package func layout(_ number: Int64) throws(CorruptionError) -> Layout {
    guard let layout = byNumber[number] else {
      throw CorruptionError("a record names layout \(number), which is not in the file")
    }
    return layout
  }
}

/// What readers show in place of the values of some fields.
package struct RecordMask: Sendable {
  /// What a record is read for.
  package enum Use: Sendable {
    case showing
    /// Masked values are left out: a hit would say what they are.
    case searching
  }

  /// The tables whose records have masked fields.
  package let tables: Set<String>
  /// The value to use in place of that of a record.
  package let masked: @Sendable (RecordValue, _ table: String, Layout, Use) -> RecordValue

  package init(
    of tables: Set<String>,
    _ masked: @escaping @Sendable (RecordValue, _ table: String, Layout, Use) -> RecordValue
  ) {
    (self.tables, self.masked) = (tables, masked)
  }
}

extension LayoutCatalog {
  /// The value of a record of a table, as readers show it.
  package func value(
    _ layout: Int64,
    _ record: ArraySlice<UInt8>,
    of table: String,
    for use: RecordMask.Use = .showing
  ) throws -> RecordValue {
    let layout = try self.layout(layout)
    let value = try RecordValue(record: record, layout: layout)
    guard let mask, mask.tables.contains(table) else { return value }
    return mask.masked(value, table, layout, use)
  }

  /// The fields of a record of a table; a record without fields has one named `value`.
  package func members(
    _ layout: Int64,
    _ record: ArraySlice<UInt8>,
    of table: String,
    for use: RecordMask.Use = .showing
  ) throws -> [RecordValue.Member] {
    let stored = try value(layout, record, of: table, for: use)
    let value = StoredValues.value(in: stored, of: table) ?? stored
    guard case .object(let members) = value else { return [RecordValue.Member("value", value)] }
    return Array(members)
  }
}
