import Foundation
import StrataBase
import StrataSQLite

/// Reads a store's file beside its writer, on an executor of its own.
///
/// A read uses many short statements and no long transaction, so it delays neither the writer nor its
/// checkpoints. A pin keeps the writer from trimming what is being read.
package actor HistoryReader {
  nonisolated let executor = FileExecutor(label: "strata.reader")
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  package nonisolated let path: StorePath
  private let vfs: String?
  /// Whether the file stays open between reads, until ``stop(_:)``.
  private let keepsOpen: Bool
  private var connection: Connection?
  /// The files that the writer has open, even if other files have their names by now.
  private var files: [FileIdentity?]
  /// How often the writer had opened them when ``files`` was read.
  private var openings: Int
  package nonisolated let pins: HistoryPins
  /// Why reads are refused at the moment; nil while they are allowed.
  private var stopReason: PersistenceError.Reason?

  /// - Parameter keepsOpen: Whether the file stays open between reads: opening it costs more than reading a few
  ///   deltas.
  package init(_ path: StorePath, vfs: String?, pins: HistoryPins, keepsOpen: Bool = false) {
    self.path = path
    self.vfs = vfs
    self.pins = pins
    self.keepsOpen = keepsOpen
    openings = pins.openings
    files = path.openFiles
  }

  /// Runs `body` with a view of the file, and once more if it meets corruption: the writer may have trimmed
  /// what it reads just before it was pinned.
  package func read<R: Sendable>(
    _ body: @Sendable (ReadView) throws -> R
  ) throws(PersistenceError) -> R {
    if let stopReason { throw PersistenceError(.inspecting, path: path.file, stopReason) }
    let pin = pins.pin(0)
    defer { withExtendedLifetime(pin) {} }
    lookAgainIfOpened()
    do {
      let connection = try opened()
      do {
        return try body(try ReadView(connection))
      } catch is CorruptionError {
        return try body(try ReadView(connection))
      }
    } catch {
      connection = nil
      throw PersistenceError(.inspecting, path: path.file, wrapping: lostNames ?? error)
    }
  }

  private func lookAgainIfOpened() {
    let count = pins.openings
    if count == openings { return }
    (openings, connection, files) = (count, nil, path.openFiles)
  }

  /// What is wrong if the files that the writer has open are not those at the path; nil if they are.
  private var lostNames: CorruptionError? {
    if zip(files, path.openFiles).allSatisfy({ $0 == nil || $0 == $1 }) { return nil }
    return CorruptionError(
      "the file or its write-ahead log was removed, moved or replaced while it was open"
    )
  }

  private func opened() throws -> Connection {
    if let connection { return connection }
    try path.checkCompanions(.inspecting)
    let new = try Connection(path: path.file, mode: .readOnly, vfs: vfs)
    if keepsOpen { connection = new }
    return new
  }

  /// Closes the file and refuses reads from now on; returns when the current one has ended.
  package func stop(_ reason: PersistenceError.Reason) {
    connection = nil
    if stopReason != .closed { stopReason = reason }
  }

  /// Allows reads again, of the files that are there now.
  package func resume() {
    stopReason = nil
    files = path.openFiles
  }
}

extension StorePath {
  /// The file and the WAL that have the names of this path now.
  fileprivate var openFiles: [FileIdentity?] { [file, wal].map { FileIdentity(ofFileAt: $0) } }
}
