package import StrataSQLite

/// Why a file was not migrated.
///
/// The file is unchanged. The one exception is a cause whose operation is `.commit`: then the outcome is
/// unknown until the ledger is read again.
package enum MigrationError: Error, Equatable, Sendable {
  /// The catalog lists a version twice, or after a higher one.
  case duplicate(version: Int)
  /// The catalog skips a version.
  case gap(expected: Int, found: Int)
  /// A script has changed since it ran on this file.
  case drifted(version: Int, name: String)
  /// The file has migrations from before the first one that this build knows.
  case olderThanBuild(found: Int, first: Int)
  /// The file has migrations that this build does not know.
  case newerThanBuild(found: Int, known: Int)
  /// The file's ledger skips a version.
  case missingInLedger(version: Int)
  /// A script failed.
  case failed(version: Int, name: String, cause: SQLiteError)
  /// The ledger could not be read, or the transaction could not be started or committed.
  case database(SQLiteError)
}

extension MigrationError: CustomStringConvertible {
  /// One sentence, without the file's path.
  package var description: String {
    switch self {
    case .duplicate(let version):
      "migration \(version) is listed twice, or after a higher version"
    case .gap(let expected, let found):
      "expected migration \(expected), found \(found)"
    case .drifted(let version, let name):
      "migration \(version) (\(name)) has changed since it ran on this file"
    case .olderThanBuild(let found, let first):
      "the schema of the file starts with version \(found), that of this build with version \(first)"
    case .newerThanBuild(let found, let known):
      "the file has schema version \(found), this build knows versions up to \(known)"
    case .missingInLedger(let version):
      "version \(version) is missing in the file's ledger of migrations"
    case .failed(let version, let name, let cause):
      "migration \(version) (\(name)) failed: \(cause.message) (\(cause.code))"
    case .database(let cause):
      "the migration failed at \(cause.operation.rawValue): \(cause.message) (\(cause.code))"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .duplicate, .gap:
      "Number the migrations without gaps, in the order of the catalog."
    case .drifted(let version, _):
      "Restore the released script of version \(version), and put the change into a new migration."
    case .olderThanBuild:
      "Export the data with the build that wrote the file, and import it with this one."
    case .newerThanBuild:
      "Open the file with the newer build, or restore a backup from before the migration."
    case .missingInLedger:
      "The ledger was edited or is damaged. Restore a backup."
    case .failed(_, _, let cause) where cause.operation != .commit:
      "The file is unchanged. Correct the script, then open the file again."
    case .failed, .database:
      "Open the file again. Its ledger shows what has run."
    }
  }
}
