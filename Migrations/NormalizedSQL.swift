/// SQL text without comments and insignificant spacing, for comparing two texts.
///
/// - Comments are removed.
/// - White space outside quotes becomes one blank. Next to `( ) , ;` and at both ends it is removed.
/// - CRLF becomes LF everywhere, because version control may convert it.
/// - Text in quotes (`'…'`, `"…"`, `` `…` ``, `[…]`) is unchanged, even if it contains comment signs.
/// - The case of keywords is significant.
///
/// It is only compared, never run. The rules must never change, because the checksums in users' files
/// depend on them. O(text).
package struct NormalizedSQL {
  /// The reduced text as UTF-8.
  package private(set) var bytes: [UInt8] = []
  private var hasPendingSpace = false

  package init(_ sql: String) {
    let source = Self.withoutCarriageReturns(Array(sql.utf8))
    bytes.reserveCapacity(source.count)
    var index = 0
    while index < source.count {
      let end = Self.endOfToken(in: source, at: index)
      append(source[index..<end])
      index = end
    }
  }

  private mutating func append(_ token: ArraySlice<UInt8>) {
    guard let first = token.first else { return }
    if Self.isSpace(first) || Self.isCommentStart(token) {
      hasPendingSpace = true
      return
    }
    if hasPendingSpace, let last = bytes.last, !Self.isPunctuation(last),
      !Self.isPunctuation(first)
    {
      bytes.append(UInt8(ascii: " "))
    }
    hasPendingSpace = false
    bytes.append(contentsOf: token)
  }

  /// The end of the token at an index: a comment, a quoted text, or one byte.
  private static func endOfToken(in source: [UInt8], at index: Int) -> Int {
    let rest = source[index...]
    switch source[index] {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
      return rest.dropFirst().firstIndex(of: source[index]).map { $0 + 1 } ?? source.count
    case UInt8(ascii: "["):
      return rest.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? source.count
    case UInt8(ascii: "-") where isCommentStart(rest):
      return rest.firstIndex(of: newline) ?? source.count
    case UInt8(ascii: "/") where isCommentStart(rest):
      return endOfBlockComment(in: source, at: index)
    default:
      return index + 1
    }
  }

  private static func endOfBlockComment(in source: [UInt8], at start: Int) -> Int {
    var index = start + 2
    while index + 1 < source.count {
      if source[index] == UInt8(ascii: "*"), source[index + 1] == UInt8(ascii: "/") {
        return index + 2
      }
      index += 1
    }
    return source.count
  }

  private static let newline = UInt8(ascii: "\n")

  private static func isCommentStart(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: "--".utf8) || bytes.starts(with: "/*".utf8)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte)
  }

  private static func isPunctuation(_ byte: UInt8) -> Bool {
    "(),;".utf8.contains(byte)
  }

  private static func withoutCarriageReturns(_ bytes: [UInt8]) -> [UInt8] {
    bytes.indices.filter { index in
      bytes[index] != UInt8(ascii: "\r") || index + 1 == bytes.count || bytes[index + 1] != newline
    }.map { bytes[$0] }
  }
}
