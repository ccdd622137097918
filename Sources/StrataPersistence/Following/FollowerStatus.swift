public import Foundation
public import StrataArchive
public import StrataJournal

/// How a follower is at one moment.
public enum FollowerStatus: Sendable, Equatable {
  /// It has everything that there is.
  case current
  /// It is reading.
  case behind
  /// What it follows cannot be reached since then; it is tried again.
  case away(String, since: Date)
  /// What it follows cannot be applied: its store stays as it is.
  case failed(String)
  /// It leads.
  case leading
  /// It was closed.
  case closed
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
  /// It can be reached again.
  case back
  /// This process leads from here on.
  case leading
}
