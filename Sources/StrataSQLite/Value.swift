/// A value of one of SQLite's five storage classes.
///
/// SQLite stores a `.real` that is not a number as NULL (`sqlite.org/floatingpoint.html`).
package enum Value: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// The storage class, without the value.
  package var storageClass: StorageClass {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }
}

extension Value {
  /// The storage classes, with the names of SQLite's `typeof()` in capitals.
  package enum StorageClass: String, Sendable {
    case null = "NULL"
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
    case blob = "BLOB"
  }

  /// A text, or NULL.
  package static func text(orNull string: String?) -> Value {
    string.map { .text($0) } ?? .null
  }

  /// A blob, or NULL.
  package static func blob(orNull bytes: [UInt8]?) -> Value {
    bytes.map { .blob($0) } ?? .null
  }

  /// An integer, or NULL.
  package static func integer(orNull number: Int64?) -> Value {
    number.map { .integer($0) } ?? .null
  }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral
{
  /// NULL.
  package init(nilLiteral: ()) { self = .null }
  /// An integer.
  package init(integerLiteral value: Int64) { self = .integer(value) }
  /// A real.
  package init(floatLiteral value: Double) { self = .real(value) }
  /// A text.
  package init(stringLiteral value: String) { self = .text(value) }
  /// A blob of the given bytes.
  package init(arrayLiteral elements: UInt8...) { self = .blob(elements) }
}
