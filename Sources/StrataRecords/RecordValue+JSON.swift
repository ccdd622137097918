internal import Foundation

/// How JSON is laid out.
package enum JSONStyle: Hashable, Sendable {
  /// One line, no spaces.
  case compact
  /// One member or element a line, indented by two spaces.
  case indented
}

/// Stored values as JSON, for people and for other programs.
///
/// | stored | printed |
/// | --- | --- |
/// | integers, decimals | number, all digits |
/// | float, double | the shortest number that reads back the same |
/// | NaN, infinities | `"NaN"`, `"Infinity"`, `"-Infinity"` |
/// | data | string of base64 |
/// | date | string of ISO 8601 in UTC, with as many digits of a second as it takes |
/// | UUID, URL | string |
extension RecordValue {
  /// The value as JSON text; equal values give equal text.
  ///
  /// O(bytes).
  package func json(_ style: JSONStyle = .compact) -> String {
    var printer = JSONPrinter(style: style)
    printer.print(self)
    return printer.text
  }
}

private struct JSONPrinter {
  let style: JSONStyle
  var text = ""
  private var depth = 0

  init(style: JSONStyle) {
    self.style = style
  }

  mutating func print(_ value: RecordValue) {
    switch value {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value, _): text += String(value)
    case .uint(let value, _): text += String(value)
    case .float(let value): print(value)
    case .double(let value): print(value)
    case .string(let value): quote(value)
    case .data(let value): quote(value.base64EncodedString())
    case .date(let value): quote(value.iso8601Text)
    case .uuid(let value): quote(value.uuidString)
    case .url(let value): quote(value.absoluteString)
    case .decimal(let value):
      if value.isNaN { quote("NaN") } else { text += value.description }
    case .array(let elements):
      list("[", elements, "]") { printer, element in printer.print(element) }
    case .object(let members):
      list("{", members, "}") { printer, member in
        printer.quote(member.name)
        printer.text += printer.style == .compact ? ":" : ": "
        printer.print(member.value)
      }
    }
  }

  private mutating func print(_ value: some BinaryFloatingPoint & LosslessStringConvertible) {
    if value.isNaN {
      quote("NaN")
    } else if value.isInfinite {
      quote(value > 0 ? "Infinity" : "-Infinity")
    } else {
      text += value.description
    }
  }

  private mutating func list<Part>(
    _ open: String,
    _ parts: [Part],
    _ close: String,
    _ part: (inout JSONPrinter, Part) -> Void
  ) {
    text += open
    depth += 1
    for index in parts.indices {
      if index > 0 { text += "," }
      breakLine()
      part(&self, parts[index])
    }
    depth -= 1
    if !parts.isEmpty { breakLine() }
    text += close
  }

  private mutating func breakLine() {
    guard style == .indented else { return }
    text += "\n" + String(repeating: "  ", count: depth)
  }

  private mutating func quote(_ string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
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
    text += "\""
  }
}
