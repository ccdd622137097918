import StrataSQLite
import StrataSchema
import TestSupport
import Testing

@Suite struct SQLTokensTests {
  private func kinds(_ sql: String) -> [SQLTokens.Token.Kind] {
    SQLTokens(sql).filter { $0.kind != .space }.map(\.kind)
  }

  @Test(
    arguments: [
      ("'it''s' 'x", [.text, .illegal]),
      ("\"a\"\"b\" `a``b` [a\"b]", .init(repeating: .quotedName, count: 3)),
      ("[a", [.illegal]), ("a$1 é _x X", .init(repeating: .word, count: 4)),
      ("x'0aF0' X'' x'0' x'zz' x'00", [.blob, .blob, .illegal, .illegal, .illegal]),
      ("0x1F 1_000 1.5e-3 .5 5. 1e5", .init(repeating: .number, count: 6)),
      ("12ab 0xg", [.illegal, .illegal]), ("a.b", [.word, .sign, .word]),
      ("1e+ ", [.illegal, .sign]),
      ("?1 ? :a @a $a::b(c) #1", .init(repeating: .variable, count: 6)),
      (": $a(b", [.illegal, .illegal]),
      ("--a\n-1--", [.lineComment, .sign, .number, .lineComment]),
      ("/*/ ' */;/* -- \n", [.blockComment, .semicolon, .blockComment]),
      ("\u{FEFF}a\u{FEFF} b", [.word, .word]), ("->>", [.sign, .sign, .sign]),
    ] as [(String, [SQLTokens.Token.Kind])]
  )
  func `a text is divided as SQLite divides it`(
    sql: String,
    expected: [SQLTokens.Token.Kind]
  ) {
    #expect(kinds(sql) == expected, "\(sql)")
    #expect(SQLTokens(sql).map(\.range).flatMap { Array($0) } == Array(0..<sql.utf8.count))
  }

  /// Texts with everything that could end a token too early or too late.
  private static let pieces = [
    "'", "''", "\"", "`", "]", "[", "--", "/*", "*/", "\n", "\r", "\t", " ", ";", "(", ",", "é",
    "\u{2028}", "a", "strata:",
    "x'", "\\", "\u{301}", "0",
  ]

  private func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...8, using: &random)).map { _ in
      Self.pieces.randomElement(using: &random) ?? ""
    }.joined()
  }

  /// A comment or space that ends where SQLite ends it.
  private func noise(_ random: inout SeededGenerator) -> String {
    switch Int.random(in: 0...3, using: &random) {
    case 0: "--\(text(&random).without("\n"))\n"
    case 1: "/* \(text(&random).without("*")) */"
    case 2: "\n\t"
    default: " "
    }
  }

  /// A literal as it is written, and the kind of its token.
  private func literal(_ random: inout SeededGenerator) -> (sql: String, kind: SQLTokens.Token.Kind)
  {
    switch Int.random(in: 0...4, using: &random) {
    case 0: ("x'0aFF'", .blob)
    case 1:
      (["0x1F", "1.5e-3", ".5", "12", "1e5", "7."].randomElement(using: &random) ?? "1", .number)
    default: ("'\(text(&random).doubling("'"))'", .text)
    }
  }

  @Test func `texts and names are those that SQLite reads`() throws {
    var random = SeededGenerator(seed: randomSeed())
    let connection = try Connection.inMemory()
    for _ in 0..<loopCount("STRATA_TOKENS", 300) {
      var literals: [(sql: String, kind: SQLTokens.Token.Kind)] = []
      var sql = "SELECT"
      for index in 0...Int.random(in: 0...4, using: &random) {
        let literal = literal(&random)
        let name = text(&random).without("]")
        let quoted =
          switch Int.random(in: 0...2, using: &random) {
          case 0: "[\(name)]"
          case 1: "`\(name.doubling("`"))`"
          default: "\"\(name.doubling("\""))\""
          }
        literals.append(literal)
        sql += (index == 0 ? "" : ",") + noise(&random) + literal.sql + noise(&random) + "AS"
        sql += noise(&random) + quoted + noise(&random)
      }
      let tokens = SQLTokens(sql)
      let read = tokens.filter { [.text, .blob, .number].contains($0.kind) }
      try #require(read.map(\.kind) == literals.map(\.kind), "\(random): \(sql)")
      let cursor = try connection.cursor(sql)
      #expect(
        tokens.filter { $0.kind == .quotedName }.map(tokens.content(of:)) == cursor.columns,
        "\(random): \(sql)"
      )
      #expect(try cursor.next())
      try cursor.withRow { row throws(SQLiteError) in
        for (index, token) in read.enumerated() where token.kind == .text {
          let value = try row.value(index)
          #expect(value == .text(tokens.content(of: token)), "\(random): \(sql)")
        }
      }
      cursor.reset()
      let normalized = NormalizedSQL(sql)
      let again = NormalizedSQL(normalized.words.joined(separator: " "))
      // A carriage return that is left may stand before a line feed then.
      if !sql.utf8.contains(UInt8(ascii: "\r")) {
        #expect(again.bytes == normalized.bytes, "\(random): \(sql)")
      }
    }
  }

  @Test func `the bytes that a checksum is of are those of every release`() {
    var random = SeededGenerator(seed: randomSeed())
    for _ in 0..<loopCount("STRATA_TOKENS", 300) {
      var sql = ""
      for _ in 0..<6 { sql += text(&random) + noise(&random) + literal(&random).sql }
      // `:a(` starts a parameter that may have a quote in it, and no script runs with one; what an open quote takes
      // along makes one also of the text of a comment.
      sql = sql.without(":")
      #expect(NormalizedSQL(sql).bytes == FormerNormalizedSQL(sql).bytes, "\(random): \(sql)")
    }
  }

  @Test func `a byte order mark and CRLF are no part of a checksum`() {
    let sql = "-- a\nSELECT 'a\nb',\n 2"
    let other = "\u{FEFF}" + sql.replacing("\n", with: "\r\n")
    #expect(NormalizedSQL(other).bytes == NormalizedSQL(sql).bytes)
    #expect(SQLTokens.plain(other) == sql)
    #expect(SQLTokens.plain("a\rb") == "a\rb")
  }
}

extension String {
  fileprivate func without(_ sign: Unicode.Scalar) -> String {
    String(String.UnicodeScalarView(unicodeScalars.filter { $0 != sign }))
  }

  fileprivate func doubling(_ sign: Unicode.Scalar) -> String {
    unicodeScalars.map { $0 == sign ? "\(sign)\(sign)" : String($0) }.joined()
  }
}

/// How the first releases reduced a text, which checksums in files depend on.
private struct FormerNormalizedSQL {
  private(set) var bytes: [UInt8] = []
  private var hasPendingSpace = false

  init(_ sql: String) {
    let all = Array(sql.utf8)
    let source = all.indices.filter { index in
      all[index] != 13 || index + 1 == all.count || all[index + 1] != 10
    }.map { all[$0] }
    var index = 0
    while index < source.count {
      let end = Self.end(in: source, at: index)
      append(source[index..<end])
      index = end
    }
  }

  private mutating func append(_ token: ArraySlice<UInt8>) {
    guard let first = token.first else { return }
    if first == 32 || (9...13).contains(first) || Self.isComment(token) {
      hasPendingSpace = true
      return
    }
    if hasPendingSpace, let last = bytes.last, !"(),;".utf8.contains(last),
      !"(),;".utf8.contains(first)
    {
      bytes.append(32)
    }
    hasPendingSpace = false
    bytes.append(contentsOf: token)
  }

  private static func end(in source: [UInt8], at index: Int) -> Int {
    let rest = source[index...]
    switch Character(UnicodeScalar(source[index])) {
    case "'", "\"", "`":
      return rest.dropFirst().firstIndex(of: source[index]).map { $0 + 1 } ?? source.count
    case "[": return rest.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? source.count
    case "-" where isComment(rest): return rest.firstIndex(of: 10) ?? source.count
    case "/" where isComment(rest):
      var index = index + 2
      while index + 1 < source.count {
        if source[index] == UInt8(ascii: "*"), source[index + 1] == UInt8(ascii: "/") {
          return index + 2
        }
        index += 1
      }
      return source.count
    default: return index + 1
    }
  }

  private static func isComment(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: "--".utf8) || bytes.starts(with: "/*".utf8)
  }
}
