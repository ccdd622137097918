import StrataSchema

/// Statements that scripts for other tools have.
extension MigrationScript {
  /// Refuses statements that have no place in a script, and says what to do instead.
  ///
  /// SQLite would refuse most of them, too, or do nothing. O(text).
  ///
  /// - Throws: `EntityTableError.statement`.
  func checkStatements() throws {
    let tokens = SQLTokens(sql)
    /// The indexes, views and triggers that the script has created, as `index a`.
    var created: Set<String> = []
    for statement in Self.statements(of: tokens) {
      let words = statement.map { tokens.content(of: $0).lowercased() }
      if let name = Self.created(words) { created.insert(name) }
      guard let start = statement.first, let end = statement.last,
        let message = Self.ownName(words) ?? Self.mistake(words, created)
      else { continue }
      let line = tokens.bytes.prefix(start.range.lowerBound).count { $0 == UInt8(ascii: "\n") } + 1
      let text = tokens.bytes[start.range.lowerBound..<end.range.upperBound]
      throw EntityTableError.statement(
        String(decoding: text, as: UTF8.self),
        line: line,
        message: message
      )
    }
  }

  /// The words of each statement.
  ///
  /// A trigger ends with `END` behind a semicolon.
  private static func statements(of tokens: SQLTokens) -> [[SQLTokens.Token]] {
    var statements: [[SQLTokens.Token]] = []
    var words: [SQLTokens.Token] = []
    for token in tokens where !token.isBlank {
      guard token.kind == .semicolon else {
        words.append(token)
        continue
      }
      let isTrigger = isTrigger(words.prefix(4).map { tokens.text(of: $0).lowercased() })
      let isEnd =
        words.last.map { tokens.text(of: $0).lowercased() } == "end"
        && words.dropLast().last?.kind == .semicolon
      if isTrigger, !isEnd {
        words.append(token)
      } else {
        if !words.isEmpty { statements.append(words) }
        words = []
      }
    }
    if !words.isEmpty { statements.append(words) }
    return statements
  }

  private static func isTrigger(_ words: [String]) -> Bool {
    words.first == "create"
      && words.dropFirst().first { $0 != "temp" && $0 != "temporary" } == "trigger"
  }

  /// What a statement creates that holds in its script only.
  private static func created(_ words: [String]) -> String? {
    guard words.first == "create" else { return nil }
    var rest = words.dropFirst()[...]
    rest = rest.drop { ["temp", "temporary", "unique"].contains($0) }
    guard let kind = rest.first, ["index", "view", "trigger"].contains(kind) else { return nil }
    rest = rest.dropFirst()
    if rest.starts(with: ["if", "not", "exists"]) { rest = rest.dropFirst(3) }
    return name(rest).map { "\(kind) \($0)" }
  }

  /// A name without the one of its database.
  private static func name(_ words: ArraySlice<String>) -> String? {
    words.dropFirst().first == "." ? words.dropFirst(2).first : words.first
  }

  /// Refuses names that the tables of a script have for themselves.
  private static func ownName(_ words: [String]) -> String? {
    words.first { $0.hasPrefix(RowOrigins.function) }.map {
      "leave \"\($0)\" out: the names of triggers and functions that begin so are those of the library"
    }
  }

  /// What to do instead of a statement; nil for one that may stand in a script.
  private static func mistake(_ words: [String], _ created: Set<String>) -> String? {
    let first = words[0].uppercased()
    switch first {
    case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE":
      return "leave \(first) out: all pending migrations are one transaction"
    case "VACUUM":
      return """
        leave VACUUM out: all pending migrations are one transaction, and it would not change the file of the store
        """
    case "EXPLAIN": return "leave EXPLAIN out: it describes a statement, and does not run it"
    case "ATTACH", "DETACH": return "leave \(first) out: a script may use its tables only"
    case "PRAGMA":
      let pragma = name(words[1...]) ?? ""
      return pragma.contains("foreign_key")
        ? """
        leave PRAGMA \(pragma) out: no foreign key is enforced in a script, and references that would lead to no record \
        are reported
        """
        : "leave PRAGMA \(pragma) out: it would not change the store, and a script may use its tables only"
    case "DROP":
      guard words.count > 2, ["index", "view", "trigger"].contains(words[1]),
        !words[2...].starts(with: ["if", "exists"]), let name = name(words[2...]),
        !created.contains("\(words[1]) \(name)")
      else { return nil }
      return """
        leave DROP \(words[1].uppercased()) \(name) out: indexes, views and triggers hold in the script that creates them, so \
        there is none
        """
    default: return nil
    }
  }
}
