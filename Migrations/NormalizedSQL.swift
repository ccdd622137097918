/// SQL text without comments and insignificant spacing, for comparing two texts.
///
/// - Comments are removed.
/// - White space outside quotes becomes one blank. Next to `( ) , ;` and at both ends it is removed. A byte order mark is
///   white space.
/// - CRLF becomes LF everywhere, because version control may convert it.
/// - Text in quotes (`'…'`, `"…"`, `` `…` ``, `[…]`) is unchanged, even if it contains comment signs.
/// - The case of keywords is significant, and so is whether there is a blank: `a+1` and `a + 1` differ.
///
/// It is only compared, never run. The rules must never change, because the checksums in users' files
/// depend on them. O(text).
package struct NormalizedSQL {
  /// The reduced text as UTF-8.
  package private(set) var bytes: [UInt8] = []

  package init(_ sql: String) {
    let tokens = SQLTokens(SQLTokens.withoutCarriageReturns(Array(sql.utf8)))
    bytes.reserveCapacity(tokens.bytes.count)
    var hasSpace = false
    for token in tokens {
      if token.isBlank {
        hasSpace = true
        continue
      }
      let text = tokens.bytes[token.range]
      if hasSpace, let last = bytes.last, let first = text.first, !Self.isPunctuation(last),
        !Self.isPunctuation(first)
      {
        bytes.append(UInt8(ascii: " "))
      }
      hasSpace = false
      bytes.append(contentsOf: text)
    }
  }

  /// The text in words: it is divided at its blanks, behind each comma and semicolon, and before each opening parenthesis.
  ///
  /// Two texts have the same words if, and only if, they have the same bytes.
  package var words: [String] {
    let tokens = SQLTokens(bytes)
    var words: [String] = []
    var word = ""
    func end() {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    for token in tokens {
      let text = tokens.text(of: token)
      if token.kind == .space || text == "(" { end() }
      if token.kind != .space { word += text }
      if text == "," || text == ";" { end() }
    }
    end()
    return words
  }

  private static func isPunctuation(_ byte: UInt8) -> Bool { "(),;".utf8.contains(byte) }
}
