import Foundation
import StrataJournal
package import StrataRecords
package import StrataSQLite

/// Stored values as values of SQL; the table of kinds stands above ``ColumnKind``.
///
/// Storing a value in a column of its declared type does not convert it. So a query has the same result over
/// records and over a table that they were copied into.
package enum ColumnValue {
  /// The value of a field in a column.
  package static func value(
    _ content: RecordFields.Content,
    in record: ArraySlice<UInt8>,
    of kind: ColumnKind
  ) -> Value {
    fitted(natural(content, in: record), to: kind.affinity)
  }

  /// Gives the value of a field in a column, without copying a text that is stored as such.
  package static func set(
    _ content: RecordFields.Content,
    in record: ArraySlice<UInt8>,
    of kind: ColumnKind,
    _ result: ColumnResult
  ) {
    switch (content, kind.affinity) {
    case (.null, _): break
    case (.int(let value), .integer), (.int(let value), .none): result.set(value)
    case (.text(let range), .text), (.text(let range), .none):
      record.withUnsafeBytes { bytes in
        let start = range.lowerBound - record.startIndex
        result.set(textBytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + range.count]))
      }
    case (.data(let range), _):
      record.withUnsafeBytes { bytes in
        let start = range.lowerBound - record.startIndex
        result.set(blobBytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + range.count]))
      }
    default: result.set(value(content, in: record, of: kind))
    }
  }

  /// The value of an ID in its column.
  package static func value(ofID id: ArraySlice<UInt8>, of kind: ColumnKind) throws(RecordError)
    -> Value
  {
    value(try EncodedID.value(of: Array(id)), of: kind)
  }

  /// A value in a column.
  package static func value(_ value: RecordValue, of kind: ColumnKind) -> Value {
    fitted(natural(value), to: kind.affinity)
  }

  private static func natural(
    _ content: RecordFields.Content,
    in record: ArraySlice<UInt8>
  ) -> Value {
    switch content {
    case .null: .null
    case .bool(let value): .integer(value ? 1 : 0)
    case .int(let value): .integer(value)
    case .uint(let value): natural(value)
    case .float(let value): natural(value)
    case .double(let value): natural(value)
    case .date(let seconds): .text(Timestamp.text(secondsSince2001: seconds))
    case .text(let range): .text(String(decoding: record[range], as: UTF8.self))
    case .data(let range): .blob(Array(record[range]))
    case .uuid(let value): .text(value.uuidString)
    case .decimal(let value): natural(value)
    case .nested(let value): .text(value.json())
    }
  }

  private static func natural(_ value: RecordValue) -> Value {
    switch value {
    case .null: .null
    case .bool(let value): .integer(value ? 1 : 0)
    case .int(let value, _): .integer(value)
    case .uint(let value, _): natural(value)
    case .float(let value): natural(value)
    case .double(let value): natural(value)
    case .date(let date):
      .text(Timestamp.text(secondsSince2001: date.timeIntervalSinceReferenceDate))
    case .string(let value): .text(value)
    case .data(let value): .blob(Array(value))
    case .uuid(let value): .text(value.uuidString)
    case .url(let value): .text(value.absoluteString)
    case .decimal(let value): natural(value)
    case .array, .object: .text(value.json())
    }
  }

  private static func natural(_ value: UInt64) -> Value {
    Int64(exactly: value).map { .integer($0) } ?? .text(String(value))
  }

  /// The number that a person would type for a float: 0.1, not 0.10000000149011612.
  private static func natural(_ value: Float) -> Value {
    value.isFinite ? natural(Double(value.description) ?? Double(value)) : natural(Double(value))
  }

  private static func natural(_ value: Double) -> Value {
    // SQLite has neither NaN nor, in a table, a zero with a sign.
    value.isNaN ? .null : .real(value == 0 ? 0 : value)
  }

  private static func natural(_ value: Decimal) -> Value {
    if value.isNaN { return .null }
    let text = value.description
    if let integer = Int64(text) { return .integer(integer) }
    return Double(text).map(natural) ?? .null
  }

  private static func fitted(_ value: Value, to affinity: ColumnKind.Affinity) -> Value {
    switch (value, affinity) {
    case (.text(let text), .integer), (.text(let text), .real):
      // In quotes, a text does not read as a number.
      return .text(RecordValue.string(text).json())
    case (.integer(let number), .text): return .text(String(number))
    case (.real(let number), .text): return .text(RecordValue.double(number).json())
    case (.integer(let number), .real): return .real(Double(number))
    case (.real(let number), .integer):
      // As in SQLite: reals that are integers, except at the ends of the range.
      guard let integer = Int64(exactly: number), integer > .min, integer < .max else {
        return value
      }
      return .integer(integer)
    default: return value
    }
  }
}

extension RecordValue {
  /// A value of SQL as it is before its kind is known.
  package init(_ value: Value) {
    self =
      switch value {
      case .null: .null
      case .integer(let number): .int(number, .bits64)
      case .real(let number): .double(number)
      case .text(let text): .string(text)
      case .blob(let bytes): .data(Data(bytes))
      }
  }

  /// Whether a value of SQL, read as this kind, is this value; of a value with parts SQL has all digits.
  package func isExact(in shown: Value) -> Bool {
    guard let scalar else { return true }
    return scalar.stored(RecordValue(shown)) == self
  }
}

extension Value {
  /// The value as JSON; bytes as base64 in a string.
  package var json: String {
    switch self {
    case .null: "null"
    case .integer(let number): String(number)
    case .real(let number): RecordValue.double(number).json()
    case .text(let text): RecordValue.string(text).json()
    case .blob(let bytes): RecordValue.data(Data(bytes)).json()
    }
  }
}

extension RecordValue {
  /// Whether it has parts: a column shows it as JSON.
  package var isNested: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }
}
