public import StrataJournal
public import StrataNormalization
public import StrataStorage

/// What opening a file found: where the restored state comes from, and what was noticed.
public struct RestoreReport: Sendable, Equatable {
  /// How complete the restored state is.
  public enum Outcome: Sendable {
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
  /// The migrations that a newer build has run on the file and that this build lacks: an opening for reading lists them,
  /// one for writing is refused.
  public var newerMigrations: [String] = []
  /// What the steps of the opening did.
  package var parts = ReportParts()
  /// What was noticed and is not an error: a damaged snapshot that was skipped, an unsynced tail
  /// lost in a power cut, a missing head.
  public var notes: [String]
  /// What is missing; nil unless the outcome is `.restoredWithLoss`.
  public var loss: RestoreLoss?

  package init(
    outcome: Outcome,
    position: Position,
    snapshotRevision: Revision = 0,
    replayedDeltas: Int = 0,
    entities: Int = 0,
    unknownTables: [String] = [],
    newTables: [String] = [],
    unknownValues: [String] = [],
    newValues: [String] = [],
    notes: [String] = [],
    loss: RestoreLoss? = nil
  ) {
    self.outcome = outcome
    self.position = position
    self.snapshotRevision = snapshotRevision
    self.replayedDeltas = replayedDeltas
    self.entities = entities
    self.unknownTables = unknownTables
    self.newTables = newTables
    self.unknownValues = unknownValues
    self.newValues = newValues
    self.notes = notes
    self.loss = loss
  }

  /// The revision of the restored state.
  public var revision: Revision { position.revision }
}
