import Dispatch
import Foundation

/// A point that one thread waits at until another opens it.
package final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func open() { semaphore.signal() }

  /// Whether it was opened; gives up after five minutes, so that a deadlock fails and does not
  /// hang, and a slow machine does neither.
  package func wait() -> Bool { semaphore.wait(timeout: .now() + 300) == .success }
}

/// Runs `body` on a thread of its own and gives the gate that opens when it is done.
///
/// Not on a queue: its threads may all be waiting in other tests.
package func inBackground(_ body: @escaping @Sendable () -> Void) -> Gate {
  let done = Gate()
  Thread.detachNewThread {
    body()
    done.open()
  }
  return done
}
