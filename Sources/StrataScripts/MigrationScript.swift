import StrataJournal
import StrataMigrating
import StrataSchema

/// The text of a migration in SQL, with the directives in its comments.
///
/// ```sql
/// -- strata:allow destructive(users.bio)
/// -- strata:before SELECT count(*) = 0 FROM users WHERE email IS NULL
/// ALTER TABLE users DROP COLUMN bio;
/// -- strata:after SELECT count(*) > 0 FROM users
/// ```
///
/// Comments are no part of the checksum, so a check or a permission may be added later.
struct MigrationScript: Sendable {
  /// The migration; with `.down` for a script that takes it back.
  let name: String
  let sql: String
  private(set) var before: [ScriptCheck] = []
  private(set) var after: [ScriptCheck] = []
  /// What it may lose, and what else it says is intended.
  private(set) var allowances: [MigrationAllowance] = []
  /// The numbers of the migrations that it stands for, if it was squashed.
  private(set) var replaces: ClosedRange<Int>?
  /// The line that says so.
  private var replacesLine = 0

  /// Whether there is anything beside comments and semicolons.
  private var hasStatement = false

  /// O(text).
  ///
  /// A directive counts on a line of its own, and only a line feed ends a line. In a text or a name in quotes it is data.
  ///
  /// - Throws: `.directive` for one that is wrong, and for one in another place, where it would have no effect.
  init(_ sql: String, of name: String) throws(SQLMigrationError) {
    (self.name, self.sql) = (name, sql)
    let tokens = SQLTokens(sql)
    var line = 1
    /// Whether nothing but space is before the token on its line.
    var startsLine = true
    for token in tokens {
      let text = tokens.text(of: token)
      if token.isBlank, token.kind != .space {
        let comment = DirectiveComment(text)
        if let directive = comment.directive {
          if !startsLine {
            throw unreadable(
              line,
              "a directive has a line of its own: move “\(text)” to the next one"
            )
          }
          try read(directive, line)
        } else if let below = comment.hidden {
          throw hidden(line + below)
        }
      }
      if !token.isBlank, token.kind != .semicolon { hasStatement = true }
      let feeds = text.lineFeeds
      line += feeds
      startsLine = token.kind == .space && (startsLine || feeds > 0)
    }
  }

  private mutating func read(_ directive: Substring, _ line: Int) throws(SQLMigrationError) {
    let word = directive.prefix { !$0.isWhitespace }
    let rest = directive.dropFirst(word.count).trimmed
    switch word {
    case "before": before.append(try check(rest, line))
    case "after": after.append(try check(rest, line))
    case "allow":
      guard let read = MigrationAllowance.list(rest) else {
        throw unreadable(
          line,
          """
          cannot read “\(rest)”: write -- strata:allow destructive(users.bio), with one of \
          \(MigrationFinding.Kind.allCases.map(\.rawValue).joined(separator: ", "))
          """
        )
      }
      allowances += read
    case "replaces":
      let numbers = rest.split(separator: "...").compactMap { Int($0) }
      guard numbers.count == 2, numbers[0] >= 1, numbers[1] >= numbers[0] else {
        throw unreadable(line, "cannot read “\(rest)”: write a range such as 1...12")
      }
      if replaces != nil {
        throw unreadable(line, "a script stands for one range: keep one of the lines")
      }
      replaces = numbers[0]...numbers[1]
      replacesLine = line
    default:
      throw unreadable(
        line,
        "“strata:\(word)” is not known: use before, after, allow or replaces"
      )
    }
  }

  /// Refuses what a script that stands for others says beside that, as it would have no effect.
  ///
  /// - Parameter number: That of its migration.
  func checkReplaces(as number: Int?, hasDown: Bool) throws(SQLMigrationError) {
    guard let replaces else { return }
    if let number, number != replaces.upperBound {
      throw unreadable(
        replacesLine,
        """
        the migration \(number) cannot stand for \(replaces): give it the number of the last one, \
        \(replaces.upperBound), or write \(replaces.lowerBound)...\(number)
        """
      )
    }
    let detail: String? =
      if hasStatement {
        "a script that stands for others is not run, and it has statements: move them to the next number"
      } else if !before.isEmpty || !after.isEmpty || !allowances.isEmpty {
        "a script that stands for others is not run, so remove its checks and permissions"
      } else if hasDown {
        "a script that stands for others cannot be taken back, so remove its script for the way back"
      } else {
        nil
      }
    if let detail { throw unreadable(replacesLine, detail) }
  }

  /// Refuses a script that takes a migration back and stands for others.
  func checkIsOne() throws(SQLMigrationError) {
    if replaces == nil { return }
    throw unreadable(
      replacesLine,
      "a script for the way back stands for no other: write this into the script itself"
    )
  }

  private func unreadable(_ line: Int, _ detail: String) -> SQLMigrationError {
    .directive(migration: name, line: line, detail: detail)
  }

  /// A directive within a comment.
  private func hidden(_ line: Int) -> SQLMigrationError {
    unreadable(
      line,
      """
      a directive within a comment has no effect: give it a line of its own, or put a bar before it, as in \
      | strata:allow
      """
    )
  }

  /// Whether it has neither a statement nor a check.
  var isEmpty: Bool { before.isEmpty && after.isEmpty && !hasStatement }

  private func check(_ sql: String, _ line: Int) throws(SQLMigrationError) -> ScriptCheck {
    let tokens = SQLTokens(sql)
    let words = tokens.filter { !$0.isBlank }
    if tokens.contains(where: { $0.isBlank && DirectiveComment(tokens.text(of: $0)).isOne }) {
      throw hidden(line)
    }
    guard let first = words.first else {
      throw unreadable(line, "a check is a SELECT on the same line")
    }
    guard ["select", "with", "values"].contains(tokens.text(of: first).lowercased()) else {
      throw unreadable(line, "“\(sql)” is no check: write one SELECT")
    }
    if let end = words.firstIndex(where: { $0.kind == .semicolon }) {
      throw unreadable(
        line,
        end == words.count - 1
          ? "a check is a SELECT without a semicolon: leave out the one at its end"
          : "a check is one SELECT: write a line for each, without a semicolon"
      )
    }
    return ScriptCheck(sql: sql, line: line)
  }
}

extension MigrationScript {
  /// Whether a function, in lower case, gives the time of its call: `date()`, `strftime('%s', 'now')`.
  ///
  /// O(text).
  func asksForTime(_ function: String) -> Bool {
    let tokens = SQLTokens(sql)
    let words = tokens.filter { !$0.isBlank }
    for (index, word) in words.enumerated() {
      guard [.word, .quotedName].contains(word.kind),
        tokens.content(of: word).lowercased() == function,
        words.indices.contains(index + 1), tokens.text(of: words[index + 1]) == "("
      else { continue }
      var depth = 0
      var commas = 0
      var isEmpty = true
      for word in words[(index + 1)...] {
        let text = tokens.text(of: word)
        if text == ")" { depth -= 1 }
        if depth == 0, text != "(" { break }
        if depth > 0 { isEmpty = false }
        if depth == 1, text == "," { commas += 1 }
        if text == "(" { depth += 1 }
        if word.kind == .text, tokens.content(of: word).lowercased() == "now" { return true }
      }
      // Without a time it is that of the call.
      if isEmpty || function == "strftime" && commas == 0 { return true }
    }
    return false
  }
}

/// A comment, and what in it looks like a directive.
private struct DirectiveComment {
  /// What follows `-- strata:`, if that is how it starts.
  private(set) var directive: Substring?
  /// Else how many lines below its first there is a `-- strata:`, or in `/* … */` a line that starts with `strata:`.
  private(set) var hidden: Int?

  var isOne: Bool { directive != nil || hidden != nil }

  /// O(text).
  init(_ text: String) {
    let scalars = Array(text.unicodeScalars)
    let isLine = text.utf8.starts(with: "--".utf8)
    let word = "strata:".unicodeScalars
    for index in scalars.indices.dropFirst(2) where scalars[index].value | 0x20 == 0x73 {
      let rest = scalars[index...]
      guard rest.count >= word.count, zip(rest, word).allSatisfy({ $0.value | 0x20 == $1.value })
      else { continue }
      var before = index - 1
      while scalars[before].properties.isWhitespace, scalars[before] != "\n" { before -= 1 }
      let sign = scalars[before]
      guard sign == "-" || !isLine && (sign == "\n" || sign == "*") else { continue }
      if isLine, before == 1, scalars[2..<index].allSatisfy({ $0 == " " || $0 == "\t" }) {
        let start = text.unicodeScalars.index(text.startIndex, offsetBy: index + word.count)
        directive = text[start...]
        return
      } else if hidden == nil {
        hidden = scalars[..<index].count { $0 == "\n" }
      }
    }
  }
}

extension StringProtocol {
  fileprivate var lineFeeds: Int { utf8.count { $0 == UInt8(ascii: "\n") } }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = drop(while: \.isWhitespace)
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
