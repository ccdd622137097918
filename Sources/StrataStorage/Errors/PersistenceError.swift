/// What went wrong with the file of a store, and what to do about it.
///
/// Every one of these leaves the file as it was, unless it says otherwise.
public struct PersistenceError: Error, Sendable, CustomStringConvertible {
  /// What the library was doing.
  public enum Operation: String, Sendable, Codable {
    /// Opening the file, up to the restored value.
    case opening
    /// Writing deltas.
    case appending
    /// Writing or naming a snapshot.
    case snapshotting
    /// Removing history.
    case compacting
    /// Ending the work with the file.
    case closing
    /// Answering a question about the file.
    case inspecting
    /// Copying the file.
    case backingUp
    /// Putting a backup in the place of a store.
    case restoringBackup
    /// Letting go of the file for a while.
    case suspending
    /// Taking the file again.
    case resuming
    /// Moving a damaged file out of the way, or back.
    case quarantining
  }

  /// What the library was doing.
  public let operation: Operation
  /// The file of the store.
  public let path: String
  /// What went wrong.
  public let reason: Reason

  package init(_ operation: Operation, path: String, _ reason: Reason) {
    self.operation = operation
    self.path = path
    self.reason = reason
  }

  /// One sentence with the path and what went wrong, and one with what to do.
  public var description: String { "\(path): \(reason.sentence). \(remedy)" }

  private var remedy: String {
    switch (operation, reason) {
    case (.inspecting, .io):
      "Check the disk, and whether this user may read here; nothing was changed."
    default: reason.remedy
    }
  }
}
