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
  /// A comment that starts with `-- strata:` and is not understood.
  struct Unreadable: Error, Equatable {
    let line: Int
    let detail: String
  }

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
  /// - Throws: `Unreadable` for a directive that is wrong, and for one in another place, where it would have no effect.
  init(_ sql: String) throws(Unreadable) {
    self.sql = sql
    let tokens = SQLTokens(sql)
    var line = 1
    /// Whether nothing but space is before the token on its line.
    var startsLine = true
    for token in tokens {
      let text = tokens.text(of: token)
      if token.isBlank, token.kind != .space {
        let comment = DirectiveComment(text)
        if let directive = comment.directive {
          if !startsLine { throw .besideSQL(text, line: line) }
          try read(directive, line)
        } else if let below = comment.hidden {
          throw .hidden(line: line + below)
        }
      }
      if !token.isBlank, token.kind != .semicolon { hasStatement = true }
      let feeds = text.lineFeeds
      line += feeds
      startsLine = token.kind == .space && (startsLine || feeds > 0)
    }
  }

  private mutating func read(_ directive: Substring, _ line: Int) throws(Unreadable) {
    let word = directive.prefix { !$0.isWhitespace }
    let rest = directive.dropFirst(word.count).trimmed
    switch word {
    case "before": before.append(try check(rest, line))
    case "after": after.append(try check(rest, line))
    case "allow":
      guard let read = MigrationAllowance.list(rest) else {
        throw Unreadable(
          line: line,
          detail: """
            cannot read “\(rest)”: write -- strata:allow destructive(users.bio), with one of \
            \(MigrationFinding.Kind.allCases.map(\.rawValue).joined(separator: ", "))
            """
        )
      }
      allowances += read
    case "replaces":
      let numbers = rest.split(separator: "...").compactMap { Int($0) }
      guard numbers.count == 2, numbers[0] >= 1, numbers[1] >= numbers[0] else {
        throw Unreadable(line: line, detail: "cannot read “\(rest)”: write a range such as 1...12")
      }
      if replaces != nil {
        throw Unreadable(line: line, detail: "a script stands for one range: keep one of the lines")
      }
      replaces = numbers[0]...numbers[1]
      replacesLine = line
    default:
      throw Unreadable(
        line: line,
        detail: "“strata:\(word)” is not known: use before, after, allow or replaces"
      )
    }
  }

  /// What a script of this number says beside that it stands for others, which would have no effect; nil if there is
  /// nothing.
  func conflict(as number: Int?, hasDown: Bool) -> Unreadable? {
    guard let replaces else { return nil }
    if let number, number != replaces.upperBound {
      return Unreadable(
        line: replacesLine,
        detail: """
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
    return detail.map { Unreadable(line: replacesLine, detail: $0) }
  }

  /// The same for a script that takes a migration back.
  var conflictAsDown: Unreadable? {
    if replaces == nil { return nil }
    return Unreadable(
      line: replacesLine,
      detail: "a script for the way back stands for no other: write this into the script itself"
    )
  }

  /// Whether it has neither a statement nor a check.
  var isEmpty: Bool { before.isEmpty && after.isEmpty && !hasStatement }

  private func check(_ sql: String, _ line: Int) throws(Unreadable) -> ScriptCheck {
    let tokens = SQLTokens(sql)
    let words = tokens.filter { !$0.isBlank }
    if tokens.contains(where: { $0.isBlank && DirectiveComment(tokens.text(of: $0)).isOne }) {
      throw .hidden(line: line)
    }
    guard let first = words.first else {
      throw Unreadable(line: line, detail: "a check is a SELECT on the same line")
    }
    guard ["select", "with", "values"].contains(tokens.text(of: first).lowercased()) else {
      throw Unreadable(line: line, detail: "“\(sql)” is no check: write one SELECT")
    }
    if let end = words.firstIndex(where: { $0.kind == .semicolon }) {
      throw Unreadable(
        line: line,
        detail: end == words.count - 1
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

extension MigrationScript.Unreadable {
  /// A directive within a comment.
  fileprivate static func hidden(line: Int) -> Self {
    Self(
      line: line,
      detail: """
        a directive within a comment has no effect: give it a line of its own, or put a bar before it, as in \
        | strata:allow
        """
    )
  }

  /// A directive behind a statement, or behind a comment.
  fileprivate static func besideSQL(_ comment: String, line: Int) -> Self {
    Self(line: line, detail: "a directive has a line of its own: move “\(comment)” to the next one")
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
