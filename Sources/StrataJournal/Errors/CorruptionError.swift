package import StrataBase
import StrataRecords
import StrataSQLite

/// A contradiction in the contents of the file.
package struct CorruptionError: Error, Equatable, CustomStringConvertible {
  /// What contradicts what, without the path and without a full stop.
  package let detail: String

  package init(_ detail: String) { self.detail = detail }

  package var description: String { detail }

  /// A place of the file whose bytes do not have the hash that is stored for them.
  package static func hashMismatch(
    in place: String,
    stored: Checksum,
    computed: Checksum
  ) -> CorruptionError {
    CorruptionError("hash mismatch in \(place): stored \(stored), computed \(computed)")
  }

  /// Whether an error says that the contents of the file are wrong, as opposed to an I/O error.
  static func matches(_ error: any Error) -> Bool {
    switch error {
    case is CorruptionError, is RecordError: true
    case let error as SQLiteError: error.isOfContents
    default: false
    }
  }

  /// Returns the result of `read`, or nil if the contents of the file are wrong; throws I/O errors.
  @discardableResult
  package static func nilIfCorrupt<R>(_ read: () throws -> R) throws -> R? {
    do {
      return try read()
    } catch  where matches(error) {
      return nil
    }
  }
}
