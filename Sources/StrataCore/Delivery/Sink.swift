import Dispatch
public import StrataBase

/// One subscriber: what to call, and where, until it is cancelled.
///
/// Copies are the same subscriber.
@usableFromInline
struct Sink<Element: Sendable>: Sendable {
  @usableFromInline let target: SinkTarget<Element>
  /// What a subscription keeps weakly, and nobody who delivers touches: objects that are kept weakly
  /// are slower to handle.
  let end: SinkEnd<Element>

  init(queue: TargetQueue, receive: @escaping @Sendable (Element) -> Void) {
    target = SinkTarget(queue: queue, receive)
    end = SinkEnd(receiver: target.receiver)
  }

  var isCancelled: Bool { target.receiver.withLock { $0 == nil } }

  func deliver(_ element: Element) { target.deliver(element) }
}

/// What a subscriber is told by.
@usableFromInline
struct SinkTarget<Element: Sendable>: Sendable {
  /// Not the bare function, which each access in a generic container would wrap once more.
  @usableFromInline
  struct Receiver: Sendable {
    @usableFromInline let receive: @Sendable (Element) -> Void
  }

  @usableFromInline let queue: TargetQueue
  @usableFromInline let receiver: Lock<Receiver?>

  fileprivate init(queue: TargetQueue, _ receive: @escaping @Sendable (Element) -> Void) {
    self.queue = queue
    receiver = Lock(Receiver(receive: receive))
  }

  /// Looks for the closure only where it runs, so that nothing begins there after a cancel.
  @inlinable
  func deliver(_ element: Element) {
    if case .passthrough = queue { receive(element) } else { enqueue(element) }
  }

  @usableFromInline
  func enqueue(_ element: Element) { queue.run { self.receive(element) } }

  @inlinable
  func receive(_ element: Element) { receiver.withLock { $0 }?.receive(element) }
}

/// The way to cancel a subscriber.
final class SinkEnd<Element: Sendable>: Sendable {
  private let receiver: Lock<SinkTarget<Element>.Receiver?>

  fileprivate init(receiver: Lock<SinkTarget<Element>.Receiver?>) { self.receiver = receiver }

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

  /// Whom to tell.
  @inlinable var targets: SinkTargets<Element> {
    SinkTargets(first: first?.target, more: more)
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

/// Whom to tell, at one moment.
@usableFromInline
struct SinkTargets<Element: Sendable>: Sendable {
  @usableFromInline let first: SinkTarget<Element>?
  @usableFromInline let more: [Sink<Element>]

  @inlinable
  init(first: SinkTarget<Element>?, more: [Sink<Element>]) {
    self.first = first
    self.more = more
  }

  @inlinable
  func deliver(_ element: Element) {
    first?.deliver(element)
    for sink in more { sink.target.deliver(element) }
  }
}
