import Foundation
package import Strata
import StrataBase

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

extension Store {
  /// Waits until everything is delivered, also what sinks commit meanwhile; false if that takes minutes.
  ///
  /// The commits of one thread are delivered before they return. Those of several may be delivered by the
  /// queue of the store.
  package func waitForDeliveries() -> Bool {
    var version: UInt64
    repeat {
      version = changes.version
      let over = Latch()
      afterDeliveries { over.open() }
      guard over.wait() else { return false }
    } while changes.version != version
    return true
  }
}
