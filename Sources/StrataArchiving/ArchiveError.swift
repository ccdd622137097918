public import Foundation
public import StrataJournal

/// What went wrong with an archive, and what to do about it.
///
/// The store and its file are unchanged.
public struct ArchiveError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong.
  public enum Reason: Error, Sendable, Equatable {
    /// It cannot be reached, or did not answer in time. What was sent may have taken effect.
    case away(String)
    /// Another process leads, or the head of the archive is not the one that the caller expects.
    case refused
    /// The lease of another leader runs for this long.
    case led(by: String, for: Duration)
    /// The lease of a leader that gives no sign runs for longer than a lease is: a clock went back, or that leader asks
    /// for longer ones.
    case leaseTooLong(by: String, for: Duration, lease: Duration)
    /// Another process leads, or may do so by now, so commits would not become part of the history.
    ///
    /// It has the name of that leader, nil while it is not known that another one leads, and why this process does not: whose
    /// lease runs, or since when the archive cannot be reached.
    case notLeading(by: String?, because: String)
    /// The store follows it, and has no commits of its own.
    case following
    /// It has the history of another store.
    case otherStore(UUID)
    /// It has no store: nothing was put there yet, or it was removed or lost.
    case empty
    /// There is no such thing in it.
    case notFound(String)
    /// It has these revisions only as the snapshot at the last one: it could not be reached when they were made, and the
    /// file no longer had their deltas afterwards.
    case gap(ClosedRange<Revision>)
    /// The file was taken back to a revision on purpose, as by a restored backup, and the archive goes on to another one, or
    /// has other commits.
    case takenBack(to: Revision, archive: Revision)
    /// It has so many entities that were erased from the file: it went back to before that, or the erasure was never sent to
    /// it. A file does not take its history, which would bring them back.
    case lacksErasures(Int)
    /// It was made by an older version of Strata, whose format this one does not read.
    case olderFormat(found: Int, known: Int)
    /// It was made by a newer version of Strata.
    case newerFormat(found: Int, known: Int)
    /// Its contents are not those that were put there.
    case damaged(String)
    /// It refuses this user, or cannot be asked with these settings: a user, a password, a database, a certificate or a right.
    case noAccess(String)
    /// It cannot be used as it was given.
    case unusable(String)
  }

  /// What went wrong.
  public let reason: Reason
  /// The archive, as `Archive.name` gives it.
  public let archive: String

  /// Creates an error.
  public init(_ reason: Reason, archive: String) {
    self.reason = reason
    self.archive = archive
  }

  /// A sentence, followed by the remedy.
  public var description: String { "\(sentence.sentence.withFullStop) \(remedy)" }

  package var sentence: String {
    switch reason {
    case .away(let detail): "the archive \(archive) cannot be reached (\(detail))"
    case .refused: "another process leads the archive \(archive), or has changed it"
    case .led(let leader, let rest):
      "the archive \(archive) is led by \(leader) for another \(Self.text(rest))"
    case .otherStore(let id): "the archive \(archive) belongs to the store \(id)"
    case .leaseTooLong(let leader, let rest, let lease):
      """
      the lease of \(leader) for the archive \(archive) runs for another \(Self.text(rest)), and a lease is \
      \(Self.text(lease)): the clock that it runs by went back, or \(leader) asks for longer ones
      """
    case .empty: "the archive \(archive) has no store"
    case .notFound(let what): "there is no \(what) in the archive \(archive)"
    case .gap(let gap):
      """
      the archive \(archive) has the revisions \(gap.lowerBound) to \(gap.upperBound) only as the snapshot at \
      \(gap.upperBound): it could not be reached when they were made
      """
    case .takenBack(let revision, let last):
      """
      the file was taken back to revision \(revision) on purpose, and the archive \(archive) has another history, up to \
      revision \(last)
      """
    case .lacksErasures(let count):
      """
      the archive \(archive) may have \(Measures.count(count, "entity", "entities")) that \(count == 1 ? "was" : "were") erased \
      from the file: it went back to before that, or the erasure was never sent to it
      """
    case .notLeading(let leader?, let cause):
      "\(leader) leads the archive of this store now (\(cause))"
    case .notLeading(nil, let cause):
      "this process may not lead the archive of this store any more (\(cause))"
    case .following: "this store follows \(archive), and has no commits of its own"
    case .olderFormat(let found, let known), .newerFormat(let found, let known):
      "the archive \(archive) has format \(found), and this build knows \(known)"
    case .damaged(let detail): "the archive \(archive) is damaged: \(detail)"
    case .noAccess(let detail): "the archive \(archive) gives no access: \(detail)"
    case .unusable(let detail): "the archive \(archive) cannot be used: \(detail)"
    }
  }

  var remedy: String {
    switch reason {
    case .away: "Check the network and the server."
    case .refused: "Follow the new leader, or open the file again once its lease has ended."
    case .led: "Follow that leader, or try again once its lease has ended."
    case .notLeading(_?, _):
      """
      Close this store and open it again to follow, or to lead once the lease has ended. Commits that are not in \
      the archive stay in the file.
      """
    case .notLeading(nil, _): "Wait until the archive can be reached again, or open the file again."
    case .following: "Commit where the followed store is written, or let the follower lead."
    case .otherStore: "Give each store an archive of its own."
    case .leaseTooLong:
      "If that leader has ended, `strata archive release` ends the lease; else set the clock right."
    case .empty:
      "If it had one, restore the archive, or push the store again; else open a store with it once."
    case .notFound: "`strata archive status` shows what there is."
    case .gap(let gap):
      "Take revision \(gap.lowerBound.previous) or \(gap.upperBound); a backup may have what is between."
    case .takenBack:
      """
      `strata push STORE --to ARCHIVE --replace` makes the file's history that of the archive, and keeps the other one beside \
      the file. To give up the restored file, move it away: the next opening takes the archive's history.
      """
    case .lacksErasures:
      """
      Open or push the file that the entities were erased from, if it has all of the archive's commits; else erase them from \
      the leader's store too: `strata erase`.
      """
    case .olderFormat:
      """
      Pull it with the version of Strata that made it, or with 0.2 (`strata pull`), export the file there \
      (`strata export`), and import that with this one (`strata import`). The archive was not changed.
      """
    case .newerFormat: "Update this program."
    case .damaged: "Another copy may have it: the file of a leader or of a follower."
    case .noAccess:
      "Check the user, the password, the database and the rights; nothing more is sent or read until they are right."
    case .unusable: "Correct what it names, and try again."
    }
  }

  private static func text(_ duration: Duration) -> String {
    duration.formatted(.units(allowed: [.hours, .minutes, .seconds], width: .wide))
  }
}

extension ArchiveError.Reason {
  /// Refuses every format but the known one.
  package static func check(format found: Int, known: Int) throws {
    if found < known { throw Self.olderFormat(found: found, known: known) }
    if found > known { throw Self.newerFormat(found: found, known: known) }
  }
}

extension ArchiveError: FeatureError {
  package func remedy(at path: String?) -> String { remedy }

  package var kind: PersistenceError.Kind {
    switch reason {
    case .empty, .notFound, .gap: .notThere
    case .otherStore, .takenBack: .otherStore
    case .refused, .led, .leaseTooLong, .notLeading: .locked
    case .away: .busy
    case .damaged: .damaged
    case .newerFormat: .newer
    case .olderFormat: .otherSchema
    case .lacksErasures, .noAccess, .unusable, .following: .refused
    }
  }

  package var programRemedy: PersistenceError.Remedy {
    switch reason {
    case .away, .refused, .led, .leaseTooLong, .notLeading(nil, _): .retry
    case .notLeading(_?, _): .reopen
    case .following: .fixProgram
    case .otherStore, .empty, .notFound, .gap, .takenBack, .lacksErasures, .noAccess, .unusable:
      .chooseAnother
    case .olderFormat: .useOlderBuild
    case .newerFormat: .useNewerBuild
    case .damaged: .restore
    }
  }
}

extension PersistenceError {
  /// What is wrong with an archive; nil for an error of another kind.
  public var archive: ArchiveError? { feature() }
}

extension PersistenceError.Reason {
  package static func archive(_ error: ArchiveError) -> Self { .feature(error) }
}
