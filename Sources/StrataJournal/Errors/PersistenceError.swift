/// What went wrong with the file of a store, and what to do about it.
///
/// The file is unchanged, unless the error says otherwise.
public struct PersistenceError: Error, Sendable, CustomStringConvertible {
  /// What the library was doing.
  public enum Operation: String, Sendable, Codable {
    /// Opening the file and restoring its value.
    case opening
    /// Writing deltas.
    case appending
    /// Writing or naming a snapshot.
    case snapshotting
    /// Removing history.
    case compacting
    /// Closing the file.
    case closing
    /// Reading the file: its history, or what `strata` shows of it.
    case inspecting
    /// Copying the file.
    case backingUp
    /// Restoring a backup to the path of a store.
    case restoringBackup
    /// Copying a store as it was at a point of its history.
    case forking
    /// Releasing the file until it is resumed.
    case suspending
    /// Taking the file again after a suspension.
    case resuming
    /// Moving the files of a store to quarantine, or back.
    case quarantining
    /// Writing entities into a file of another form.
    case exporting
    /// Running migrations of the data.
    case migrating
    /// Erasing entities.
    case erasing
    /// Writing a bundle.
    case bundling
    /// Adding entities from a file.
    case importing
    /// Copying a store to an archive, or from one.
    case archiving
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

  /// A sentence with the path and what went wrong, followed by the remedy.
  public var description: String { "\(path): \(reason.sentence.withFullStop) \(advice)" }

  private var advice: String {
    switch (operation, reason) {
    case (.inspecting, .io):
      "Check the disk, and that this user may read here. Nothing was changed."
    case (.opening, .io): "Check the disk and the path. The store is not open."
    case (.opening, .diskFull): "Free some space. The store is not open."
    case (.inspecting, .diskFull): "Free some space. Nothing was changed."
    case (.archiving, .diskFull), (.snapshotting, .diskFull), (.compacting, .diskFull),
      (.quarantining, .diskFull):
      "Free some space, and try again."
    case (.archiving, .io), (.snapshotting, .io), (.compacting, .io), (.quarantining, .io):
      "Check the disk, and try again."
    case (_, .diskFull) where operation.isWhole: "Free some space. Nothing was changed."
    case (_, .io) where operation.isWhole: "Check the disk. Nothing was changed."
    default: reason.remedy(at: path)
    }
  }
}

extension PersistenceError.Operation {
  /// Whether it is one call without a state in memory, and has changed nothing if it fails.
  fileprivate var isWhole: Bool {
    switch self {
    case .backingUp, .restoringBackup, .forking, .exporting, .migrating, .erasing, .bundling,
      .importing:
      true
    case .opening, .inspecting, .appending, .snapshotting, .compacting, .closing, .suspending,
      .resuming, .quarantining, .archiving:
      false
    }
  }

  /// Whether it reads what an earlier process wrote.
  var isReading: Bool {
    switch self {
    case .opening, .inspecting, .restoringBackup, .backingUp, .forking, .resuming, .migrating,
      .exporting, .erasing, .bundling, .importing, .archiving:
      true
    case .appending, .snapshotting, .compacting, .closing, .suspending, .quarantining: false
    }
  }
}

/// An error of a product that stands on the core: `DataMigrationError` of `StrataMigrations`, `ArchiveError` of
/// `StrataArchive`.
///
/// The product has a property of ``PersistenceError/Reason`` that returns its error: `reason.dataMigration`,
/// `reason.archive`.
public struct FeatureError: Error, Sendable, Equatable, CustomStringConvertible {
  package let error: any FeatureErrorType

  package init(_ error: any FeatureErrorType) { self.error = error }

  /// What is wrong: starts in lower case, has no full stop.
  public var description: String { error.sentence }

  /// Whether both are the same error of the same product.
  public static func == (a: FeatureError, b: FeatureError) -> Bool {
    func isEqual<E: FeatureErrorType>(_ error: E) -> Bool { error == b.error as? E }
    return isEqual(a.error)
  }
}

/// An error of a product, with what the core needs to know of it.
package protocol FeatureErrorType: Error, Sendable, Equatable {
  /// What is wrong: starts in lower case, has no full stop.
  var sentence: String { get }

  /// What to do about it, with the path of the store in the commands, if it is known.
  func remedy(at path: String?) -> String

  /// What a program can do about it.
  var kind: PersistenceError.Remedy { get }
}
