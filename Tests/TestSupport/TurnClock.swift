import StrataBase

/// Sleeps until it is woken.
package final class TurnClock: Clock, Sendable {
  package typealias Instant = ContinuousClock.Instant

  private let turns = AsyncStream.makeStream(of: Void.self)
  private let sleeping = Lock(0)

  package var now: Instant { ContinuousClock.now }
  package var minimumResolution: Duration { .zero }

  package init() {}

  /// How often somebody has begun to sleep.
  package var sleeps: Int { sleeping.withLock { $0 } }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    sleeping.withLock { $0 += 1 }
    var iterator = turns.stream.makeAsyncIterator()
    await iterator.next()
    try Task.checkCancellation()
  }

  package func wake() { turns.continuation.yield() }
}
