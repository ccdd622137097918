import StrataBase

/// A subscriber on an actor: the stream of its elements, and the task that delivers them.
///
/// A stream and one task keep the order; one task per element would not.
struct ActorSink<Element: Sendable>: Sendable {
  private let input: AsyncStream<Element>.Continuation
  private let delivery: Task<Void, Never>
  private let isCancelled = Lock(false)

  init<Target: Actor>(
    _ queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, Element) -> Void
  ) {
    let (stream, input) = AsyncStream.makeStream(of: Element.self)
    self.input = input
    // Weak, because the actor may be the one that holds the subscription.
    delivery = Task { [weak target = queue.target, isCancelled] in
      for await element in stream {
        guard let target else { return await Self.report(goneOf: Target.self, unless: isCancelled) }
        await Self.deliver(element, to: target, unless: isCancelled, receive)
      }
    }
  }

  /// Writes that the subscription has ended, unless the actor was the one that held it: then it is cancelled
  /// while the actor is released.
  private static func report<Target>(goneOf _: Target.Type, unless isCancelled: Lock<Bool>) async {
    do {
      try await Scheduling.sleep(for: .milliseconds(100))
    } catch {
      // Cancelled meanwhile.
      return
    }
    if isCancelled.withLock({ $0 }) { return }
    StandardError.write(
      """
      A subscription with the queue .actor(\(Target.self)) has ended, because the actor was released: \
      hold the actor, or cancel the subscription.

      """
    )
  }

  /// Checks on the actor itself, so that no call starts there after a cancel.
  private static func deliver<Target: Actor>(
    _ element: Element,
    to target: isolated Target,
    unless isCancelled: Lock<Bool>,
    _ receive: @Sendable (isolated Target, Element) -> Void
  ) {
    if !isCancelled.withLock({ $0 }) { receive(target, element) }
  }

  /// The closure that the store calls.
  var receiver: @Sendable (Element) -> Void {
    { [input] in input.yield($0) }
  }

  /// A subscription that ends this one and the one to the store.
  func subscription(to store: StoreSubscription) -> StoreSubscription {
    StoreSubscription { [isCancelled, input, delivery] in
      isCancelled.withLock { $0 = true }
      store.cancel()
      input.finish()
      delivery.cancel()
    }
  }
}
