import StrataBase
import StrataCore

/// A counter for several threads.
package final class Counter: Sendable {
  private let number = Lock(0)

  package init() {}

  package var count: Int { number.withLock { $0 } }

  package func add() { number.withLock { $0 += 1 } }
}
