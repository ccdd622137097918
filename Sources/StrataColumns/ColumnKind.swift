import StrataJournal
package import StrataRecords
package import StrataSQLite

/// What a column of an entity table holds in SQL: the table of kinds and declared types.
///
/// | kind of the field | declared type | value in SQL |
/// | --- | --- | --- |
/// | bool | `BOOLEAN` | 0 or 1 |
/// | int of 8, 16, 32, 64 bits | `INT8`, `INT16`, `INT32`, `INTEGER` | integer |
/// | uint of 8, 16, 32 bits | `UINT8`, `UINT16`, `UINT32` | integer |
/// | uint of 64 bits | `U64 BLOB` | integer; above `Int64.max` its digits as a text |
/// | float, double | `FLOAT`, `DOUBLE` | real; NaN is NULL |
/// | string, URL | `TEXT`, `URL TEXT` | text |
/// | data | `BLOB` | blob |
/// | date | `TIMESTAMP TEXT` | `2026-02-03 04:05:06.789Z`, in UTC, to the millisecond; compared as a time, however it is written |
/// | UUID | `UUID TEXT` | text in capitals; compared without case |
/// | decimal | `DECIMAL` | integer, or the nearest real; NaN is NULL |
/// | array, record | `JSON TEXT` | JSON |
/// | several, or any | `ANY BLOB` | each as above |
///
/// The word behind the kind gives the column the affinity that its values need, so that SQLite compares them
/// as they are. A value of another kind than its column's, which a record may have beside its layout, is a
/// number where the column holds numbers and JSON elsewhere.
package enum ColumnKind: String, CaseIterable, Sendable {
  case boolean = "BOOLEAN"
  case int8 = "INT8"
  case int16 = "INT16"
  case int32 = "INT32"
  case int64 = "INTEGER"
  case uint8 = "UINT8"
  case uint16 = "UINT16"
  case uint32 = "UINT32"
  case uint64 = "UINT64"
  case float = "FLOAT"
  case double = "DOUBLE"
  case string = "TEXT"
  case data = "BLOB"
  case date = "TIMESTAMP"
  case uuid = "UUID"
  case url = "URL"
  case decimal = "DECIMAL"
  case json = "JSON"
  case any = "ANY"

  /// The type, and collation, to declare a column with in a private database: see ``addCollations(to:)``.
  package var declaration: String {
    self == .date ? "\(declarationInFiles) COLLATE TIMESTAMP" : declarationInFiles
  }

  /// The same for a file that other programs read.
  ///
  /// Times compare there if they are written in the usual form.
  package var declarationInFiles: String {
    switch self {
    // `UINT64` has SQLite's integer affinity, which rounds digits above `Int64.max`.
    case .uint64: "U64 BLOB"
    case .date, .url, .json: "\(rawValue) TEXT"
    case .uuid: "UUID TEXT COLLATE NOCASE"
    case .any: "ANY BLOB"
    default: rawValue
    }
  }

  /// The kind of a column by its declared type; nil for a type that stands for none.
  ///
  /// Case, a word behind the kind and a length in parentheses do not matter. The usual names of other
  /// databases are known too.
  package init?(declaration: String) {
    let word = declaration.uppercased().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    if let kind = ColumnKind(rawValue: String(word)) {
      self = kind
    } else if let kind = Self.synonyms[String(word)] {
      self = kind
    } else {
      return nil
    }
  }

  private static let synonyms: [String: ColumnKind] = [
    "": .any, "BOOL": .boolean, "INT": .int64, "INT64": .int64, "BIGINT": .int64,
    "SMALLINT": .int16, "TINYINT": .int8, "U64": .uint64, "REAL": .double, "STRING": .string,
    "VARCHAR": .string, "CHAR": .string, "CLOB": .string, "DATETIME": .date, "DATE": .date,
    "NUM": .decimal, "NUMERIC": .decimal, "DATA": .data, "JSONB": .json,
  ]

  /// How SQLite converts the values of a column (`sqlite.org/datatype3.html#type_affinity`).
  package enum Affinity {
    case none, text, integer, real
  }

  /// The affinity of the declared type; numeric and integer affinity differ in casts only.
  package var affinity: Affinity {
    switch self {
    case .data, .any, .uint64: .none
    case .string, .date, .uuid, .url, .json: .text
    case .float, .double: .real
    default: .integer
    }
  }

  /// Whether an ID of this kind is the number of its row, `INTEGER PRIMARY KEY`, in a table that scripts change.
  package var isRowNumber: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: true
    default: false
    }
  }

  /// The collation of comparisons.
  package var collation: String {
    switch self {
    case .uuid: "NOCASE"
    case .date: "TIMESTAMP"
    default: "BINARY"
    }
  }

  /// The collation of texts that are an identity: it compares their composed forms.
  package static let composed = "COMPOSED"

  /// Adds the collations of declared columns to a private database.
  package static func addCollations(to connection: Connection) throws(SQLiteError) {
    try connection.addCollation("TIMESTAMP", Timestamp.order)
    try connection.addCollation(composed) { $0.compared(to: $1, .composed) }
  }
}

extension ColumnKind {
  /// The kind for values of a field; nil if none was seen.
  package init?(_ kind: Layout.Kind) {
    switch kind {
    case .unknown: return nil
    case .tagged: self = .any
    case .array, .record: self = .json
    case .scalar(let scalar): self.init(scalar)
    }
  }

  private init(_ scalar: Scalar) { self = Self.ofScalars[scalar] ?? .any }

  private static let ofScalars = Dictionary(
    allCases.compactMap { kind in kind.scalar.map { ($0, kind) } }
  ) { first, _ in first }

  /// The kind of a column whose values are of both kinds.
  package func union(_ other: ColumnKind) -> ColumnKind {
    if self == other { return self }
    let kinds: Set<ColumnKind> = [self, other]
    for group in [Self.signed, Self.unsigned, [.float, .double], [.url, .string]] {
      if kinds.isSubset(of: group) { return group.last(where: kinds.contains) ?? self }
    }
    let small = Self.unsigned.dropLast() + Self.signed
    return kinds.isSubset(of: small) ? .int64 : .any
  }

  private static let signed: [ColumnKind] = [.int8, .int16, .int32, .int64]
  private static let unsigned: [ColumnKind] = [.uint8, .uint16, .uint32, .uint64]
}

extension ColumnKind {
  /// The kind of a value in a record; nil for JSON and any.
  package var scalar: Scalar? {
    switch self {
    case .boolean: .bool
    case .int8: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .uint8: .uint8
    case .uint16: .uint16
    case .uint32: .uint32
    case .uint64: .uint64
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .url: .url
    case .decimal: .decimal
    case .json, .any: nil
    }
  }
}
