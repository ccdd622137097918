import Foundation

/// Reads JSON (RFC 8259) as a ``RecordValue``, with the members of objects in their order; ``RecordValue/json(_:)``
/// writes it.
///
/// Integers are 64 bits wide; other numbers are doubles, or decimals if a double would change their digits. Where a kind
/// is expected, a number is read as that kind, from its digits.
package struct JSONReader {
  /// Why a text that looks like JSON is not read.
  package enum Problem: String, CustomStringConvertible {
    case outOfRange = "a number is out of range"
    case tooManyDigits = "a number has more digits than are stored, which are 38"
    case halfCharacter = "a text has half of a surrogate pair"

    package var description: String { rawValue }
  }

  private let bytes: [UInt8]
  private var offset = 0
  private var depth = 0
  /// Nil where the text is no JSON at all.
  package private(set) var problem: Problem?

  package init(_ text: String) { bytes = [] + text.utf8 }

  /// The value of a text; nil if it is not JSON, or has a ``Problem``.
  ///
  /// - Parameter kind: What numbers in it are read as.
  package static func value(_ text: String, as kind: Layout.Kind? = nil) -> RecordValue? {
    var reader = JSONReader(text)
    return reader.whole(as: kind)
  }

  /// The value of the whole text.
  package mutating func whole(as kind: Layout.Kind? = nil) -> RecordValue? {
    skipSpace()
    guard let value = value(kind) else { return nil }
    skipSpace()
    return byte == nil ? value : nil
  }

  /// The next byte; nil at the end.
  private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: scalar) else { return false }
    offset += 1
    return true
  }

  private mutating func value(_ kind: Layout.Kind?) -> RecordValue? {
    depth += 1
    defer { depth -= 1 }
    guard RecordLimits.allow(depth: depth + 1), let byte else { return nil }
    switch Unicode.Scalar(byte) {
    case "{": return object(kind)
    case "[": return array(kind)
    case "\"": return string().map { .string($0) }
    case "t": return word("true", .bool(true))
    case "f": return word("false", .bool(false))
    case "n": return word("null", .null)
    default: return number(kind)
    }
  }

  private mutating func word(_ word: String, _ value: RecordValue) -> RecordValue? {
    guard bytes[offset...].starts(with: word.utf8) else { return nil }
    offset += word.utf8.count
    return value
  }

  private mutating func object(_ kind: Layout.Kind?) -> RecordValue? {
    var members: [RecordValue.Member] = []
    var fields = KindsInOrder(kind)
    _ = take("{")
    skipSpace()
    if take("}") { return .object(.init(members)) }
    repeat {
      skipSpace()
      guard let name = string() else { return nil }
      skipSpace()
      guard take(":") else { return nil }
      skipSpace()
      guard let value = value(fields.kind(of: name)) else { return nil }
      members.append(.init(name, value))
      skipSpace()
    } while take(",")
    return take("}") ? .object(.init(members)) : nil
  }

  private mutating func array(_ kind: Layout.Kind?) -> RecordValue? {
    var elements: [RecordValue] = []
    var element: Layout.Kind?
    if case .array(of: let kind)? = kind { element = kind }
    _ = take("[")
    skipSpace()
    if take("]") { return .array(.init(elements)) }
    repeat {
      skipSpace()
      guard let value = value(element) else { return nil }
      elements.append(value)
      skipSpace()
    } while take(",")
    return take("]") ? .array(.init(elements)) : nil
  }

  private mutating func number(_ kind: Layout.Kind?) -> RecordValue? {
    let digits = bytes[offset...].prefix { "+-.eE0123456789".utf8.contains($0) }
    let text = String(decoding: digits, as: UTF8.self)
    guard let number = NumberText(text) else { return nil }
    offset += digits.count
    if case .scalar(let scalar)? = kind, [.float, .double, .decimal].contains(scalar) {
      let value = ScalarText.value(text, as: scalar)
      if value == nil { problem = scalar == .decimal ? .tooManyDigits : .outOfRange }
      return value
    }
    if let number = Int64(text) { return .int(number, .bits64) }
    if let number = UInt64(text) { return .uint(number, .bits64) }
    guard let double = ScalarText.double(text) else {
      problem = .outOfRange
      return nil
    }
    if double.description == text { return .double(double) }
    let decimal = number.decimal
    // What a decimal prints like this stays one.
    if let decimal, decimal.description == text || !number.isPrinted(of: double) {
      return .decimal(decimal)
    }
    if number.isPrinted(of: double) { return .double(double) }
    problem = double == 0 ? .outOfRange : .tooManyDigits
    return nil
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    var start = offset
    while let byte, byte >= 0x20 {
      offset += 1
      guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      text += bytes[start..<offset - 1]
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      guard let escaped = escaped() else { return nil }
      text += String(escaped).utf8
      start = offset
    }
    return nil
  }

  private mutating func escaped() -> Unicode.Scalar? {
    guard let byte else { return nil }
    offset += 1
    switch Unicode.Scalar(byte) {
    case "\"": return "\""
    case "\\": return "\\"
    case "/": return "/"
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      guard let unit = unit() else { return nil }
      if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
      guard UTF16.isLeadSurrogate(unit), take("\\"), take("u"), let trail = self.unit(),
        UTF16.isTrailSurrogate(trail)
      else {
        problem = .halfCharacter
        return nil
      }
      return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    default: return nil
    }
  }

  private mutating func unit() -> UInt16? {
    let digits = String(decoding: bytes[offset...].prefix(4), as: UTF8.self)
    guard digits.utf8.count == 4, digits.first != "+", digits.first != "-",
      let unit = UInt16(digits, radix: 16)
    else { return nil }
    offset += 4
    return unit
  }
}

/// The kinds of the fields of a record, each found in O(1) if they come in their order.
package struct KindsInOrder {
  private let fields: [Layout.Field]
  private var next = 0
  private lazy var all = Dictionary(fields.map { ($0.name, $0.kind) }) { first, _ in first }

  package init(_ kind: Layout.Kind?) {
    if case .record(let fields)? = kind { self.fields = fields } else { fields = [] }
  }

  package mutating func kind(of name: String) -> Layout.Kind? {
    if next < fields.count, fields[next].name == name {
      next += 1
      return fields[next - 1].kind
    }
    return fields.isEmpty ? nil : all[name]
  }
}
