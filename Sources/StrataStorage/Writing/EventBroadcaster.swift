import StrataBase

/// Sends events to all streams.
package final class EventBroadcaster: Sendable {
  private struct Listeners {
    var continuations: [Int: AsyncStream<PersistenceEvent>.Continuation] = [:]
    var nextID = 0
    var isFinished = false
  }

  private let listeners = Lock(Listeners())

  /// The events from now on.
  ///
  /// A consumer that is more than 1,000 events behind loses the oldest.
  package func stream() -> AsyncStream<PersistenceEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PersistenceEvent.self,
      bufferingPolicy: .bufferingNewest(1_000)
    )
    let id = listeners.withLock { listeners -> Int? in
      guard !listeners.isFinished else { return nil }
      listeners.nextID += 1
      listeners.continuations[listeners.nextID] = continuation
      return listeners.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.listeners.withLock { $0.continuations[id] = nil }
    }
    return stream
  }

  package func send(_ event: PersistenceEvent) {
    for continuation in listeners.withLock({ Array($0.continuations.values) }) {
      continuation.yield(event)
    }
  }

  func finish() {
    let continuations = listeners.withLock { listeners in
      listeners.isFinished = true
      return Array(listeners.continuations.values)
    }
    for continuation in continuations { continuation.finish() }
  }
}
