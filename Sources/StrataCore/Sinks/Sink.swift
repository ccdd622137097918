import Dispatch
public import StrataBase

/// One subscriber: what to call, and where, until it is cancelled.
///
/// Copies are the same subscriber.
@usableFromInline
struct Sink<Element: Sendable>: Sendable {
  @usableFromInline let target: SinkTarget<Element>
  /// What a subscription holds weakly.
  ///
  /// Delivery does not touch it, because objects with weak references are slower to retain.
  let cancellation: SinkCancellation<Element>

  init(queue: TargetQueue, receive: @escaping @Sendable (Element) -> Void) {
    target = SinkTarget(queue: queue, receive)
    cancellation = SinkCancellation(receiver: target.receiver)
  }

  var isCancelled: Bool { target.receiver.withLock { $0 == nil } }

  /// Takes the first turn, if the first element can be delivered by the caller that subscribes; then the
  /// caller must call ``deliverFirst(_:)``.
  ///
  /// Called before the subscriber is added, so that no later element takes the turn.
  func takesFirstTurn() -> Bool {
    guard let turns = target.queue.turnsOnMain else { return false }
    turns.begin()
    return true
  }

  /// Delivers the first element in the turn that was taken.
  func deliverFirst(_ element: Element) {
    target.receive(element)
    target.queue.turnsOnMain?.end()
  }

  func deliver(_ element: Element) { target.deliver(element) }

  /// Releases the closure behind what was delivered, because nothing follows.
  func finish() { target.queue.run { [cancellation] in cancellation.cancel() } }
}

/// The part of a subscriber that delivery uses.
@usableFromInline
struct SinkTarget<Element: Sendable>: Sendable {
  /// A struct, because each access to a bare function in a generic container wraps it once more.
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

  /// Reads the closure only where it runs, so that no call starts there after a cancel.
  @inlinable
  func deliver(_ element: Element) {
    if case .passthrough = queue.place { receive(element) } else { enqueue(element) }
  }

  @usableFromInline
  func enqueue(_ element: Element) { queue.run { self.receive(element) } }

  @inlinable
  func receive(_ element: Element) { receiver.withLock { $0 }?.receive(element) }
}

/// Cancels a subscriber.
final class SinkCancellation<Element: Sendable>: Sendable {
  private let receiver: Lock<SinkTarget<Element>.Receiver?>

  fileprivate init(receiver: Lock<SinkTarget<Element>.Receiver?>) { self.receiver = receiver }

  /// Releases the closure outside the lock, because releasing what it holds may cancel or commit.
  func cancel() {
    let receiver = receiver.withLock { receiver in
      defer { receiver = nil }
      return receiver
    }
    _ = receiver
  }
}
