extension PersistenceError {
  /// What the library was doing.
  package enum Operation: Sendable {
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
}

extension PersistenceError.Operation {
  /// Whether it is one call without a state in memory, and has changed nothing if it fails.
  var isWhole: Bool {
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
