package import StrataJournal

/// The text of commits.
package enum CommitText {
  /// The revision, or the first and the last of merged commits: `12…15`.
  package static func revision(_ commit: CommitSummary) -> String {
    commit.first < commit.revision ? "\(commit.first)…\(commit.revision)" : "\(commit.revision)"
  }

  /// A line for each context.
  package static func contexts(_ commit: CommitSummary) -> [String] {
    var lines = (commit.contexts ?? []).map(text)
    if let count = commit.contextsLeftOut {
      lines.append("\(Measures.count(count, "commit more", "commits more")) with a context")
    }
    return lines
  }

  /// The contexts on one line.
  package static func context(_ commit: CommitSummary) -> String {
    contexts(commit).joined(separator: "; ")
  }

  /// `by ann, request 7, trace 4bf9, rename({"to":"Ann"}), source: web`.
  private static func text(_ context: ContextSummary) -> String {
    var parts: [String] = []
    if let user = context.user { parts.append("by \(user)") }
    if let request = context.request { parts.append("request \(request)") }
    if let trace = context.trace { parts.append("trace \(trace)") }
    if let call = context.call {
      let omitted = call.omitted.map { "arguments left out: \($0)" }
      parts.append("\(call.name)(\(call.arguments ?? omitted ?? ""))")
    }
    for (name, value) in (context.fields ?? [:]).sorted(by: { $0.key < $1.key }) {
      parts.append("\(name): \(value)")
    }
    if context.cut == true { parts.append("cut") }
    let commit = context.revision.map { "\($0): " } ?? ""
    return (commit + parts.joined(separator: ", ")).printable
  }

  /// The columns of a commit, in rows that have one.
  package static let columns: [RowText.Column] = [
    .init("revision", .numbers), .init("time", .whole), .init("commit"), .init("place"),
    .init("context"),
  ]

  /// The cells of ``columns``; without a commit, those of a value that was there at the oldest revision.
  package static func cells(_ commit: CommitSummary?, orAt oldest: Revision) -> [RowText.Cell] {
    guard let commit else {
      return [.json("null", text: "≤ \(oldest)"), .none, .none, .none, .none]
    }
    let contexts = commit.contexts.map {
      RowText.Cell.json(SummaryJSON.compact($0), text: context(commit))
    }
    return [
      .number(commit.revision), .time(commit.time), .text(commit.name), .text(commit.place),
      contexts ?? .none,
    ]
  }
}
