public import StrataArchive
public import StrataJournal
public import StrataNormalization
public import StrataStorage

/// What opening a file found: where the restored state comes from, and what was noticed.
public struct RestoreReport: Sendable, Equatable {
  /// How complete the restored state is.
  public enum Outcome: String, Sendable, Codable {
    /// There was no file; one was created from the initial state.
    case fresh
    /// Everything that was ever acknowledged as durable is there.
    case restored
    /// Something is missing: see ``RestoreReport/loss``.
    case restoredWithLoss
    /// Nothing was restored: a follower waits until the leader has run a migration. The state is the initial one.
    case waitingForMigration
  }

  /// How complete the restored state is.
  public var outcome: Outcome
  /// The position of the file.
  public var position: Position
  /// The snapshot the state was restored from.
  public var snapshotRevision: Revision
  /// How many deltas after that snapshot were applied.
  public var replayedDeltas: Int
  /// How many entities there are, in the tables this build knows.
  public var entities: Int
  /// Tables of the file that this build does not know; they stay in it as they are.
  public var unknownTables: [String]
  /// Tables that are new to the file; they start from the initial state.
  public var newTables: [String]
  /// Values of the file that this build does not list; they stay in it as they are.
  public var unknownValues: [String] = []
  /// Values that are new to the file; they start from the initial state.
  public var newValues: [String] = []
  /// References that lead to no entity; they refuse no commit.
  public var danglingReferences: [DanglingReferences] = []
  /// The rules that the data breaks, under `.report`.
  public var brokenRules: [RuleViolation] = []
  /// The migrations that a newer build has run on the file and that this build lacks.
  ///
  /// What this build writes has the shape from before them; a newer build migrates it when it opens the file.
  public var newerMigrations: [String] = []
  /// The migrations that the opening ran; nil if none was pending.
  public var migrations: MigrationReport?
  /// What the opening found in the archive and did; nil without one.
  public var archive: ArchiveReport?
  /// What was noticed and is not an error: a damaged snapshot that was skipped, an unsynced tail
  /// lost in a power cut, a missing head.
  public var notes: [String]
  /// What is missing; nil unless the outcome is `.restoredWithLoss`.
  public var loss: RestoreLoss?

  /// The revision of the restored state.
  public var revision: Revision { position.revision }
}

extension RestoreReport {
  /// Notes what was lost of a damaged file in whose place the history of its archive came.
  mutating func note(_ lost: RestoreLoss?, replacedThrough mark: HistoryMark?) {
    guard let lost, let mark else { return }
    notes.append(
      """
      the file was damaged, and the history of the archive through revision \(mark.revision) came in its place: \
      \(lost.damage ?? "it lost commits")
      """
    )
    guard let revisions = lost.revisions, revisions.upperBound > mark.revision else { return }
    loss = lost
    loss?.missing = []
    loss?.revisions = max(revisions.lowerBound, mark.revision.next)...revisions.upperBound
    outcome = .restoredWithLoss
  }
}
