import Foundation
import StrataBase
import StrataSQLite

/// Reads a store's file beside its writer, on a thread of control of its own.
///
/// Each question opens the file read-only and closes it again. It reads a statement at a time, none of
/// which lasts long, so neither the writer nor its checkpoints are held up; what the writer trims
/// meanwhile is kept by a pin.
package actor HistoryReader {
  nonisolated let executor = FileExecutor(label: "strata.reader")
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  let path: StorePath
  private let vfs: String?
  package nonisolated let pins: HistoryPins
  /// Why nothing may be read at the moment.
  private var refusal: PersistenceError.Reason?

  package init(_ path: StorePath, vfs: String?, pins: HistoryPins) {
    self.path = path
    self.vfs = vfs
    self.pins = pins
  }

  /// Answers a question; where the writer has just trimmed what was asked for, it is asked again,
  /// pinned by then.
  package func read<R: Sendable>(
    _ question: @Sendable (ReadView) throws -> R
  ) throws(PersistenceError) -> R {
    if let refusal { throw PersistenceError(.inspecting, path: path.file, refusal) }
    let pin = pins.pin(0)
    defer { withExtendedLifetime(pin) {} }
    do {
      let connection = try Connection(path: path.file, mode: .readOnly, vfs: vfs)
      do {
        return try question(try ReadView(connection))
      } catch is CorruptionError {
        return try question(try ReadView(connection))
      }
    } catch {
      throw PersistenceError(.inspecting, path: path.file, wrapping: error)
    }
  }

  /// Refuses questions from here on, and returns when the one under way is answered.
  package func stop(_ reason: PersistenceError.Reason) {
    if refusal != .closed { refusal = reason }
  }

  /// Answers questions again.
  package func resume() { refusal = nil }
}
