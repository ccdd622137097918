import Foundation
package import StrataBase
import StrataJournal

/// A line on standard error while a command works, for a person who waits at a terminal.
///
/// It is there from the first second on, and ``Output`` removes it before anything is printed, so no result and no error
/// stands behind it on a line. A command says with ``note(_:)`` how far it is.
package final class ProgressLine: Sendable {
  private struct State {
    /// The name of the command; empty when nothing is shown.
    var command = ""
    /// How far it is.
    var note = ""
    var isShown = false
  }

  /// The line of this process.
  static let current = ProgressLine(
    on: Scheduling.current.makeQueue(label: "strata.progress"),
    write: { FileHandle.standardError.write(Data($0.utf8)) }
  )

  /// The time between two looks at how far a command is.
  private static let interval = Duration.milliseconds(500)
  /// Removes the line on which the cursor stands.
  private static let removal = "\r\u{1B}[K"
  /// The line must not be longer than that of a terminal, or only its end could be removed.
  private static let longest = 78

  private let state = Lock(State())
  private let queue: any WorkQueue
  private let write: @Sendable (String) -> Void

  package init(on queue: any WorkQueue, write: @escaping @Sendable (String) -> Void) {
    self.queue = queue
    self.write = write
  }

  /// Starts the line of a command, which appears after a second.
  package func start(_ command: String) {
    state.withLock { $0 = State(command: command) }
    queue.enqueue(after: Self.interval * 2) { [weak self] in self?.show(2) }
  }

  private func show(_ intervals: Int) {
    let isRunning = state.withLock { state in
      guard !state.command.isEmpty else { return false }
      let note = state.note.isEmpty ? "" : "\(state.note), "
      let text = "\(state.command): \(note)\(intervals / 2) s".printable
      write(Self.removal + text.shortened(to: Self.longest))
      state.isShown = true
      return true
    }
    guard isRunning else { return }
    queue.enqueue(after: Self.interval) { [weak self] in self?.show(intervals + 1) }
  }

  /// Notes how far the command is; costs nothing where nothing is shown.
  package func note(_ text: @autoclosure () -> String) {
    state.withLock { state in
      if !state.command.isEmpty { state.note = text() }
    }
  }

  /// Ends the line, and removes it if it is there.
  package func end() {
    state.withLock { state in
      if state.isShown { write(Self.removal) }
      state = State()
    }
  }
}
