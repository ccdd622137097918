internal import Foundation

/// How JSON is laid out.
package enum JSONStyle: Hashable, Sendable {
  /// One line, no spaces.
  case compact
  /// One member or element a line, indented by two spaces.
  case indented
}

/// Stored values as JSON, for people and for other programs; values without parts as ``ScalarText`` has them.
extension RecordValue {
  /// The value as JSON text; equal values give equal text.
  ///
  /// O(bytes).
  package func json(_ style: JSONStyle = .compact) -> String {
    jsonPieces(style).reduce(into: "") { $0 += $1 }
  }

  /// The same text in pieces of some 64 KB, so that the text of a large value is never in memory as a whole.
  ///
  /// O(bytes) in all.
  package func jsonPieces(_ style: JSONStyle = .compact) -> JSONPieces {
    JSONPieces(of: self, style)
  }
}

extension RecordValue: CustomStringConvertible {
  /// The value as JSON text on one line; O(bytes).
  public var description: String { json() }
}

/// The JSON of a value, piece by piece.
package struct JSONPieces: Sequence, IteratorProtocol {
  /// What is left of an array, an object or a long text.
  private enum Rest {
    case elements(RecordValue.PartIterator<RecordValue>)
    case members(RecordValue.PartIterator<RecordValue.Member>)
    case text(String.UnicodeScalarView.Iterator)
  }

  private struct Frame {
    var rest: Rest
    var isEmpty = true
  }

  private static let size = 1 << 16

  private let style: JSONStyle
  /// The value, until the first piece is made.
  private var value: RecordValue?
  /// From the outermost to the innermost; at most as many as values may nest.
  private var frames: [Frame] = []
  private var text = ""

  fileprivate init(of value: RecordValue, _ style: JSONStyle) {
    self.value = value
    self.style = style
  }

  package mutating func next() -> String? {
    if let first = value {
      value = nil
      print(first)
    }
    while text.utf8.count < Self.size, let frame = frames.popLast() { proceed(frame) }
    defer { text = "" }
    return text.isEmpty ? nil : text
  }

  private mutating func proceed(_ frame: Frame) {
    switch frame.rest {
    case .elements(var elements):
      guard let element = elements.next() else {
        return close("]", frame, endingAt: elements.end)
      }
      separate(frame)
      frames.append(Frame(rest: .elements(elements), isEmpty: false))
      print(element)
    case .members(var members):
      guard let member = members.next() else { return close("}", frame, endingAt: members.end) }
      separate(frame)
      frames.append(Frame(rest: .members(members), isEmpty: false))
      quote(member.name)
      text += style == .compact ? ":" : ": "
      print(member.value)
    case .text(var scalars):
      while text.utf8.count < Self.size {
        guard let scalar = scalars.next() else { return text += "\"" }
        quote(scalar)
      }
      frames.append(Frame(rest: .text(scalars)))
    }
  }

  private mutating func separate(_ frame: Frame) {
    if !frame.isEmpty { text += "," }
    breakLine(depth: frames.count + 1)
  }

  private mutating func close(_ bracket: String, _ frame: Frame, endingAt end: Int?) {
    if !frame.isEmpty { breakLine(depth: frames.count) }
    text += bracket
    // The container around it does not have to skip these parts again.
    guard var around = frames.popLast() else { return }
    switch around.rest {
    case .elements(var elements):
      elements.noteEnd(end)
      around.rest = .elements(elements)
    case .members(var members):
      members.noteEnd(end)
      around.rest = .members(members)
    case .text: break
    }
    frames.append(around)
  }

  private mutating func breakLine(depth: Int) {
    guard style == .indented else { return }
    text += "\n" + String(repeating: "  ", count: depth)
  }
}

extension JSONPieces {
  private mutating func print(_ value: RecordValue) {
    switch value {
    case .null: text += "null"
    case .string(let value) where value.utf8.count > Self.size:
      text += "\""
      frames.append(Frame(rest: .text(value.unicodeScalars.makeIterator())))
    case .array(let elements):
      text += "["
      frames.append(Frame(rest: .elements(elements.makeIterator())))
    case .object(let members):
      text += "{"
      frames.append(Frame(rest: .members(members.makeIterator())))
    default:
      let scalar = ScalarText.text(of: value) ?? ""
      if ScalarText.isBare(value) { text += scalar } else { quote(scalar) }
    }
  }

  private mutating func quote(_ string: String) {
    text += "\""
    for scalar in string.unicodeScalars { quote(scalar) }
    text += "\""
  }

  private mutating func quote(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": text += "\\\""
    case "\\": text += "\\\\"
    case "\n": text += "\\n"
    case "\r": text += "\\r"
    case "\t": text += "\\t"
    case "\u{0}"..."\u{1F}":
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: text.unicodeScalars.append(scalar)
    }
  }
}
