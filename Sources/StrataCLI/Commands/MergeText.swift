import ArgumentParser
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataRecords
import StrataStorage

/// The output of the subcommands that commit records again: `strata reapply`, `strata undo`, `strata revert`.
enum MergeText {
  /// A result as JSON.
  struct Report: Encodable {
    struct Commits: Encodable {
      let first: Int64
      let last: Int64
    }

    struct Entity: Encodable {
      let table: String
      /// As JSON; nil for a persisted value.
      let id: String?
      let change: String
      let standing: EntityMerge.Change.Standing
      /// The last revision that has changed it since.
      let changedSince: Int64?
    }

    let commits: [Commits]
    let entities: [Entity]
    let refusals: [String]
    /// The revision of the commit; nil if nothing was written.
    let revision: Int64?

    init(_ result: EntityMerge.Result) {
      commits = result.revisions.map {
        Commits(first: $0.lowerBound.number, last: $0.upperBound.number)
      }
      entities = result.changes.map { change in
        Entity(
          table: change.table,
          id: change.id?.json(),
          change: change.kind.rawValue,
          standing: change.standing,
          changedSince: change.changedSince?.revision.number
        )
      }
      refusals = result.refusals
      revision = result.revision?.number
    }
  }

  /// What a subcommand does with the revisions.
  enum Work {
    case reapply, undo
    /// To before the first of them.
    case revert

    fileprivate func done(_ revisions: [ClosedRange<Revision>]) -> String {
      switch self {
      case .reapply: "\(from(revisions)) committed again"
      case .undo: "\(from(revisions)) undone"
      case .revert: " reverted to revision \(revisions.first?.lowerBound.previous ?? 0)"
      }
    }

    fileprivate func from(_ revisions: [ClosedRange<Revision>]) -> String {
      guard let first = revisions.first?.lowerBound, let last = revisions.last?.upperBound else {
        return ""
      }
      return switch self {
      case .reapply: " of the revisions \(first) to \(last)"
      case .undo where first == last: " of revision \(first)"
      case .undo: " of the revisions \(CommitUndo.text(revisions))"
      case .revert: " since revision \(first.previous)"
      }
    }

    /// What there is to do.
    fileprivate var open: String {
      switch self {
      case .reapply: "to commit again"
      case .undo: "to undo"
      case .revert: "to revert"
      }
    }

    fileprivate var present: String {
      self == .reapply ? "there already" : "as before already"
    }

    /// That there is nothing to do.
    fileprivate func nothing(_ result: EntityMerge.Result) -> String {
      switch self {
      case .reapply: "There is no revision that the store lacks."
      case .undo: "There is nothing to undo\(from(result.revisions))."
      case .revert:
        "It is as it was\(result.revisions.isEmpty ? "" : from(result.revisions)) already."
      }
    }

    fileprivate func note(_ change: EntityMerge.Change) -> String {
      switch change.standing {
      case .applies: return ""
      case .present:
        return self == .reapply ? "  (the store has it already)" : "  (as before already)"
      case .conflict: break
      }
      guard let since = change.changedSince else {
        return "  (conflict: the store has changed it since)"
      }
      let name = since.name.isEmpty ? "" : ", “\(since.name.printable)”,"
      return "  (conflict: revision \(since.revision)\(name) has changed it since)"
    }
  }

  /// A line for each entity, and one that says what was done.
  static func lines(
    _ work: Work,
    _ result: EntityMerge.Result,
    _ store: String,
    _ conflicts: EntityMerge.Conflicts = .refuse
  ) -> [String] {
    let entities = result.changes.map { change in
      let sign =
        switch change.kind {
        case .added: "+"
        case .changed: "~"
        case .removed: "-"
        }
      let id = change.id.map { " \($0.lineText)" } ?? ""
      return "\(sign) \(change.table.printable)\(id)\(work.note(change))"
    }
    // Those of reapply are counted also if there are none.
    if result.revisions.isEmpty || entities.isEmpty && work != .reapply {
      return result.refusals.isEmpty ? [work.nothing(result)] : []
    }
    let written = result.count(.applies) + (result.revision == nil ? 0 : result.count(.conflict))
    let isAccepted = conflicts == .overwrite && result.count(.conflict) > 0
    let accepted = isAccepted ? ", which --overwrite takes along" : ""
    let summary =
      if let revision = result.revision {
        """
        \(Measures.count(written, "entity", "entities"))\(work.done(result.revisions)), at revision \(revision) of \
        \(store.printable).
        """
      } else {
        """
        \(Measures.count(entities.count, "entity", "entities"))\(work.from(result.revisions)): \
        \(result.count(.applies)) \(work.open), \(result.count(.present)) \(work.present), \
        \(Measures.count(result.count(.conflict), "conflict", "conflicts"))\(accepted). Nothing was written.
        """
      }
    return entities + [summary]
  }

  /// Prints a result, and ends with the exit code for it.
  static func finish(
    _ work: Work,
    _ result: EntityMerge.Result,
    _ arguments: StoreArguments,
    _ conflicts: EntityMerge.Conflicts
  ) throws {
    if result.revision != nil {
      let written = result.changes.filter { $0.standing != .present && $0.kind != .removed }
      try Inspector(path: arguments.store).printUnchecked(Set(written.map(\.table)))
    }
    do {
      try Output.print { output throws(OutputError) in
        switch arguments.form {
        case .json: try output.line(SummaryJSON.indented(Report(result)))
        case .text:
          try output.lines(lines(work, result, arguments.store, conflicts))
        }
      }
      if result.revision != nil, arguments.form == .text { try printPush(arguments.store) }
    } catch OutputError.closed {
      // The exit code is set even if the output is not read.
    }
    for refusal in result.refusals { Output.printError(refusal.printable) }
    if !result.refusals.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
    if conflicts == .refuse, result.count(.conflict) > 0 {
      throw ExitCode(ExitStatus.differences.rawValue)
    }
  }

  /// Names the push that is next, where a program would open the store with an archive.
  private static func printPush(_ store: String) throws {
    guard try Inspector(path: store).hasLed() else { return }
    try Output.print { output throws(OutputError) in
      try output.line(
        "Send it to its archive before a program opens the store: strata push \(store.printable) --to ARCHIVE"
      )
    }
  }
}
