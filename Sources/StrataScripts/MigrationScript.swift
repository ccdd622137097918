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
  /// A SELECT that must give one true value, and the line it is on.
  struct Check: Equatable, Sendable {
    let sql: String
    let line: Int
  }

  /// A comment that starts with `-- strata:` and is not understood.
  struct Unreadable: Error, Equatable {
    let line: Int
    let detail: String
  }

  let sql: String
  private(set) var before: [Check] = []
  private(set) var after: [Check] = []
  /// What it may lose, and what else it says is intended.
  private(set) var allowances: [MigrationAllowance] = []
  /// The numbers of the migrations that it stands for, if it was squashed.
  private(set) var replaces: ClosedRange<Int>?
  /// The line that says so.
  private var replacesLine = 0
  /// The names of the steps in whose place it runs on what older builds have written since.
  private(set) var bringsUp: [String] = []
  /// The line that says so.
  private var bringsUpLine = 0

  /// O(text).
  init(_ sql: String) throws(Unreadable) {
    self.sql = sql
    var number = 0
    for line in sql.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let text = line.trimmed
      guard text.hasPrefix("--") else { continue }
      let comment = text.dropFirst(2).drop { $0 == " " || $0 == "\t" }
      guard comment.hasPrefix("strata:") else { continue }
      try read(comment.dropFirst("strata:".count), number)
    }
  }

  private mutating func read(_ directive: Substring, _ line: Int) throws(Unreadable) {
    let word = directive.prefix { !$0.isWhitespace }
    let rest = directive.dropFirst(word.count).trimmed
    switch word {
    case "before": before.append(try check(rest, line))
    case "after": after.append(try check(rest, line))
    case "allow":
      guard let read = Self.allowances(rest) else {
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
    case "brings-up":
      let names = rest.split { $0 == "," || $0.isWhitespace }
        .map { SQLMigrationName.withoutPrefix($0) }
      guard !names.isEmpty, names.allSatisfy({ SQLMigrationName.number(of: $0) != nil }) else {
        throw Unreadable(
          line: line,
          detail:
            "cannot read “\(rest)”: write the name of an earlier migration, such as 0003_split_name"
        )
      }
      bringsUp += names
      bringsUpLine = line
    default:
      throw Unreadable(
        line: line,
        detail: "“strata:\(word)” is not known: use before, after, allow, brings-up or replaces"
      )
    }
  }

  /// What a script of this number says that would have no effect: beside that it stands for others, or in a way back;
  /// nil if there is nothing.
  func conflict(as number: Int?, hasDown: Bool) -> Unreadable? {
    guard let replaces else {
      guard hasDown, !bringsUp.isEmpty else { return nil }
      return Unreadable(
        line: bringsUpLine,
        detail: """
          a script that brings up records of older builds has nothing to take back, so remove its script for the way back
          """
      )
    }
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
      if !NormalizedSQL(sql).bytes.isEmpty {
        "a script that stands for others is not run, and it has statements: move them to the next number"
      } else if !before.isEmpty || !after.isEmpty || !allowances.isEmpty {
        "a script that stands for others is not run, so remove its checks and permissions"
      } else if !bringsUp.isEmpty {
        "a script that stands for others is not run, so it brings up no records: give that to the next number"
      } else if hasDown {
        "a script that stands for others cannot be taken back, so remove its script for the way back"
      } else {
        nil
      }
    return detail.map { Unreadable(line: replacesLine, detail: $0) }
  }

  /// The same for a script that takes a migration back.
  var conflictAsDown: Unreadable? {
    if replaces == nil, bringsUp.isEmpty { return nil }
    return Unreadable(
      line: max(replacesLine, bringsUpLine),
      detail: "a script for the way back stands for no other: write this into the script itself"
    )
  }

  /// Whether it has neither a statement nor a check.
  var isEmpty: Bool { before.isEmpty && after.isEmpty && NormalizedSQL(sql).bytes.isEmpty }

  /// What a list allows; nil if it cannot be read.
  private static func allowances(_ text: String) -> [MigrationAllowance]? {
    var allowances: [MigrationAllowance] = []
    var rest = text[...]
    while true {
      rest = rest.drop { $0 == "," || $0.isWhitespace }
      if rest.isEmpty { return allowances.isEmpty ? nil : allowances }
      let word = rest.prefix { $0 != "," && $0 != "(" && !$0.isWhitespace }
      var item = word
      if rest[word.endIndex...].first == "(" {
        guard let end = rest.firstIndex(of: ")") else { return nil }
        item = rest[...end]
      }
      guard let allowance = MigrationAllowance(parsing: item) else { return nil }
      allowances.append(allowance)
      rest = rest[item.endIndex...]
    }
  }

  private func check(_ sql: String, _ line: Int) throws(Unreadable) -> Check {
    guard !sql.isEmpty else {
      throw Unreadable(line: line, detail: "a check is a SELECT on the same line")
    }
    return Check(sql: sql, line: line)
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = drop(while: \.isWhitespace)
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
