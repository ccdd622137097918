import Foundation
import StrataColumns
import StrataInspection
import StrataJournal
import StrataRecords
import StrataSQL
import StrataSQLite

/// The tables of plain SQLite with their rows, as a script has left them.
struct PlainContents: Sendable {
  struct Column: Sendable, Equatable {
    let name: String
    /// The declared type.
    let type: String
    let isKey: Bool
  }

  struct Table: Sendable, Equatable {
    let name: String
    var columns: [Column]
    var rows: [[Value]]

    /// The column of the ID: `id`, or the key of a table whose column `id` has another name.
    var id: Int? {
      columns.firstIndex { $0.name.lowercased() == "id" } ?? columns.firstIndex(where: \.isKey)
    }

    /// Whether it has a column `id`, as an entity table must.
    var hasID: Bool { columns.contains { $0.name.lowercased() == "id" } }

    /// The rows by the keys of their IDs.
    var byID: [IDKey: [[Value]]] {
      guard let id else { return [:] }
      return Dictionary(grouping: rows) { IDKey($0[id]) }
    }
  }

  var tables: [Table] = []

  subscript(name: String) -> Table? { tables.first { $0.name == name } }
}

/// The entity tables of a store with their records.
struct StoredContents {
  struct Table: Equatable {
    let name: String
    /// The names of the columns of a query, the ID first.
    var columns: [String] = []
    var records: [IDKey: RecordValue] = [:]
    /// The layouts and bytes of the records.
    var bytes: [IDKey: StoredBytes] = [:]

    /// Whether the stored bytes are equal: values may be NaN.
    static func == (a: Table, b: Table) -> Bool {
      a.name == b.name && a.columns == b.columns && a.bytes == b.bytes
    }
  }

  struct StoredBytes: Equatable {
    let layout: Int64
    let record: [UInt8]
  }

  var tables: [String: Table] = [:]

  init(of path: String) throws {
    try StoreExport(path: path, at: .head(back: 0)).forEachTable { name, result in
      tables[name] = Table(name: name, columns: result.columns)
    }
    try Inspector(path: path).query { view in
      let state = try view.state(at: view.last.revision)
      for name in Array(tables.keys) {
        var scan = state.scan(name)
        while let entity = try scan.next() {
          let id = IDKey(try EncodedID.value(of: Array(entity.id)))
          let layout = try view.catalog.layout(entity.layout)
          tables[name]?.records[id] = try RecordValue(record: entity.record, layout: layout)
          tables[name]?.bytes[id] = StoredBytes(
            layout: entity.layout,
            record: Array(entity.record)
          )
        }
      }
    }
  }
}

/// An ID as both sides compare it: UUIDs without case, texts in their composed form, numbers by their value.
struct IDKey: Hashable, Sendable, CustomStringConvertible {
  let description: String

  init(_ value: Value) {
    switch value {
    case .null: description = "NULL"
    case .integer(let number): description = "\(number)"
    case .real(let number): description = "real \(number)"
    case .text(let text): description = Self.text(text)
    case .blob(let bytes): description = "blob \(bytes)"
    }
  }

  init(_ value: RecordValue) {
    switch value {
    case .int(let number, _): description = "\(number)"
    case .uint(let number, _):
      description = Int64(exactly: number).map { "\($0)" } ?? Self.text("\(number)")
    case .uuid(let value): description = Self.text(value.uuidString)
    case .string(let text): description = Self.text(text)
    default: description = "other \(value.json())"
    }
  }

  private static func text(_ text: String) -> String {
    UUID(uuidString: text)?.uuidString ?? "'\(text.precomposedStringWithCanonicalMapping)'"
  }

  /// Whether an entity can have it.
  var isStorable: Bool {
    description != "NULL" && !description.hasPrefix("real ") && !description.hasPrefix("blob ")
  }
}

/// How a cell of plain SQLite is stored in a record.
enum StoredCell {
  /// Types that say how SQLite stores a value, and not which kind it is: also those of CREATE TABLE … AS.
  private static let unspecific: Set<String> = ["", "INT", "NUM", "REAL", "TEXT", "BLOB"]

  /// Whether the kind of a column of a declared type is known.
  static func isSpecific(_ type: String) -> Bool { !unspecific.contains(type.uppercased()) }

  /// Whether a type stands for no kind.
  static func kindIsUnknown(_ type: String) -> Bool { ColumnKind(declaration: type) == nil }

  /// Whether a record can hold a value of a column; the column's kind decides.
  static func fits(_ value: Value, _ type: String) -> Bool {
    guard value != .null, let kind = ColumnKind(declaration: type) else { return true }
    if let scalar = kind.scalar { return scalar.stored(natural(value)) != nil }
    guard kind == .json, case .text(let text) = value else { return kind != .json }
    return (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed]))
      != nil
  }

  /// Whether a stored value is that of a cell.
  static func isEqual(_ stored: RecordValue?, _ value: Value, _ type: String) -> Bool {
    guard let stored, stored != .null, !isNaN(stored) else { return value == .null }
    guard value != .null, let kind = ColumnKind(declaration: type) else { return false }
    if kind == .string, isMoved(stored, value) { return true }
    if kind == .json, let text = shown(value) { return json(stored.json()) == json(text) }
    if let scalar = kind.scalar, isSpecific(type) {
      guard let expected = scalar.stored(natural(value)), sameKind(expected, stored) else {
        return false
      }
      // A date that is read from its text is not the one that was shown so, up to a millisecond.
      return shown(expected) == shown(stored) || ColumnValue.value(stored, of: kind) == value
    }
    switch stored {
    case .array, .object: return json(stored.json()) == shown(value).flatMap(json)
    case .date where shown(stored) == value: return true
    default:
      let converted = stored.scalar?.stored(natural(value))
      return converted.map { shown($0) == shown(stored) } ?? false
    }
  }

  /// Whether a text is that of a value which SQL shows in another way, a time to the millisecond or zero without its sign:
  /// one that a script moves is as it was.
  private static func isMoved(_ stored: RecordValue, _ value: Value) -> Bool {
    guard case .string(let text) = stored else { return false }
    if text == "-0.0" { return shown(value) == "0.0" }
    guard let time = Date(timeText: text),
      let shown = shown(value).flatMap({ Date(timeText: $0) })
    else { return false }
    return abs(time.timeIntervalSince(shown)) < 0.001
  }

  private static func json(_ text: String) -> String? {
    guard
      let object = try? JSONSerialization.jsonObject(
        with: Data(text.utf8),
        options: [.fragmentsAllowed]
      ),
      let data = try? JSONSerialization.data(
        withJSONObject: object,
        options: [.sortedKeys, .fragmentsAllowed]
      )
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  private static func shown(_ value: Value) -> String? {
    guard case .text(let text) = value else { return nil }
    return text
  }

  /// A value as queries show it.
  private static func shown(_ value: RecordValue) -> Value { ColumnValue.value(value, of: .any) }

  private static func isNaN(_ value: RecordValue) -> Bool {
    switch value {
    case .float(let number): number.isNaN
    case .double(let number): number.isNaN
    case .decimal(let number): number.isNaN
    default: false
    }
  }

  /// Whether two values are of one kind, or numbers that differ in their width: a table that was made of another one has
  /// the width of its column, which SQLite does not keep.
  private static func sameKind(_ a: RecordValue, _ b: RecordValue) -> Bool {
    switch (a, b) {
    case (.int, .int), (.int, .uint), (.uint, .int), (.uint, .uint): true
    case (.float, .double), (.double, .float): true
    case (.decimal, .bool), (.decimal, .int), (.decimal, .uint): true
    default: a.scalar == b.scalar
    }
  }

  /// Whether a value may be an ID of a table of the sample: a UUID, or a number without a sign.
  static func mayBeID(_ value: Value, _ type: String) -> Bool {
    switch value {
    case .integer(let number): (0...Int64(UInt32.max)).contains(number)
    default: fits(value, type)
    }
  }

  private static func natural(_ value: Value) -> RecordValue {
    switch value {
    case .null: .null
    case .integer(let number): .int(number, .bits64)
    case .real(let number): .double(number)
    case .text(let text): .string(text)
    case .blob(let bytes): .data(Data(bytes))
    }
  }
}
