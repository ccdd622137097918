/// Text for a terminal.
extension String {
  /// The text on one line, without characters that control a terminal.
  ///
  /// Control characters and those that change the writing direction are escaped, so that the content of a
  /// store cannot control the terminal of its reader.
  package var printable: String {
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}",
        "\u{2066}"..."\u{2069}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The number of terminal columns that the text occupies.
  package var columnCount: Int { reduce(0) { $0 + $1.columnCount } }

  /// The text, truncated to a number of columns with an ellipsis at its end.
  ///
  /// O(columns), whatever the length of the text.
  package func shortened(to columns: Int) -> String {
    var used = 0
    var end = startIndex
    var cut = startIndex
    while end < endIndex {
      let width = self[end].columnCount
      if used + width > columns { return columns < 1 ? "" : self[..<cut] + "…" }
      used += width
      end = index(after: end)
      if used < columns { cut = end }
    }
    return self
  }
}

extension Character {
  /// 2 for ideographs and emoji, 0 for marks that modify another character, else 1.
  ///
  /// Follows Unicode's East Asian Width (UAX #11), in coarse ranges.
  fileprivate var columnCount: Int {
    guard let scalar = unicodeScalars.first, !isASCII else { return 1 }
    if scalar.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return 1
    }
  }
}
