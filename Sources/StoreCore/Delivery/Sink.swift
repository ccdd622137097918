import Dispatch

/// One subscriber: what to call, and where, until it is cancelled.
@usableFromInline
final class Sink<Element: Sendable>: Sendable {
  /// Not the bare function, which each access in a generic container would wrap once more.
  @usableFromInline
  struct Receiver: Sendable {
    @usableFromInline let receive: @Sendable (Element) -> Void
  }

  @usableFromInline let queue: TargetQueue
  @usableFromInline let receiver: Lock<Receiver?>
  /// What a subscription keeps weakly: objects that are kept weakly are slower to handle.
  let end: End

  init(queue: TargetQueue, receive: @escaping @Sendable (Element) -> Void) {
    self.queue = queue
    receiver = Lock(Receiver(receive: receive))
    end = End(receiver: receiver)
  }

  var isCancelled: Bool { receiver.withLock { $0 == nil } }

  /// Looks for the closure only where it runs, so that nothing begins there after a cancel.
  @inlinable
  func deliver(_ element: Element) {
    if case .passthrough = queue { receive(element) } else { enqueue(element) }
  }

  @usableFromInline
  func enqueue(_ element: Element) { queue.run { self.receive(element) } }

  @inlinable
  func receive(_ element: Element) { receiver.withLock { $0 }?.receive(element) }

  /// The way to cancel a subscriber.
  final class End: Sendable {
    private let receiver: Lock<Receiver?>

    fileprivate init(receiver: Lock<Receiver?>) { self.receiver = receiver }

    /// Lets go of the closure outside the lock: what it holds may cancel or commit when it goes.
    func cancel() {
      let receiver = receiver.withLock { receiver in
        defer { receiver = nil }
        return receiver
      }
      _ = receiver
    }
  }
}

/// Subscribers in the order of their subscription.
@usableFromInline
struct SinkList<Element: Sendable>: Sendable {
  /// Mostly the only one, for which there is no array.
  @usableFromInline private(set) var first: Sink<Element>?
  @usableFromInline private(set) var more: [Sink<Element>] = []
  /// How many of the sinks said that they were cancelled and are still listed.
  private var cancelled = 0

  init() {}

  /// One subscriber.
  init(_ sink: Sink<Element>) { first = sink }

  @inlinable var isEmpty: Bool { first == nil }

  @inlinable
  func deliver(_ element: Element) {
    first?.deliver(element)
    for sink in more { sink.deliver(element) }
  }

  mutating func append(_ sink: Sink<Element>) {
    if first == nil { first = sink } else { more.append(sink) }
  }

  /// Takes note that one sink was cancelled.
  ///
  /// Amortised O(1): the cancelled ones go when they are half of the list.
  mutating func noteCancelled() {
    cancelled += 1
    guard cancelled * 2 >= more.count + 1 else { return }
    more.removeAll { $0.isCancelled }
    if first?.isCancelled == true { first = more.isEmpty ? nil : more.removeFirst() }
    cancelled = 0
  }
}
