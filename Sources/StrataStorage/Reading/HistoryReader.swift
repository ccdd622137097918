import Foundation
import StrataBase
import StrataSQLite

/// Reads a store's file beside its writer, on an executor of its own.
///
/// Each read opens the file read-only and closes it again. It uses many short statements and no long
/// transaction, so it delays neither the writer nor its checkpoints. A pin keeps the writer from trimming
/// what is being read.
package actor HistoryReader {
  nonisolated let executor = FileExecutor(label: "strata.reader")
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  nonisolated let path: StorePath
  private let vfs: String?
  package nonisolated let pins: HistoryPins
  /// Why reads are refused at the moment; nil while they are allowed.
  private var stopReason: PersistenceError.Reason?

  package init(_ path: StorePath, vfs: String?, pins: HistoryPins) {
    self.path = path
    self.vfs = vfs
    self.pins = pins
  }

  /// Runs `body` with a view of the file, and once more if it meets corruption: the writer may have trimmed
  /// what it reads just before it was pinned.
  package func read<R: Sendable>(
    _ body: @Sendable (ReadView) throws -> R
  ) throws(PersistenceError) -> R {
    if let stopReason { throw PersistenceError(.inspecting, path: path.file, stopReason) }
    let pin = pins.pin(0)
    defer { withExtendedLifetime(pin) {} }
    do {
      try path.checkCompanions(.inspecting)
      let connection = try Connection(path: path.file, mode: .readOnly, vfs: vfs)
      do {
        return try body(try ReadView(connection))
      } catch is CorruptionError {
        return try body(try ReadView(connection))
      }
    } catch {
      throw PersistenceError(.inspecting, path: path.file, wrapping: error)
    }
  }

  /// Refuses reads from now on, and returns when the current one has ended.
  package func stop(_ reason: PersistenceError.Reason) {
    if stopReason != .closed { stopReason = reason }
  }

  /// Allows reads again.
  package func resume() { stopReason = nil }
}
