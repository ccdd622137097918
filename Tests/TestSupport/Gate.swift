import Dispatch

/// A point that one thread waits at until another opens it.
package final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func open() { semaphore.signal() }

  /// Whether it was opened; gives up after ten seconds, so that a deadlock fails and does not hang.
  package func wait() -> Bool { semaphore.wait(timeout: .now() + 10) == .success }
}

/// Runs `body` on a thread of the global queue and gives the gate that opens when it is done.
package func inBackground(_ body: @escaping @Sendable () -> Void) -> Gate {
  let done = Gate()
  DispatchQueue.global().async {
    body()
    done.open()
  }
  return done
}
