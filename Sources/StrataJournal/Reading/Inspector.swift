import Foundation
import StrataBase

/// Reads a store's file without the types of its entities, and changes nothing.
///
/// No read transaction outlives a statement, except a short one at the start of each query, so a reader
/// never delays a writer.
package final class Inspector {
  package let path: StorePath
  package let access: ReadAccess
  /// What is shown in place of values; nil for the values themselves.
  package var mask: RecordMask?

  /// Opens a file for reading, in a way that changes nothing; see `ReadAccess`.
  ///
  /// - Parameter disk: only tests pass another than the system's.
  package init(path: String, on disk: Disk = .system) throws(PersistenceError) {
    self.path = try StorePath(path, for: .inspecting)
    do {
      access = try ReadAccess(self.path, on: disk)
    } catch {
      throw Self.failure(error, self.path)
    }
  }

  /// How often a query is run again because the writer trimmed what it was reading.
  package static let attempts = 5

  /// Runs a query.
  ///
  /// A writer at work may trim what is being read; then the query runs again.
  ///
  /// Throws `.busy` if the writer trims faster than the query can read, and what the query throws.
  package func query<R>(_ body: (ReadView) throws -> R) throws(PersistenceError) -> R {
    do {
      for _ in 0..<Self.attempts {
        let view = try ReadView(access.connection).masked(by: mask)
        do {
          return try body(view)
        } catch {
          guard try isOfTrimming(error, since: view) else { throw error }
        }
      }
    } catch {
      throw Self.failure(error, path)
    }
    throw busy
  }

  /// An error of reading; a file that was moved away since it was found is missing, and not one that cannot be read.
  private static func failure(_ error: any Error, _ path: StorePath) -> PersistenceError {
    let failure = PersistenceError(.inspecting, path: path.file, wrapping: error)
    switch failure.reason {
    case .notReadable, .io: break
    default: return failure
    }
    do {
      guard try path.fileStatus(.inspecting) == .missing else { return failure }
      return PersistenceError(.inspecting, path: path.file, .missing)
    } catch {
      return error
    }
  }

  /// Whether an error was caused by a writer that has removed something since a view was made.
  package func isOfTrimming(_ error: any Error, since view: ReadView) throws -> Bool {
    switch error {
    case is CorruptionError, PersistenceError.Reason.trimmed: try wasTrimmed(since: view)
    default: false
    }
  }

  /// Whether a writer has removed something since a view was made.
  package func wasTrimmed(since view: ReadView) throws -> Bool {
    try access.hadWriter && ReadView(access.connection).wasTrimmed(since: view)
  }

  /// The error for a writer that trims faster than this can read.
  package var busy: PersistenceError {
    PersistenceError(
      .inspecting,
      path: path.file,
      .busy("its writer trims faster than it can be read")
    )
  }

  /// The last revision; O(snapshots).
  package func lastRevision() throws(PersistenceError) -> Revision {
    try query { $0.last.revision }
  }
}
