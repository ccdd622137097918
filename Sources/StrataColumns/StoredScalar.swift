import Foundation
import StrataJournal
package import StrataRecords

extension Scalar {
  /// A value of SQL or JSON as one of this kind; nil if it does not fit.
  ///
  /// Numbers convert if the conversion is exact. A date, a UUID and a URL are read from their text, data from
  /// base64, and a decimal number from its digits.
  package func stored(_ value: RecordValue) -> RecordValue? {
    switch (self, value) {
    case (.bool, .bool): return value
    case (.bool, .int(let number, _)): return number == 0 || number == 1 ? .bool(number == 1) : nil
    case (.int8, _): return Self.integer(value, Int8.self).map { .int(Int64($0), .bits8) }
    case (.int16, _): return Self.integer(value, Int16.self).map { .int(Int64($0), .bits16) }
    case (.int32, _): return Self.integer(value, Int32.self).map { .int(Int64($0), .bits32) }
    case (.int64, _): return Self.integer(value, Int64.self).map { .int($0, .bits64) }
    case (.uint8, _): return Self.integer(value, UInt8.self).map { .uint(UInt64($0), .bits8) }
    case (.uint16, _): return Self.integer(value, UInt16.self).map { .uint(UInt64($0), .bits16) }
    case (.uint32, _): return Self.integer(value, UInt32.self).map { .uint(UInt64($0), .bits32) }
    case (.uint64, .string(let digits)): return UInt64(digits).map { .uint($0, .bits64) }
    case (.uint64, _): return Self.integer(value, UInt64.self).map { .uint($0, .bits64) }
    case (.float, .int(let number, _)): return Float(exactly: number).map { .float($0) }
    case (.float, .uint(let number, _)): return Float(exactly: number).map { .float($0) }
    case (.float, _): return Self.float(value).map { .float($0) }
    case (.double, _): return Self.double(value).map { .double($0) }
    case (.string, .string): return value
    case (.data, .data): return value
    case (.data, .string(let text)): return Data(base64Encoded: text).map { .data($0) }
    case (.date, .string(let text)): return Timestamp.date(text).map { .date($0) }
    case (.uuid, .string(let text)): return UUID(uuidString: text).map { .uuid($0) }
    case (.uuid, .data(let bytes)) where bytes.count == 16:
      return .uuid(Array(bytes).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case (.url, .string(let text)): return URL(string: text).map { .url($0) }
    case (.decimal, .int(let number, _)): return .decimal(Decimal(number))
    case (.decimal, .uint(let number, _)): return .decimal(Decimal(number))
    case (.decimal, .double(let number)):
      return number.isFinite ? Decimal(string: number.description).map { .decimal($0) } : nil
    case (.decimal, .decimal): return value
    case (.decimal, .string(let text)):
      // Foundation reads the digits at the front and drops the rest.
      guard let number = Decimal(string: text), !text.isEmpty,
        text.utf8.allSatisfy({ (48...57).contains($0) || [43, 45, 46].contains($0) })
      else { return nil }
      return .decimal(number)
    default: return nil
    }
  }

  private static func integer<Integer: FixedWidthInteger>(
    _ value: RecordValue,
    _: Integer.Type
  ) -> Integer? {
    switch value {
    case .int(let number, _): Integer(exactly: number)
    case .uint(let number, _): Integer(exactly: number)
    // Beyond 2^53 a real is rounded, so that it is not known which integer was meant.
    case .double(let number): number.magnitude <= 0x1p53 ? Integer(exactly: number) : nil
    default: nil
    }
  }

  /// The nearest float; nil for a number that is larger than any.
  private static func float(_ value: RecordValue) -> Float? {
    guard let number = double(value) else { return nil }
    let nearest = Float(number)
    return number.isFinite && !nearest.isFinite ? nil : nearest
  }

  private static func double(_ value: RecordValue) -> Double? {
    switch value {
    case .int(let number, _): Double(exactly: number)
    case .uint(let number, _): Double(exactly: number)
    case .double(let number): number
    case .string("NaN"): .nan
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    default: nil
    }
  }
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
