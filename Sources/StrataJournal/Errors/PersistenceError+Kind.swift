extension PersistenceError {
  /// What kind of thing went wrong.
  ///
  /// The exit code of `strata` follows from it.
  public enum Kind: Sendable, CaseIterable {
    /// There is no such file, directory, table, entity, snapshot, revision or time.
    case notThere
    /// Something other than a store is at the path, or beside it.
    case notAStore
    /// The store is another one than the one that is meant.
    case otherStore
    /// Another writer has the store open, or another process leads its archive.
    case locked
    /// Another process has the database locked at this moment, or the archive does not answer.
    case busy
    /// The contents of the file or of the archive contradict themselves.
    case damaged
    /// A newer build wrote the file, and only such a build can open or write it.
    case newer
    /// The file has another format or schema than this build knows, or other migrations than its list.
    case otherSchema
    /// This program cannot read records as its types: another shape, or a key that was not passed.
    case undecodable
    /// The call is refused: a rule, the configuration or the state of the store does not allow it.
    case refused
    /// The disk is full, fails, or does not let this user read or write.
    case disk
    /// The persistence is closed or suspended.
    case closed
    /// The last change of entities cannot be kept: their `encode(to:)` threw.
    case notKept
  }

  /// What kind of thing went wrong.
  public var kind: Kind { reason.kind }
}

extension PersistenceError.Reason {
  package var kind: PersistenceError.Kind {
    switch self {
    case .missing, .missingDirectory, .notFound, .notReached, .trimmed, .merged, .beforeHistory:
      .notThere
    case .notAFile, .foreignCompanion, .empty, .notADatabase, .foreign: .notAStore
    case .otherApplication, .movedOn: .otherStore
    case .alreadyOpen: .locked
    case .busy: .busy
    case .truncated, .damaged, .endMissing: .damaged
    case .newerFormat, .needsFeature: .newer
    case .olderFormat, .migration: .otherSchema
    case .undecodable, .sealed, .unopenable: .undecodable
    case .reservedName, .ruleBroken, .unlistedTables, .tablesGone, .readOnly, .previewing,
      .fileExists, .nameTaken, .beforeMigration, .ambiguous:
      .refused
    case .diskFull, .io, .notReadable, .notWritable, .temporaryFile, .tooManyFiles: .disk
    case .closed, .suspended, .storeGone: .closed
    case .notPersisted: .notKept
    case .feature(let error): error.kind
    }
  }
}
