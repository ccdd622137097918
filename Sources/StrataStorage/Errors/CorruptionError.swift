import StrataRecords
import StrataSQLite

/// A contradiction found while reading what the file holds.
package struct CorruptionError: Error, Equatable, CustomStringConvertible {
  /// What contradicts what.
  package let detail: String

  package init(_ detail: String) { self.detail = detail }

  package var description: String { detail }

  /// Whether an error says that what the file holds is wrong, and not that the disk refused.
  static func isMeant(by error: any Error) -> Bool {
    switch error {
    case is CorruptionError, is RecordError: true
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
