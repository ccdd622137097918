import Dispatch

/// One subscriber: what to call, and where, until it is cancelled.
final class Sink<Element: Sendable>: Sendable {
  /// Not the bare function, which each access in a generic container would wrap once more.
  private struct Receiver: Sendable {
    let receive: @Sendable (Element) -> Void
  }

  private let queue: TargetQueue
  private let receiver: Lock<Receiver?>

  init(queue: TargetQueue, receive: @escaping @Sendable (Element) -> Void) {
    self.queue = queue
    receiver = Lock(Receiver(receive: receive))
  }

  var isCancelled: Bool { receiver.withLock { $0 == nil } }

  /// Looks for the closure only where it runs, so that nothing begins there after a cancel.
  func deliver(_ element: Element) {
    queue.run { self.receive(element) }
  }

  private func receive(_ element: Element) { receiver.withLock { $0 }?.receive(element) }

  /// Lets go of the closure outside the lock: what it holds may cancel or commit when it goes.
  func cancel() {
    let receiver = receiver.withLock { receiver in
      defer { receiver = nil }
      return receiver
    }
    _ = receiver
  }
}

/// Subscribers in the order of their subscription.
struct SinkList<Element: Sendable>: Sendable {
  private(set) var sinks: [Sink<Element>] = []
  /// How many of the sinks said that they were cancelled and are still listed.
  private var cancelled = 0

  mutating func append(_ sink: Sink<Element>) { sinks.append(sink) }

  /// Takes note that one sink was cancelled.
  ///
  /// Amortised O(1): the cancelled ones go when they are half of the list.
  mutating func noteCancelled() {
    cancelled += 1
    guard cancelled * 2 >= sinks.count else { return }
    sinks.removeAll { $0.isCancelled }
    cancelled = 0
  }
}
