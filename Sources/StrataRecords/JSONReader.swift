import Foundation

/// Reads JSON as a ``RecordValue``, with the members of objects in their order; ``RecordValue/json(_:)`` writes it.
///
/// Integers are 64 bits wide; other numbers are doubles, or decimals if a double would change their digits.
package struct JSONReader {
  private var rest: Substring.UnicodeScalarView
  private var depth = 0
  /// Whether a number was read that is too large for a double.
  package private(set) var hasNumberOutOfRange = false

  package init(_ text: String) { rest = Substring(text).unicodeScalars }

  /// The value of a text; nil if it is not JSON, or has a number that is out of range.
  package static func value(_ text: String) -> RecordValue? {
    var reader = JSONReader(text)
    return reader.whole()
  }

  /// The value of the whole text.
  package mutating func whole() -> RecordValue? {
    skipSpace()
    guard let value = value() else { return nil }
    skipSpace()
    return rest.isEmpty ? value : nil
  }

  private mutating func skipSpace() {
    while let first = rest.first, " \t\n\r".unicodeScalars.contains(first) { rest.removeFirst() }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func value() -> RecordValue? {
    depth += 1
    defer { depth -= 1 }
    guard RecordLimits.allow(depth: depth + 1), let first = rest.first else { return nil }
    switch first {
    case "{": return object()
    case "[": return array()
    case "\"": return string().map { .string($0) }
    case "t": return word("true", .bool(true))
    case "f": return word("false", .bool(false))
    case "n": return word("null", .null)
    default: return number()
    }
  }

  private mutating func word(_ word: String, _ value: RecordValue) -> RecordValue? {
    guard rest.starts(with: word.unicodeScalars) else { return nil }
    rest.removeFirst(word.unicodeScalars.count)
    return value
  }

  private mutating func object() -> RecordValue? {
    var members: [RecordValue.Member] = []
    _ = take("{")
    skipSpace()
    if take("}") { return .object(.init(members)) }
    repeat {
      skipSpace()
      guard let name = string() else { return nil }
      skipSpace()
      guard take(":") else { return nil }
      skipSpace()
      guard let value = value() else { return nil }
      members.append(.init(name, value))
      skipSpace()
    } while take(",")
    return take("}") ? .object(.init(members)) : nil
  }

  private mutating func array() -> RecordValue? {
    var elements: [RecordValue] = []
    _ = take("[")
    skipSpace()
    if take("]") { return .array(.init(elements)) }
    repeat {
      skipSpace()
      guard let value = value() else { return nil }
      elements.append(value)
      skipSpace()
    } while take(",")
    return take("]") ? .array(.init(elements)) : nil
  }

  private mutating func number() -> RecordValue? {
    let digits = rest.prefix { "+-.eE0123456789".unicodeScalars.contains($0) }
    let text = String(String.UnicodeScalarView(digits))
    guard let double = Double(text) else { return nil }
    guard double.isFinite else {
      hasNumberOutOfRange = true
      return nil
    }
    rest.removeFirst(digits.count)
    if let number = Int64(text) { return .int(number, .bits64) }
    if let number = UInt64(text) { return .uint(number, .bits64) }
    if double.description != text, let decimal = Decimal(string: text), decimal.description == text
    {
      return .decimal(decimal)
    }
    return .double(double)
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return String(text)
      case "\\":
        guard let escaped = escaped() else { return nil }
        text.append(escaped)
      case "\u{0}"..."\u{1F}": return nil
      default: text.append(scalar)
      }
    }
    return nil
  }

  private mutating func escaped() -> Unicode.Scalar? {
    switch rest.popFirst() {
    case "\""?: return "\""
    case "\\"?: return "\\"
    case "/"?: return "/"
    case "b"?: return "\u{8}"
    case "f"?: return "\u{C}"
    case "n"?: return "\n"
    case "r"?: return "\r"
    case "t"?: return "\t"
    case "u"?:
      guard let unit = unit() else { return nil }
      if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
      guard UTF16.isLeadSurrogate(unit), take("\\"), take("u"), let trail = self.unit(),
        UTF16.isTrailSurrogate(trail)
      else { return nil }
      return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    default: return nil
    }
  }

  private mutating func unit() -> UInt16? {
    let digits = String(String.UnicodeScalarView(rest.prefix(4)))
    guard digits.utf8.count == 4, digits.first != "+", digits.first != "-",
      let unit = UInt16(digits, radix: 16)
    else { return nil }
    rest.removeFirst(4)
    return unit
  }
}
