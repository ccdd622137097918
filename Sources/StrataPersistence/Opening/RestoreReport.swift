public import StrataStorage

/// What opening a file found: where the restored state comes from, and what is worth knowing.
public struct RestoreReport: Sendable, Equatable {
  /// How it went.
  public enum Outcome: String, Sendable, Codable {
    /// There was no file; one was created from the initial state.
    case fresh
    /// Everything that was ever acknowledged is there.
    case restored
    /// Something is missing: see ``RestoreReport/loss``.
    case restoredWithLoss
  }

  /// How it went.
  public var outcome: Outcome
  /// Where the file stands.
  public var position: Position
  /// The snapshot the state was restored from.
  public var snapshotRevision: Revision
  /// How many deltas after it were applied.
  public var replayedDeltas: Int
  /// How many entities there are, in the tables this build knows.
  public var entities: Int
  /// Tables of the file that this build does not know; they are kept as they are.
  public var unknownTables: [String]
  /// Tables that are new to the file; they start from the initial state.
  public var newTables: [String]
  /// Values of the file that this build does not list; they are kept as they are.
  public var unknownValues: [String] = []
  /// Values that are new to the file; they start from the initial state.
  public var newValues: [String] = []
  /// What was noticed and is not an error: a broken snapshot passed over, an unsynced tail lost in
  /// a power cut, a missing head.
  public var notes: [String]
  /// What is missing; nil unless the outcome is `.restoredWithLoss`.
  public var loss: RestoreLoss?

  /// The revision of the restored state.
  public var revision: Revision { position.revision }
}
