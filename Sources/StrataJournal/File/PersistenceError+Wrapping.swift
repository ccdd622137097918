import Foundation
import StrataRecords
import StrataSQLite
import StrataSchema

extension PersistenceError {
  /// Translates an error of SQLite.
  init(_ operation: Operation, path: String, _ error: SQLiteError) {
    self.init(operation, path: path, Reason(error, operation))
  }

  /// Translates any error; one that is a ``PersistenceError`` already is taken as it is.
  package init(_ operation: Operation, path: String, wrapping error: any Error) {
    switch error {
    case let error as PersistenceError: self = error
    case let error as PersistenceError.Reason:
      self.init(operation, path: path, error)
    // A database without a path holds what a run of migrations has changed so far.
    case let error as SQLiteError where error.path.isEmpty:
      self.init(operation, path: path, .temporaryFile("\(error)"))
    case let error as SQLiteError: self.init(operation, path: path, error)
    case let error as FileMovedOn:
      self.init(
        operation,
        path: path,
        operation == .resuming
          ? .movedOn(from: error.from.revision, to: error.to.revision)
          : .damaged("another program wrote to it while this one had it open")
      )
    case let error as CorruptionError: self.init(operation, path: path, .damaged(error.detail))
    case let error as RecordError:
      self.init(operation, path: path, .damaged("a record cannot be read: \(error)"))
    case let error as any FeatureError: self.init(operation, path: path, .feature(error))
    case let error as MigrationError: self.init(operation, path: path, Reason(error, operation))
    case let error as SystemError: self.init(operation, path: path, Reason(error, operation))
    default: self.init(operation, path: path, .io("\(error)"))
    }
  }
}

extension PersistenceError.Reason {
  init(_ error: MigrationError, _ operation: PersistenceError.Operation) {
    switch error {
    case .database(let cause), .failed(_, _, let cause):
      // An error of the disk is not one of the script.
      let reason = PersistenceError.Reason(cause, operation)
      if case .io = reason, cause.code.primary != .ioerr { break }
      self = reason
      return
    default: break
    }
    self = .migration("\(error)")
  }

  init(_ error: SQLiteError, _ operation: PersistenceError.Operation) {
    let isFull = [ENOSPC, EDQUOT].contains(error.systemErrno)
    switch error.code.primary {
    case .full: self = .diskFull
    case _ where isFull: self = .diskFull
    case _ where [EMFILE, ENFILE].contains(error.systemErrno): self = .tooManyFiles("\(error)")
    case .notADB: self = .notADatabase
    case .corrupt: self = .damaged("\(error)")
    case let code where Self.isOfRow(code) && error.operation != .bind && operation.isReading:
      self = .damaged("\(error)")
    case .busy, .locked: self = .busy("\(error)")
    // An operation that only reads did not try to write.
    case .readOnly where operation == .inspecting: self = .io("\(error)")
    case .cantOpen where operation == .inspecting:
      self = .notReadable("\(error)")
    case .readOnly, .cantOpen: self = .notWritable("\(error)")
    default: self = .io("\(error)")
    }
  }

  /// Whether a code stands for a row that no version of this library writes: of a wrong type, too large,
  /// not UTF-8, or one that takes too long to compute.
  private static func isOfRow(_ code: ResultCode) -> Bool {
    [.mismatch, .tooBig, .range, .interrupt].contains(code)
  }
}

extension PersistenceError.Reason {
  init(_ error: SystemError, _ operation: PersistenceError.Operation) {
    if error.kind != nil {
      self = .foreignCompanion("\(error)")
      return
    }
    switch error.code {
    case ENOSPC, EDQUOT: self = .diskFull
    case EMFILE, ENFILE: self = .tooManyFiles("\(error)")
    case EROFS: self = .notWritable("\(error)")
    case EACCES, EPERM:
      // An operation that only reads did not try to write.
      let isReading = operation == .inspecting || error.call == OpenFile.openingForReading
      self = isReading ? .notReadable("\(error)") : .notWritable("\(error)")
    default: self = .io("\(error)")
    }
  }
}

/// A file is not where its writer left it.
package struct FileMovedOn: Error {
  let from: Position
  let to: Position

  package init(from: Position, to: Position) {
    self.from = from
    self.to = to
  }
}
