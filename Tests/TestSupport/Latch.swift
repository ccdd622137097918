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
  package func wait() -> Bool { semaphore.wait(timeout: .now() + 300) == .success }
}
