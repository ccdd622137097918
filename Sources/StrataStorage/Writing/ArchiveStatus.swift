public import Foundation
public import StrataJournal

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
    /// It has taken no commits since then and will not by itself: it has lost the store, or rights are missing. It is
    /// tried again.
    case failed(String, since: Date)
    /// Another process leads, and this one no longer sends anything.
    case notLeading(by: String)
    /// The persistence was closed.
    case closed
  }

  /// The archive.
  public var name: String
  /// Whether commits reach it.
  public var condition: Condition
  /// The last revision that it has; nil until it was reached.
  public var replicated: Revision?
  /// The revisions that it will never have, because the file had removed their deltas before it could be reached.
  public var gaps: [ClosedRange<Revision>] = []
  /// Since when there are commits that it does not have; nil if there are none.
  public var behindSince: Date?

  package init(
    name: String,
    condition: Condition,
    replicated: Revision? = nil,
    gaps: [ClosedRange<Revision>] = [],
    behindSince: Date? = nil
  ) {
    self.name = name
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
    case .away(_, let since), .failed(_, let since): since
    case .starting, .leading, .notLeading, .closed: nil
    }
  }

  /// Whether both are out of reach, or both have failed.
  package func isLike(_ other: Self) -> Bool {
    switch (self, other) {
    case (.away, .away), (.failed, .failed): true
    default: false
    }
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
    return sentences.joined(separator: " ")
  }
}

extension ArchiveStatus.Condition: CustomStringConvertible {
  /// A sentence.
  public var description: String {
    switch self {
    case .starting: "not reached yet."
    case .leading(let epoch): "commits reach it, in epoch \(epoch)."
    case .away(let detail, let since):
      "it has not been reached since \(Measures.time(since)) (\(detail))."
    case .failed(let detail, let since):
      "it has taken no commits since \(Measures.time(since)). \(detail.withFullStop)"
    case .notLeading(let leader): "\(leader) leads it; commits of this process do not reach it."
    case .closed: "closed."
    }
  }
}
