import Foundation

/// Runs `body` on a new thread and returns a latch that opens when it has finished.
///
/// It does not use a queue, whose threads may all be blocked by other tests.
package func inBackground(_ body: @escaping @Sendable () -> Void) -> Latch {
  let done = Latch()
  Thread.detachNewThread {
    body()
    done.open()
  }
  return done
}
