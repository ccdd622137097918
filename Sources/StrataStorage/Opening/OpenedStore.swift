package import StrataJournal

/// The result of opening a file: its contents, and what was found out about it.
package struct OpenedStore<Contents: Sendable>: Sendable {
  package let contents: Contents
  package let position: Position
  package let snapshot: Revision
  package let replayedDeltas: Int
  /// Whether the file was created by this opening.
  package let isNew: Bool
  /// What was noticed and is not an error.
  package let notes: [String]
  /// What could not be restored of a damaged file.
  package let loss: RestoreLoss?
  /// What the opening did to the data before it was restored; nil if there was nothing to do.
  package let prepared: PreparedFile?
}

extension OpenedStore {
  init(
    _ file: RestoredFile,
    _ contents: Contents,
    isNew: Bool,
    loss: RestoreLoss?,
    prepared: PreparedFile?
  ) {
    self.contents = contents
    position = file.position
    snapshot = file.snapshot.revision
    replayedDeltas = file.replayedDeltas
    self.isNew = isNew
    notes = file.notes
    self.loss = loss
    self.prepared = prepared
  }
}
