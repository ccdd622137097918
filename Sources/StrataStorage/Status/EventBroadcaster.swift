import StrataBase

/// An event that a consumer may read late.
package protocol BroadcastEvent: Sendable {
  /// One event that stands for this one and an earlier one; nil if both must be read.
  func absorbing(_ earlier: Self) -> Self?
}

/// Sends events to all streams.
///
/// A slow consumer misses nothing that it has to know: one waiting event may stand for several of its kind,
/// so memory stays bounded.
package final class EventBroadcaster<Event: BroadcastEvent>: Sendable {
  private struct Listeners {
    var queues: [Listener] = []
    var isFinished = false
  }

  /// Lives as long as its stream.
  private struct Listener {
    weak var queue: EventQueue<Event>?
  }

  private let listeners = Lock(Listeners())

  package init() {}

  deinit { finish() }

  /// The events from now on.
  package func stream() -> AsyncStream<Event> {
    let queue = EventQueue<Event>()
    let isFinished = listeners.withLock { listeners in
      listeners.queues.removeAll { $0.queue == nil }
      listeners.queues.append(Listener(queue: queue))
      return listeners.isFinished
    }
    if isFinished { queue.finish() }
    return AsyncStream {
      await queue.next()
    } onCancel: {
      queue.finish()
    }
  }

  package func send(_ event: Event) {
    // A key path of a generic type costs microseconds each time that it is made.
    for queue in listeners.withLock({ $0.queues.compactMap { $0.queue } }) { queue.add(event) }
  }

  /// Ends all streams once what waits was read.
  package func finish() {
    let queues = listeners.withLock { listeners in
      listeners.isFinished = true
      return listeners.queues.compactMap { $0.queue }
    }
    for queue in queues { queue.finish() }
  }
}

/// The events that wait for one consumer.
private final class EventQueue<Event: BroadcastEvent>: Sendable {
  private struct State {
    var events: [Event] = []
    var consumers: [CheckedContinuation<Event?, Never>] = []
    var isFinished = false
  }

  private let state = Lock(State())

  func add(_ event: Event) {
    let consumer = state.withLock { state -> CheckedContinuation<Event?, Never>? in
      if state.isFinished { return nil }
      if !state.consumers.isEmpty { return state.consumers.removeFirst() }
      var event = event
      state.events.removeAll { earlier in
        guard let both = event.absorbing(earlier) else { return false }
        event = both
        return true
      }
      state.events.append(event)
      return nil
    }
    consumer?.resume(returning: event)
  }

  func next() async -> Event? {
    await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> Event?? in
        if !state.events.isEmpty { return state.events.removeFirst() }
        if state.isFinished { return .some(nil) }
        state.consumers.append(continuation)
        return nil
      }
      if let event = answer { continuation.resume(returning: event) }
    }
  }

  func finish() {
    let consumers = state.withLock { state in
      state.isFinished = true
      defer { state.consumers = [] }
      return state.consumers
    }
    for consumer in consumers { consumer.resume(returning: nil) }
  }
}
