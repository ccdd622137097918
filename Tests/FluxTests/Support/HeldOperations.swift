import StrataBase
import StrataFlux
import TestSupport

/// Started operations that a test finishes later.
final class HeldOperations: Sendable {
  private let operations = Lock<[CounterOperation?]>([])
  private let arrived = Latch()

  func add(_ operation: CounterOperation) {
    operations.withLock { $0.append(operation) }
    arrived.open()
  }

  /// Waits for another operation; false after a timeout.
  func waitForNext() -> Bool { arrived.wait() }

  var count: Int { operations.withLock { $0.count } }

  /// Finishes an operation and releases it: it holds its store, whose reducer can hold this.
  func finish(_ place: Int) {
    let operation = operations.withLock { operations in
      defer { operations[place] = nil }
      return operations[place]
    }
    operation?.finish()
  }

  func releaseAll() {
    let operations = operations.withLock { operations in
      defer { operations = [] }
      return operations
    }
    withExtendedLifetime(operations) {}
  }
}
