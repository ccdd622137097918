import StrataBase

/// A subscriber that lives on an actor: what waits for it, and the task that hands it over.
///
/// A stream and one task keep the order, which a task for each element would not.
struct ActorSink<Element: Sendable>: Sendable {
  private let input: AsyncStream<Element>.Continuation
  private let handover: Task<Void, Never>
  private let isCancelled = Lock(false)

  init<Target: Actor>(
    _ queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, Element) -> Void
  ) {
    let (stream, input) = AsyncStream.makeStream(of: Element.self)
    self.input = input
    // Weakly, as the actor may well be the one who keeps the subscription.
    handover = Task { [weak target = queue.target, isCancelled] in
      for await element in stream {
        guard let target else { return }
        await Self.hand(element, to: target, unless: isCancelled, receive)
      }
    }
  }

  /// Asks on the actor itself, so that nothing begins there after a cancel.
  private static func hand<Target: Actor>(
    _ element: Element,
    to target: isolated Target,
    unless isCancelled: Lock<Bool>,
    _ receive: @Sendable (isolated Target, Element) -> Void
  ) {
    if !isCancelled.withLock({ $0 }) { receive(target, element) }
  }

  /// What the store calls.
  var receiver: @Sendable (Element) -> Void {
    { [input] in input.yield($0) }
  }

  /// The subscription to the store, ending this one with it.
  func subscription(to store: StoreSubscription) -> StoreSubscription {
    StoreSubscription { [isCancelled, input, handover] in
      isCancelled.withLock { $0 = true }
      store.cancel()
      input.finish()
      handover.cancel()
    }
  }
}
