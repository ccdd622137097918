import StrataBase
import StrataCore

/// Counts how often something happened.
package final class Tally: Sendable {
  private let number = Lock(0)

  package init() {}

  package var count: Int { number.withLock { $0 } }

  package func add() { number.withLock { $0 += 1 } }
}
