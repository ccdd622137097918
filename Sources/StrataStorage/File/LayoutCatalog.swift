import StrataBase
package import StrataRecords
import StrataSQLite

/// The layouts of a file: by the number under which parts name them, and by table and hash.
package struct LayoutCatalog {
  private struct Key: Hashable {
    let table: String
    let hash: Checksum
  }

  private var byNumber: [Int64: Layout] = [:]
  private var numbers: [Key: Int64] = [:]
  private var lastNumber: Int64 = 0
  /// The layout of each table that its next record is written against, before it is sealed.
  private(set) var lastOfTable: [String: Layout] = [:]

  /// Reads every layout of the file; throws where one is not what its hash says.
  init(reading connection: Connection) throws {
    let sql = "SELECT id, entity_table, hash, body FROM layout ORDER BY id"
    let rows = try connection.all(sql, []) { row in
      (try row.int(0), try row.text(1), try row.blob(2), try row.blob(3))
    }
    for (number, table, hash, body) in rows {
      guard Checksum(of: body).bytes == hash else {
        throw CorruptionError("layout \(number) is not what its hash says")
      }
      do {
        add(try Layout(body: body), number, table)
      } catch {
        throw CorruptionError("layout \(number) is what its hash says, but no layout: \(error)")
      }
    }
  }

  /// Reads those layouts that are what their hashes say, up to where the file can be read.
  ///
  /// - Throws: only where the disk refuses.
  init(salvaging connection: Connection) throws {
    let sql = "SELECT id, entity_table, hash, body FROM layout ORDER BY id"
    try CorruptionError.tolerate {
      try connection.forEach(sql) { row in
        let (number, table) = (try row.int(0), try row.text(1))
        let body = try row.blob(3)
        guard Checksum(of: body).bytes == (try row.blob(2)) else { return .continue }
        // One that is no layout is as good as none: what needs it is found to.
        do { add(try Layout(body: body), number, table) } catch _ {}
        return .continue
      }
    }
  }

  /// The tables that have a layout.
  private(set) var tables: Set<String> = []

  /// The numbers of all layouts.
  var allNumbers: [Int64] { byNumber.keys.sorted() }

  /// The number of a table's layout; a new one is written, inside the caller's transaction.
  mutating func number(
    of layout: Layout,
    table: String,
    in connection: Connection
  ) throws(SQLiteError) -> Int64 {
    if let number = numbers[Key(table: table, hash: layout.id)] { return number }
    let number = lastNumber + 1
    try connection.run(
      "INSERT INTO layout (id, entity_table, hash, body) VALUES (?, ?, ?, ?)",
      [.integer(number), .text(table), .blob(layout.id.bytes), .blob(layout.body)]
    )
    add(layout, number, table)
    return number
  }

  private mutating func add(_ layout: Layout, _ number: Int64, _ table: String) {
    byNumber[number] = layout
    tables.insert(table)
    numbers[Key(table: table, hash: layout.id)] = number
    if !layout.isOfSealedRecords { lastOfTable[table] = layout }
    lastNumber = max(lastNumber, number)
  }

  /// How many layouts there are.
  var count: Int { byNumber.count }

  /// The hashes of these layouts; throws where the file has no such layout.
  func hashes(of numbers: Set<Int64>) throws(CorruptionError) -> [Int64: Checksum] {
    var hashes: [Int64: Checksum] = [:]
    for number in numbers { hashes[number] = try layout(number).id }
    return hashes
  }

  package func layout(_ number: Int64) throws(CorruptionError) -> Layout {
    guard let layout = byNumber[number] else {
      throw CorruptionError("a record names layout \(number), which the file does not have")
    }
    return layout
  }
}
