public import Foundation
public import StrataArchiving
public import StrataJournal
import StrataStorage

/// How a follower is at one moment.
public enum FollowerStatus: Sendable, Equatable {
  /// It has everything that there is: what it follows has said so at ``Follower/lastContact``.
  case current
  /// There is more, or nothing has said yet that there is not.
  case behind
  /// What it follows cannot be reached since then; it is tried again.
  case away(String, since: Date)
  /// The archive has given it no access since then: a user, a password, a database or a right is wrong. It is tried again.
  case refused(String, since: Date)
  /// What it follows cannot become the state of this store, which stays as it is: it has types that this build does not
  /// know, or is damaged. It is tried again.
  case failed(String)
  /// What it follows has records of an older build, and the leader has to run this migration first.
  ///
  /// The store stays as it is, or has its initial state; it goes on when the leader has run all that this build lists.
  case waitingForMigration(String)
  /// It leads.
  case leading
  /// It was closed.
  case closed
}

extension FollowerStatus: CustomStringConvertible {
  /// A sentence or two, with what to do where something has to be done.
  public var description: String {
    switch self {
    case .current: "It has everything that there is."
    case .behind: "It is behind, and applies what there is."
    case .away(let detail, let since):
      "What it follows has not been reached since \(Measures.time(since)): \(detail.sentence) It is tried again."
    case .refused(let detail, let since):
      "It has had no access since \(Measures.time(since)). \(detail.sentence) It is tried again."
    case .failed(let detail):
      "What it follows cannot become the state of this store, which stays as it is. \(detail.sentence) It is tried again."
    case .waitingForMigration(let name):
      """
      It waits for the migration “\(name)”: start a leader of this build, or run `strata migrate up` on the leader's file.
      """
    case .leading: "This process leads."
    case .closed: "It was closed."
    }
  }
}

/// An event of a follower.
public enum FollowerEvent: Sendable, Equatable {
  /// The store has everything up to this revision.
  case applied(through: Revision)
  /// The history was taken back or had a gap: the store has it as it is now, at the second revision.
  case rewound(from: Revision, to: Revision)
  /// The follower's file did not fit the history any more and was moved aside; comes before ``rewound(from:to:)``.
  case setAside(ArchiveReport.SetAside)
  /// What it follows cannot be reached.
  case away(String)
  /// The archive gives it no access.
  case refused(String)
  /// What it follows cannot become the state of this store, which stays as it is.
  case failed(String)
  /// It follows again, after ``away(_:)``, ``refused(_:)`` or ``failed(_:)``.
  case back
  /// This process leads from here on.
  case leading
  /// A standby might lead, and could not: it goes on following, and tries again.
  case couldNotLead(String)
}

extension FollowerEvent: BroadcastEvent {
  package func absorbing(_ earlier: FollowerEvent) -> FollowerEvent? {
    switch (self, earlier) {
    case (.applied, .applied), (.away, .away), (.refused, .refused), (.failed, .failed),
      (.back, .back), (.leading, .leading), (.couldNotLead, .couldNotLead):
      self
    case (.rewound(_, let to), .rewound(let from, _)): .rewound(from: from, to: to)
    default: nil
    }
  }
}
