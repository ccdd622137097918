import Foundation
import StrataMigrations
import StrataNormalization
import StrataRecords
import StrataSQLite

extension PersistenceError {
  /// What an error of SQLite means to someone who holds the file of a store.
  init(_ operation: Operation, path: String, _ error: SQLiteError) {
    self.init(operation, path: path, Reason(error, operation))
  }

  /// The error itself when it is one already, else what it means.
  init(_ operation: Operation, path: String, wrapping error: any Error) {
    switch error {
    case let error as PersistenceError: self = error
    case let error as PersistenceError.Reason.Refusal:
      self.init(operation, path: path, error.reason)
    case let error as SQLiteError: self.init(operation, path: path, error)
    case let error as FileMovedOn:
      self.init(
        operation,
        path: path,
        operation == .resuming
          ? .movedOn(from: error.from.revision, to: error.to.revision)
          : .damaged("another program has written to it while this one had it open")
      )
    case let error as DamageFound: self.init(operation, path: path, .damaged(error.detail))
    case let error as RecordError:
      self.init(operation, path: path, .damaged("what is stored cannot be read: \(error)"))
    case let error as SealFailure: self.init(operation, path: path, error.reason)
    case let error as RuleViolation: self.init(operation, path: path, .ruleBroken(error))
    case let error as MigrationError: self.init(operation, path: path, .migration("\(error)"))
    case let error as SystemError: self.init(operation, path: path, Reason(error, operation))
    default: self.init(operation, path: path, .io("\(error)"))
    }
  }
}

extension PersistenceError.Reason {
  init(_ error: SQLiteError, _ operation: PersistenceError.Operation) {
    switch error.code.primary {
    case .full: self = .diskFull
    case .notADB: self = .notADatabase
    case .corrupt: self = .damaged("\(error)")
    case .busy, .locked: self = .busy("\(error)")
    // Whoever only looks never wanted to write.
    case .readOnly, .cantOpen:
      self = operation == .inspecting ? .io("\(error)") : .notWritable("\(error)")
    default: self = .io("\(error)")
    }
  }
}

extension PersistenceError.Reason {
  init(_ error: SystemError, _ operation: PersistenceError.Operation) {
    switch error.code {
    case ENOSPC: self = .diskFull
    case EACCES, EROFS,
      EPERM where operation != .inspecting:
      self = .notWritable("\(error)")
    default: self = .io("\(error)")
    }
  }
}

/// A sync that failed: whatever it was to save may never get to the medium, though it can be read and
/// a later sync works.
enum FailedSync {
  /// Whether an error says so.
  static func isMeant(by error: any Error) -> Bool {
    switch error {
    case let error as SQLiteError: [.ioerrFsync, .ioerrDirFsync].contains(error.code)
    case let error as SystemError: error.call == "fsync"
    default: false
    }
  }
}

/// A contradiction found while reading what the file holds.
package struct DamageFound: Error, Equatable, CustomStringConvertible {
  /// What contradicts what.
  package let detail: String

  package init(_ detail: String) { self.detail = detail }

  package var description: String { detail }

  /// Whether an error says that what the file holds is wrong, and not that the disk refused.
  static func isMeant(by error: any Error) -> Bool {
    switch error {
    case is DamageFound, is RecordError: true
    case let error as SQLiteError:
      [.error, .corrupt, .notADB, .mismatch, .tooBig, .range].contains(error.code.primary)
    default: false
    }
  }

  /// What `read` gives, or nil where the file is damaged; throws where the disk refused.
  @discardableResult
  static func tolerate<R>(_ read: () throws -> R) throws -> R? {
    do {
      return try read()
    } catch  where isMeant(by: error) {
      return nil
    }
  }
}
