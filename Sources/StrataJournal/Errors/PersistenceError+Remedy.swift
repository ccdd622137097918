extension PersistenceError {
  /// What a program can do about an error without reading its text.
  ///
  /// The description of the error gives the same advice, with the names of this case.
  public enum Remedy: Sendable, Hashable, CaseIterable {
    /// Try again: another process has the file or leads the archive, the archive does not answer, or too many files are open.
    case retry
    /// Free some space on the disk of the file, or on that of temporary files.
    case freeSpace
    /// Check the disk, and what this user may read and write.
    case checkDisk
    /// Name another file, revision, time or snapshot: this one is not there, or is something else.
    case chooseAnother
    /// Export the data with the older version of Strata that wrote the file, and import it with this one.
    case useOlderBuild
    /// Use the newer build that wrote the file, or update this program.
    case useNewerBuild
    /// Write, list or run migrations of the data.
    case migrate
    /// Restore a backup, or open with `RestorePolicy.bestEffort`.
    case restore
    /// Repair the data: entities break a rule, refer to entities that are to be erased, or cannot be encoded.
    case repair
    /// Open the file again, or resume the persistence.
    case reopen
    /// Change the program: its configuration, its schema, or the order of its calls.
    case fixProgram
  }

  /// What a program can do about it.
  public var remedy: Remedy {
    switch reason {
    case .alreadyOpen, .busy, .tooManyFiles: .retry
    case .diskFull, .temporaryFile: .freeSpace
    case .notReadable, .notWritable, .io: .checkDisk
    case .missing, .missingDirectory, .notAFile, .foreignCompanion, .empty, .notADatabase, .foreign,
      .fileExists, .notFound, .notReached, .trimmed, .merged, .beforeHistory, .beforeMigration,
      .nameTaken, .ambiguous:
      .chooseAnother
    case .olderFormat: .useOlderBuild
    case .newerFormat, .migration: .useNewerBuild
    case .undecodable, .tablesGone: .migrate
    case .needsFeature: .useNewerBuild
    case .truncated, .damaged, .endMissing: .restore
    case .ruleBroken, .notPersisted: .repair
    case .closed, .suspended, .movedOn, .storeGone: .reopen
    case .otherApplication, .sealed, .unopenable, .reservedName, .unlistedTables, .previewing,
      .readOnly:
      .fixProgram
    case .feature(let error): error.programRemedy
    }
  }
}
