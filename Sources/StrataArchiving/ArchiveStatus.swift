public import Foundation
public import StrataJournal
package import StrataStorage

/// The state of a store's archive at one moment.
public struct ArchiveStatus: Sendable, Equatable {
  /// Whether commits reach the archive.
  public enum Condition: Sendable, Equatable {
    /// It was not reached yet.
    case starting
    /// Commits reach it, in this epoch.
    case leading(epoch: Int64)
    /// It has been out of reach since then; it is tried again.
    case away(String, since: Date)
    /// It has given this process no access since then: a user, a password, a database or a right is wrong. It is tried again.
    case refused(String, since: Date)
    /// It has taken no commits since then and will not by itself: it has lost the store, or the file cannot be read. It is
    /// tried again.
    case failed(String, since: Date)
    /// Another process leads, and this one no longer sends anything.
    case notLeading(by: String)
    /// The persistence was closed.
    case closed
  }

  /// The archive.
  public var name: String
  /// The name under which this process leads it.
  public var leader: String
  /// Whether commits reach it.
  public var condition: Condition
  /// The last revision that it has; nil until it was reached.
  public var replicated: Revision?
  /// The revisions that it will never have, because the file had removed their deltas before it could be reached.
  public var gaps: [ClosedRange<Revision>] = []
  /// Since when there are commits that it does not have; nil if there are none.
  public var behindSince: Date?
  /// The last epoch in which this process has led; nil if it has not.
  public var epoch: Int64?
  /// When its lease ends, unless it is extended before, by the clock of this process; nil if it has none.
  ///
  /// Another process may lead after that.
  public var leaseEnd: Date?
  /// When the archive has last answered; nil if it has not since the opening.
  public var lastContact: Date?
  /// How many calls to it have failed since the opening.
  public var failedCalls: Int = 0

  package init(
    name: String,
    leader: String = "",
    condition: Condition,
    replicated: Revision? = nil,
    gaps: [ClosedRange<Revision>] = [],
    behindSince: Date? = nil
  ) {
    self.name = name
    self.leader = leader
    self.condition = condition
    self.replicated = replicated
    self.gaps = gaps
    self.behindSince = behindSince
  }
}

extension ArchiveStatus.Condition {
  /// Since when commits do not reach it; nil unless it is tried again.
  package var failingSince: Date? {
    switch self {
    case .away(_, let since), .refused(_, let since), .failed(_, let since): since
    case .starting, .leading, .notLeading, .closed: nil
    }
  }

  /// Whether both are out of reach, both give no access, or both have failed.
  package func isLike(_ other: Self) -> Bool {
    switch (self, other) {
    case (.away, .away), (.refused, .refused), (.failed, .failed): true
    default: false
    }
  }
}

extension ArchiveStatus: ReportPart {
  package var sentences: [String] { [description] }

  package var isProblem: Bool {
    switch condition {
    case .away, .refused, .failed, .notLeading: true
    case .starting, .leading, .closed: false
    }
  }

  package func measures(at time: Date) -> [Measure] {
    let isLeading = if case .leading = condition { true } else { false }
    return [
      Measure("strata_archive_leading", isLeading ? 1 : 0),
      Measure("strata_archive_lag_seconds", Measure.seconds(since: behindSince ?? time, time)),
      Measure("strata_archive_epoch", epoch),
      Measure("strata_archive_lease_seconds", Measure.seconds(since: time, leaseEnd ?? time)),
      Measure(
        "strata_archive_contact_seconds",
        lastContact.map { Measure.seconds(since: $0, time) }
      ),
      Measure("strata_archive_gaps", Int64(gaps.count)),
      Measure("strata_archive_failed_calls", Int64(failedCalls), isTotal: true),
    ]
  }
}

extension ArchiveStatus: CustomStringConvertible {
  /// Sentences for a person.
  public var description: String {
    var sentences = ["Archive \(name): \(condition)"]
    if let replicated { sentences.append("It has the commits through revision \(replicated).") }
    if let behindSince {
      sentences.append("It has been behind since \(Measures.time(behindSince)).")
    }
    for gap in gaps {
      sentences.append(
        "It will not have the revisions \(gap.lowerBound) to \(gap.upperBound) one by one."
      )
    }
    if let leaseEnd {
      sentences.append("The lease of \(leader) runs until \(Measures.time(leaseEnd)).")
    }
    if let lastContact { sentences.append("It last answered at \(Measures.time(lastContact)).") }
    if failedCalls > 0 {
      let calls = Measures.count(failedCalls, "call", "calls")
      sentences.append("\(calls) to it \(failedCalls == 1 ? "has" : "have") failed.")
    }
    return sentences.joined(separator: " ")
  }
}

extension ArchiveStatus.Condition: CustomStringConvertible {
  /// A sentence or two, with what to do where something has to be done.
  public var description: String {
    switch self {
    case .starting: "it was not reached yet."
    case .leading(let epoch): "commits reach it, in epoch \(epoch)."
    case .away(let detail, let since):
      """
      it has not been reached since \(Measures.time(since)) (\(detail)). It gets what it lacks once it answers: see to the \
      network and the server.
      """
    case .refused(let detail, let since), .failed(let detail, let since):
      "it has taken no commits since \(Measures.time(since)). \(detail.sentence)"
    case .notLeading(let leader):
      """
      \(leader) leads it, and commits of this process do not reach it. Close the store, and follow that process or open the \
      store again: what only this file has is moved aside then.
      """
    case .closed: "closed."
    }
  }
}

/// An event of a store's archive, while the store is open.
public enum ArchiveEvent: Sendable, Equatable {
  /// This process leads, in this epoch.
  case leading(epoch: Int64)
  /// The archive has everything up to this revision.
  case replicated(through: Revision)
  /// Commits have not reached the archive since then; they go on, and it is tried again. `ArchiveStatus.Condition` says
  /// whether it is out of reach, gives no access or has failed.
  case away(since: Date, String)
  /// The archive can be reached again.
  case back
  /// The archive got a snapshot instead of these revisions, whose deltas the file no longer had.
  case gap(ClosedRange<Revision>)
  /// Another process leads: further commits are refused, and those that the archive lacks stay in the file.
  case notLeading(by: String)
}

extension ArchiveEvent: BroadcastEvent {
  package func absorbing(_ earlier: ArchiveEvent) -> ArchiveEvent? {
    switch (self, earlier) {
    case (.leading, .leading), (.replicated, .replicated), (.away, .away), (.back, .back),
      (.notLeading, .notLeading):
      self
    default: nil
    }
  }
}
