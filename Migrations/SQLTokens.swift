/// The tokens of a text of SQL, as SQLite finds them (`tokenize.c` of SQLite 3.50).
///
/// Everything that reads a script without running it reads these: checksums, directives, the lines of errors, literals.
/// Together they are the whole text: space and comments are tokens, too.
///
/// - A text in single quotes, and a name in double quotes or backticks, ends at a quote that is not doubled; a name in
///   brackets at the first bracket.
/// - `--` reaches to the line feed, which is no part of it; `/*` to the first `*/`, or to the end.
/// - A byte order mark is space, wherever it stands.
///
/// O(text), without memory for the tokens.
package struct SQLTokens: Sequence {
  /// A token.
  package struct Token: Hashable, Sendable {
    /// What it is.
    package enum Kind: Hashable, Sendable {
      case space
      /// From `--` to the line feed.
      case lineComment
      /// `/* … */`.
      case blockComment
      /// `'…'`.
      case text
      /// `x'…'`.
      case blob
      case number
      /// A keyword or a name.
      case word
      /// A name in double quotes, backticks or brackets.
      case quotedName
      /// `?1`, `:a`, `@a`, `$a`.
      case variable
      case semicolon
      /// One byte of an operator or of punctuation.
      case sign
      /// What SQLite refuses: a quote without an end, `12ab`.
      case illegal
    }

    package let kind: Kind
    /// Where it is in the bytes.
    package let range: Range<Int>

    /// Whether it is space or a comment.
    package var isBlank: Bool {
      switch kind {
      case .space, .lineComment, .blockComment: true
      default: false
      }
    }
  }

  /// The text in UTF-8.
  package let bytes: [UInt8]
  private let start: Int

  /// The tokens from an offset on, which is where one starts.
  package init(_ sql: String, from start: Int = 0) {
    self.init(Array(sql.utf8), from: start)
  }

  package init(_ bytes: [UInt8], from start: Int = 0) {
    self.bytes = bytes
    self.start = Swift.min(start, bytes.count)
  }

  /// The text of a token.
  package func text(of token: Token) -> String {
    String(decoding: bytes[token.range], as: UTF8.self)
  }

  /// What a text or a name in quotes says, without them.
  package func content(of token: Token) -> String {
    let quoted = bytes[token.range]
    guard let quote = quoted.first, [.text, .quotedName].contains(token.kind) else {
      return text(of: token)
    }
    var content: [UInt8] = []
    var isSecond = false
    for byte in quoted.dropFirst().dropLast() {
      // A quote within is doubled.
      isSecond = byte == quote && quote != UInt8(ascii: "[") && !isSecond
      if !isSecond { content.append(byte) }
    }
    return String(decoding: content, as: UTF8.self)
  }

  package func makeIterator() -> Iterator { Iterator(bytes: bytes, index: start) }

  /// A text without a byte order mark at its start, and with line feeds alone at the ends of lines.
  ///
  /// Editors and version control put the others in, so they mean nothing in a script. O(text).
  package static func plain(_ sql: String) -> String {
    let text = sql.unicodeScalars.first == "\u{FEFF}" ? String(sql.unicodeScalars.dropFirst()) : sql
    if !text.utf8.contains(UInt8(ascii: "\r")) { return text }
    return String(decoding: withoutCarriageReturns(Array(text.utf8)), as: UTF8.self)
  }

  static func withoutCarriageReturns(_ bytes: [UInt8]) -> [UInt8] {
    let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
    return bytes.indices.filter { index in
      bytes[index] != cr || index + 1 == bytes.count || bytes[index + 1] != lf
    }.map { bytes[$0] }
  }
}

extension SQLTokens {
  /// Goes through the tokens.
  package struct Iterator: IteratorProtocol {
    fileprivate let bytes: [UInt8]
    fileprivate var index: Int

    package mutating func next() -> Token? {
      guard index < bytes.count else { return nil }
      let start = index
      let kind = read()
      return Token(kind: kind, range: start..<index)
    }

    /// The byte at a distance; 0 behind the end, as in SQLite.
    private func byte(_ distance: Int = 0) -> UInt8 {
      index + distance < bytes.count ? bytes[index + distance] : 0
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
      while index < bytes.count, condition(bytes[index]) { index += 1 }
    }

    /// Advances past a token.
    private mutating func read() -> Token.Kind {
      let first = byte()
      switch first {
      case _ where first.isSpace:
        skip { $0.isSpace }
        return .space
      case 0xEF where byte(1) == 0xBB && byte(2) == 0xBF:
        index += 3
        return .space
      case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
        skip { $0 != UInt8(ascii: "\n") }
        return .lineComment
      case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
        readBlockComment()
        return .blockComment
      case UInt8(ascii: "'"): return readQuoted(first) ? .text : .illegal
      case UInt8(ascii: "\""), UInt8(ascii: "`"): return readQuoted(first) ? .quotedName : .illegal
      case UInt8(ascii: "["):
        skip { $0 != UInt8(ascii: "]") }
        index += 1
        return endsInText(.quotedName)
      case UInt8(ascii: "x"), UInt8(ascii: "X"):
        return byte(1) == UInt8(ascii: "'") ? readBlob() : readWord()
      case UInt8(ascii: "."):
        if byte(1).isDigit { return readNumber() }
        index += 1
        return .sign
      case UInt8(ascii: ";"):
        index += 1
        return .semicolon
      case UInt8(ascii: "?"):
        index += 1
        skip { $0.isDigit }
        return .variable
      case UInt8(ascii: "$"), UInt8(ascii: "@"), UInt8(ascii: "#"), UInt8(ascii: ":"):
        return readVariable()
      case _ where first.isDigit: return readNumber()
      case _ where first.isPartOfName: return readWord()
      default:
        index += 1
        return .sign
      }
    }

    private mutating func readWord() -> Token.Kind {
      skip { $0.isPartOfName }
      return .word
    }

    private mutating func readBlockComment() {
      index += 2
      while index < bytes.count {
        if byte() == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
          index += 2
          return
        }
        index += 1
      }
    }

    /// Whether the quote is closed.
    private mutating func readQuoted(_ quote: UInt8) -> Bool {
      index += 1
      while index < bytes.count {
        index += 1
        guard bytes[index - 1] == quote else { continue }
        if byte() != quote { return true }
        index += 1
      }
      return false
    }

    private mutating func endsInText(_ kind: Token.Kind) -> Token.Kind {
      if index <= bytes.count { return kind }
      index = bytes.count
      return .illegal
    }

    private mutating func readBlob() -> Token.Kind {
      index += 2
      let start = index
      skip { $0.isHexadecimal }
      let isWhole = byte() == UInt8(ascii: "'") && (index - start).isMultiple(of: 2)
      skip { $0 != UInt8(ascii: "'") }
      index += 1
      return endsInText(isWhole ? .blob : .illegal)
    }

    private mutating func readNumber() -> Token.Kind {
      let isDigit = { (byte: UInt8) in byte.isDigit || byte == UInt8(ascii: "_") }
      if byte() == UInt8(ascii: "0"), byte(1) | 0x20 == UInt8(ascii: "x"), byte(2).isHexadecimal {
        index += 2
        skip { $0.isHexadecimal || $0 == UInt8(ascii: "_") }
      } else {
        skip(while: isDigit)
        if byte() == UInt8(ascii: ".") {
          index += 1
          skip(while: isDigit)
        }
        let sign = [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(byte(1)) ? 1 : 0
        if byte() | 0x20 == UInt8(ascii: "e"), byte(1 + sign).isDigit {
          index += 1 + sign
          skip(while: isDigit)
        }
      }
      guard byte().isPartOfName else { return .number }
      skip { $0.isPartOfName }
      return .illegal
    }

    /// `$a::b(c)` is one, too, as in Tcl.
    private mutating func readVariable() -> Token.Kind {
      index += 1
      let start = index
      while index < bytes.count {
        if byte().isPartOfName {
          index += 1
        } else if byte() == UInt8(ascii: ":"), byte(1) == UInt8(ascii: ":") {
          index += 2
        } else {
          break
        }
      }
      guard index > start else { return .illegal }
      guard byte() == UInt8(ascii: "(") else { return .variable }
      skip { !$0.isSpace && $0 != UInt8(ascii: ")") }
      if byte() != UInt8(ascii: ")") { return .illegal }
      index += 1
      return .variable
    }
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == UInt8(ascii: " ") || (0x09...0x0D).contains(self) }

  fileprivate var isDigit: Bool { (48...57).contains(self) }

  fileprivate var isHexadecimal: Bool { isDigit || (97...102).contains(self | 0x20) }

  /// Whether SQLite takes it for a part of a name: letters, digits, `_`, `$`, and all bytes from 128 on.
  fileprivate var isPartOfName: Bool {
    isDigit || (97...122).contains(self | 0x20) || self == UInt8(ascii: "_")
      || self == UInt8(ascii: "$") || self >= 0x80
  }
}
