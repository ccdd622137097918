internal import Foundation

/// The text of a value that has no parts: one form for each kind, which CSV, JSON and scripts write and read.
///
/// | kind | text |
/// | --- | --- |
/// | bool | `true`, `false` |
/// | integers | digits: `-7` |
/// | float, double | the shortest number that reads back the same: `0.1`, `-0.0`, `1e+20`; `NaN`, `Infinity`, `-Infinity` |
/// | a NaN of other bits | `NaN(0x7ff8000000000001)` |
/// | decimal | all digits: `1234.5`; `NaN` |
/// | string, URL | itself |
/// | data | base64 |
/// | date | ISO 8601 in UTC, to the last digit: `2026-02-03T04:05:06.789Z` |
/// | UUID | capitals |
///
/// Numbers are those of RFC 8259, and JSON has them and truth values without quotes, all others in quotes. The text
/// of a value, read as its kind, is that value bit for bit.
package enum ScalarText {
  /// The text of a value; nil for null and a value with parts.
  package static func text(of value: RecordValue) -> String? {
    switch value {
    case .null, .array, .object: nil
    case .bool(let value): value ? "true" : "false"
    case .int(let value, _): String(value)
    case .uint(let value, _): String(value)
    case .float(let value): text(of: value)
    case .double(let value): text(of: value)
    case .string(let value): value
    case .data(let value): value.base64EncodedString()
    case .date(let value): value.iso8601Text
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    case .decimal(let value): value.isNaN ? "NaN" : value.description
    }
  }

  /// The text of a double.
  package static func text(of value: Double) -> String {
    if value.isNaN, value.bitPattern != Double.nan.bitPattern { return nan(value.bitPattern) }
    return value.isFinite ? value.description : notFinite(value)
  }

  private static func text(of value: Float) -> String {
    if value.isNaN, value.bitPattern != Float.nan.bitPattern { return nan(value.bitPattern) }
    return value.isFinite ? value.description : notFinite(Double(value))
  }

  private static func notFinite(_ value: Double) -> String {
    value.isNaN ? "NaN" : value > 0 ? "Infinity" : "-Infinity"
  }

  private static func nan(_ bits: some FixedWidthInteger) -> String {
    "NaN(0x\(String(bits, radix: 16)))"
  }

  /// Whether JSON has the value without quotes.
  package static func isBare(_ value: RecordValue) -> Bool {
    switch value {
    case .bool, .int, .uint: true
    case .float(let value): value.isFinite
    case .double(let value): value.isFinite
    case .decimal(let value): !value.isNaN
    default: false
    }
  }
}

extension ScalarText {
  /// A text as a value of a kind; nil if it is none.
  ///
  /// `1`, `0` and capitals are read as truth values too, a UUID in any case, and a time as
  /// ``Foundation/Date/init(timeText:)`` reads it.
  package static func value(_ text: String, as scalar: Scalar) -> RecordValue? {
    switch scalar {
    case .bool:
      switch text.lowercased() {
      case "true", "1": .bool(true)
      case "false", "0": .bool(false)
      default: nil
      }
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
      integer(text).flatMap { scalar.stored($0) }
    case .float: float(text).map { .float($0) }
    case .double: double(text).map { .double($0) }
    case .string: .string(text)
    case .data: Data(base64Encoded: text).map { .data($0) }
    case .date: Date(timeText: text).map { .date($0) }
    case .uuid: UUID(uuidString: text).map { .uuid($0) }
    case .url: URL(string: text).map { .url($0) }
    case .decimal: text == "NaN" ? .decimal(.nan) : NumberText(text)?.decimal.map { .decimal($0) }
    }
  }

  private static func integer(_ text: String) -> RecordValue? {
    let number = NumberText(text)
    return number?.integer(Int64.self).map { .int($0, .bits64) }
      ?? number?.integer(UInt64.self).map { .uint($0, .bits64) }
  }

  /// The nearest double; nil for a number that is larger than any.
  package static func double(_ text: some StringProtocol) -> Double? {
    switch text {
    case "NaN": return .nan
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    case _ where text.hasPrefix("NaN("):
      guard let bits = nanBits(text, UInt64.self) else { return nil }
      let value = Double(bitPattern: bits)
      return value.isNaN ? value : nil
    default:
      guard NumberText(text) != nil, let value = Double(text), value.isFinite else { return nil }
      return value
    }
  }

  private static func float(_ text: String) -> Float? {
    if text.hasPrefix("NaN(") {
      guard let bits = nanBits(text, UInt32.self) else { return nil }
      let value = Float(bitPattern: bits)
      return value.isNaN ? value : nil
    }
    guard let double = double(text) else { return nil }
    if !double.isFinite { return Float(double) }
    guard let value = Float(text), value.isFinite else { return nil }
    return value
  }

  private static func nanBits<Bits: FixedWidthInteger>(
    _ text: some StringProtocol,
    _: Bits.Type
  ) -> Bits? {
    guard text.hasPrefix("NaN(0x"), text.hasSuffix(")") else { return nil }
    let digits = text.dropFirst("NaN(0x".count).dropLast()
    return digits.allSatisfy(\.isHexDigit) ? Bits(digits, radix: 16) : nil
  }
}

extension Scalar {
  /// A value of SQL or JSON as one of this kind; nil if it does not fit.
  ///
  /// Numbers convert if the conversion is exact; those with a fraction become the nearest float or double. Kinds that
  /// JSON has no form of its own for are read from their text.
  package func stored(_ value: RecordValue) -> RecordValue? {
    if value.scalar == self { return value }
    switch (self, value) {
    case (.bool, .int(let number, _)): return number == 0 || number == 1 ? .bool(number == 1) : nil
    case (.int8, _): return Self.integer(value, Int8.self).map { .int(Int64($0), .bits8) }
    case (.int16, _): return Self.integer(value, Int16.self).map { .int(Int64($0), .bits16) }
    case (.int32, _): return Self.integer(value, Int32.self).map { .int(Int64($0), .bits32) }
    case (.int64, _): return Self.integer(value, Int64.self).map { .int($0, .bits64) }
    case (.uint8, _): return Self.integer(value, UInt8.self).map { .uint(UInt64($0), .bits8) }
    case (.uint16, _): return Self.integer(value, UInt16.self).map { .uint(UInt64($0), .bits16) }
    case (.uint32, _): return Self.integer(value, UInt32.self).map { .uint(UInt64($0), .bits32) }
    // SQL has integers above `Int64.max` as texts.
    case (.uint64, .string(let digits)): return ScalarText.value(digits, as: self)
    case (.uint64, _): return Self.integer(value, UInt64.self).map { .uint($0, .bits64) }
    // NaN and the infinities are texts; numbers in quotes are none.
    case (.float, .string(let text)), (.double, .string(let text)):
      return NumberText(text) == nil ? ScalarText.value(text, as: self) : nil
    case (.float, .int(let number, _)): return Float(exactly: number).map { .float($0) }
    case (.float, .uint(let number, _)): return Float(exactly: number).map { .float($0) }
    case (.float, _): return Self.float(value).map { .float($0) }
    case (.double, _): return Self.double(value).map { .double($0) }
    case (.uuid, .data(let bytes)) where bytes.count == 16:
      return .uuid(Array(bytes).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case (.decimal, .int(let number, _)): return .decimal(Decimal(number))
    case (.decimal, .uint(let number, _)): return .decimal(Decimal(number))
    case (.decimal, .double(let number)):
      return NumberText(number.description)?.decimal.map { .decimal($0) }
    case (.data, .string(let text)), (.date, .string(let text)), (.uuid, .string(let text)),
      (.url, .string(let text)), (.decimal, .string(let text)):
      return ScalarText.value(text, as: self)
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
    case .decimal(let number): Double(number.description)
    default: nil
    }
  }
}
