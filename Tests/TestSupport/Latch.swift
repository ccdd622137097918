import Dispatch
import Foundation

/// Blocks one thread until another one opens it.
package final class Latch: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func open() { semaphore.signal() }

  /// Waits until it is open and returns true; returns false after five minutes.
  ///
  /// A deadlock therefore fails instead of hanging, and a slow machine does not fail.
  @available(*, noasync, message: "a task must not hold a thread: await isOpen()")
  package func wait() -> Bool { semaphore.wait(timeout: .now() + 300) == .success }

  /// Waits as ``wait()`` does in a task of the main actor, whose thread is to be busy meanwhile.
  @MainActor package func holdThread() -> Bool { wait() }

  /// Waits as ``wait()`` does, and holds no thread of the tasks meanwhile.
  package func isOpen() async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: self.wait()) }
    }
  }
}
