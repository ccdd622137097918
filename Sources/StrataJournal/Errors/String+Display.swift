/// Text for a terminal.
extension String {
  /// The text on one line, without characters that control a terminal.
  ///
  /// Control characters, separators of lines and invisible characters that change how others are shown are
  /// escaped as in JSON, so that neither a store nor its path can control the terminal of its reader. Two
  /// invisible characters stay, because scripts and emoji need them: U+200C and U+200D.
  ///
  /// Everything that the command prints goes through this, once where it is put together and once more where it
  /// is written.
  package var printable: String { escaped(lines: .single) }

  /// The text of several lines that this command has put together, without other characters that control a
  /// terminal.
  ///
  /// In JSON the result means the same.
  package var printableLines: String { escaped(lines: .several) }

  private enum Lines {
    case single, several
  }

  private func escaped(lines: Lines) -> String {
    if isPrintableASCII { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n" where lines == .several:
        text.unicodeScalars.append(scalar)
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isUnprintable:
        for unit in scalar.utf16 {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private var isPrintableASCII: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }

  /// The number of terminal columns that the text occupies.
  package var columnCount: Int {
    isPrintableASCII ? utf8.count : reduce(0) { $0 + $1.columnCount }
  }

  /// The text, truncated to a number of columns with an ellipsis at its end.
  ///
  /// O(columns), whatever the length of the text.
  package func shortened(to columns: Int) -> String {
    // A character of two columns has two bytes at least.
    if utf8.count <= columns { return self }
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

extension Unicode.Scalar {
  fileprivate var isUnprintable: Bool {
    if self == "\u{200C}" || self == "\u{200D}" { return false }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
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

extension String {
  /// The text as a word of a shell: in quotes unless it is plain.
  package var shellWord: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
          || "/._-".utf8.contains(byte)
      }
    return isPlain ? self : "'\(replacing(scalar: "'", with: "'\\''"))'"
  }

  /// The text with another text in place of each of a scalar.
  ///
  /// `replacing` compares characters, and a quote with a combining mark behind it is another character than a quote: where it
  /// is not escaped, a quoted text ends there.
  package func replacing(scalar: Unicode.Scalar, with text: String) -> String {
    var scalars = UnicodeScalarView()
    for next in unicodeScalars {
      if next == scalar {
        scalars.append(contentsOf: text.unicodeScalars)
      } else {
        scalars.append(next)
      }
    }
    return String(scalars)
  }

  /// The text as a sentence: its first letter in upper case, and one full stop at its end.
  package var sentence: String { (prefix(1).uppercased() + dropFirst()).withFullStop }

  /// The text with one full stop, or its question mark, at its end.
  package var withFullStop: String { hasSuffix(".") || hasSuffix("?") ? self : self + "." }

  /// The text without a full stop at its end, to stand within a sentence.
  package var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

/// What a misspelt word may mean.
extension String {
  /// The word of a list that is one or two letters away, a third of them at most; nil if there is none.
  ///
  /// O(words × letters²). Case does not count.
  package func nearest(among words: some Sequence<String>) -> String? {
    let limit = Swift.max(1, Swift.min(2, count / 3))
    let own = Array(lowercased())
    return words.map { (word: $0, distance: Self.distance(own, Array($0.lowercased()))) }
      .filter { $0.distance <= limit }
      .min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
  }

  /// The end of a sentence about a name that is not there: `; did you mean users?`, or nothing where none is meant.
  ///
  /// A table may be meant by the name of a persisted value, and a value by that of a table.
  package func question(among names: some Sequence<String>) -> String {
    let other = StoredValues.name(ofTable: self) ?? StoredValues.table(of: self)
    let meant = names.contains(other) ? other : nearest(among: names)
    return meant.map { "; did you mean \($0)?" } ?? ""
  }

  /// How many letters differ, are missing, are too many, or are swapped with the next one.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var rows = [Array(0...right.count)]
    for (index, letter) in left.enumerated() {
      var row = [index + 1]
      for (other, candidate) in right.enumerated() {
        var best = Swift.min(rows[index][other + 1], row[other]) + 1
        best = Swift.min(best, rows[index][other] + (letter == candidate ? 0 : 1))
        if index > 0, other > 0, letter == right[other - 1], left[index - 1] == candidate {
          best = Swift.min(best, rows[index - 1][other - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
