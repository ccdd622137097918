package import StrataPersistence

/// What `strata` tells its caller by its exit code: the one place where the codes are given.
///
/// | code | when |
/// | --- | --- |
/// | 0 | done; also when the reader of a pipe went away |
/// | 1 | not done: no store at all (another file, an empty one), or asked in vain |
/// | 2 | done, and there is something to act on: differences, pending migrations, problems |
/// | 3 | there is no such file, directory, table or entity |
/// | 4 | the store is damaged or cut off, or `verify` found a contradiction |
/// | 5 | locked or busy: the same call may succeed later |
/// | 6 | the schema of the file is not what this build made it from |
/// | 7 | the file is of a later format: a newer build reads it |
/// | 64 | the command was called wrongly (`EX_USAGE`; given by the parser) |
/// | 74 | the system refused to read or write (`EX_IOERR`) |
/// | 130 | interrupted (128 + `SIGINT`) |
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case ok = 0
  case failed = 1
  case differences = 2
  case notFound = 3
  case damaged = 4
  case locked = 5
  case drift = 6
  case newerFormat = 7
  case usage = 64
  case io = 74
  case interrupted = 130

  /// The status for what went wrong with a file.
  package init(_ reason: PersistenceError.Reason) {
    self =
      switch reason {
      case .missing, .missingDirectory, .notFound, .notReached, .trimmed, .merged, .beforeHistory:
        .notFound
      case .notAFile, .empty, .notADatabase, .foreign, .undecodable, .ruleBroken, .closed,
        .previewing, .fileExists, .suspended, .movedOn, .notPersisted, .reservedName, .sealed,
        .unopenable:
        .failed
      case .truncated, .damaged: .damaged
      case .readOnly: .failed
      case .alreadyOpen, .busy: .locked
      case .migration: .drift
      case .newerFormat: .newerFormat
      case .notWritable, .diskFull, .io: .io
      }
  }
}
