import Foundation

/// A JSON value as it is written: numbers and strings keep their text, so nothing is rounded.
enum ExactJSON: Equatable, Sendable {
  /// A string with its quotes, a number, `true`, `false` or `null`.
  case leaf(String)
  case array([ExactJSON])
  /// By key, without the quotes but with its escapes.
  case object([String: ExactJSON])

  /// Why a text is not JSON.
  enum ParseError: Error {
    case unexpected(offset: Int)
    case tooDeep
  }

  private static let maximumDepth = 256

  /// Parses a text.
  ///
  /// O(bytes). A leaf is not checked until it is decoded.
  init(parsing data: Data) throws(ParseError) {
    var parser = Parser(bytes: [UInt8](data))
    self = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.isAtEnd else { throw .unexpected(offset: parser.offset) }
  }

  /// A number.
  init(_ number: some BinaryInteger) { self = .leaf("\(number)") }

  /// A string.
  init(_ text: String) {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    self = .leaf(quoted + "\"")
  }

  /// On one line, with the keys sorted.
  var text: String {
    switch self {
    case .leaf(let text): text
    case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
    case .object(let fields):
      "{"
        + fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\" : \($0.value.text)" }
        .joined(separator: ", ") + "}"
    }
  }

  var data: Data { Data(text.utf8) }

  /// The same with the elements of every array sorted: for sets, whose order varies.
  var withoutOrder: ExactJSON {
    switch self {
    case .leaf: self
    case .array(let values):
      .array(values.map(\.withoutOrder).sorted { $0.text < $1.text })
    case .object(let fields): .object(fields.mapValues(\.withoutOrder))
    }
  }

  subscript(key: String) -> ExactJSON? {
    if case .object(let fields) = self { fields[key] } else { nil }
  }

  var array: [ExactJSON]? { if case .array(let values) = self { values } else { nil } }
  var fields: [String: ExactJSON]? { if case .object(let fields) = self { fields } else { nil } }
  var int: Int? { if case .leaf(let text) = self { Int(text) } else { nil } }
  var int64: Int64? { if case .leaf(let text) = self { Int64(text) } else { nil } }
  var bool: Bool? { if case .leaf(let text) = self { Bool(text) } else { nil } }

  /// A decoded value; nil if it is not one of this type.
  func decoded<Value: Decodable>(_ type: Value.Type) -> Value? {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch _ {
      return nil
    }
  }

  private struct Parser {
    let bytes: [UInt8]
    var offset = 0

    var isAtEnd: Bool { offset == bytes.count }

    private var next: UInt8? { isAtEnd ? nil : bytes[offset] }

    mutating func skipSpace() {
      while let next, next == 0x20 || (0x09...0x0D).contains(next) { offset += 1 }
    }

    private mutating func take(_ byte: Character) -> Bool {
      skipSpace()
      guard next == byte.asciiValue else { return false }
      offset += 1
      return true
    }

    private func unexpected() -> ParseError { .unexpected(offset: offset) }

    mutating func value(depth: Int) throws(ParseError) -> ExactJSON {
      if depth > ExactJSON.maximumDepth { throw .tooDeep }
      if take("{") {
        var fields: [String: ExactJSON] = [:]
        if take("}") { return .object(fields) }
        repeat {
          skipSpace()
          let key = String(try string().dropFirst().dropLast())
          guard take(":"), fields[key] == nil else { throw unexpected() }
          fields[key] = try value(depth: depth + 1)
        } while take(",")
        guard take("}") else { throw unexpected() }
        return .object(fields)
      }
      if take("[") {
        var values: [ExactJSON] = []
        if take("]") { return .array(values) }
        repeat { values.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw unexpected() }
        return .array(values)
      }
      if next == 0x22 { return .leaf(try string()) }
      let start = offset
      while let next, Self.isOfLiteral(next) { offset += 1 }
      guard offset > start else { throw unexpected() }
      return .leaf(String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    private mutating func string() throws(ParseError) -> String {
      let start = offset
      guard next == 0x22 else { throw unexpected() }
      offset += 1
      while let next, next != 0x22 { offset += next == 0x5C ? 2 : 1 }
      guard offset < bytes.count else { throw unexpected() }
      offset += 1
      let text = String(decoding: bytes[start..<offset], as: UTF8.self)
      // What is not UTF-8 was replaced.
      guard text.utf8.elementsEqual(bytes[start..<offset]) else { throw unexpected() }
      return text
    }

    private static func isOfLiteral(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
      default: false
      }
    }
  }
}
