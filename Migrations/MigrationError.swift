package import StrataSQLite

/// Why a file was not migrated; whatever it is, the file is as it was, except after `.failed` with a cause
/// whose operation is `.commit`: then read the ledger again.
package enum MigrationError: Error, Equatable, Sendable {
  /// A version stands twice, or after a higher one, in the catalogue.
  case duplicate(version: Int)
  /// The catalogue skips a version.
  case gap(expected: Int, found: Int)
  /// A script that ran on this file has been changed since.
  case drifted(version: Int, name: String)
  /// The file has been through migrations this build does not know.
  case newerThanBuild(found: Int, known: Int)
  /// The file's ledger skips a version.
  case missingInLedger(version: Int)
  /// A script failed.
  case failed(version: Int, name: String, cause: SQLiteError)
  /// The ledger could not be read, or the transaction not begun or committed.
  case database(SQLiteError)
}

extension MigrationError: CustomStringConvertible {
  /// One sentence, without the file's path.
  package var description: String {
    switch self {
    case .duplicate(let version):
      "migration \(version) is listed twice, or after a later one"
    case .gap(let expected, let found):
      "migration \(expected) is missing: \(found) stands in its place"
    case .drifted(let version, let name):
      "migration \(version) (\(name)) is not the one that ran on this file"
    case .newerThanBuild(let found, let known):
      "the file is of schema version \(found), this build knows \(known)"
    case .missingInLedger(let version):
      "the file's ledger of migrations lacks version \(version)"
    case .failed(let version, let name, let cause):
      "migration \(version) (\(name)) failed: \(cause.message) (\(cause.code))"
    case .database(let cause):
      "migrating failed at \(cause.operation.rawValue): \(cause.message) (\(cause.code))"
    }
  }

  /// What a person can do about it.
  package var remedy: String {
    switch self {
    case .duplicate, .gap:
      "Number the migrations 1, 2, 3 … in the order they are listed."
    case .drifted(let version, _):
      "Restore the script of version \(version) as it was released, and put the change into a new one."
    case .newerThanBuild:
      "Open the file with the newer build, or restore a backup made before it was migrated."
    case .missingInLedger:
      "The ledger has been edited or damaged: restore a backup."
    case .failed(_, _, let cause) where cause.operation != .commit:
      "The file is as it was. Correct the script, then open the file again."
    case .failed, .database:
      "Open the file again: what has run is then read from its ledger."
    }
  }
}
