/// What a stream of versions keeps for a reader that falls behind.
public enum ValueBuffering: Sendable {
  /// The newest versions, at most this many.
  ///
  /// Older ones are skipped, which shows as a gap in `version`.
  case newest(Int)
  /// Every version, however many.
  case unbounded

  func policy<Element>(
    of: AsyncStream<Element>.Type
  ) -> AsyncStream<Element>.Continuation.BufferingPolicy {
    switch self {
    case .newest(let count): return .bufferingNewest(count)
    case .unbounded: return .unbounded
    }
  }
}

extension AsyncStream where Element: Sendable {
  /// A stream of what `subscribe` delivers, from this call on.
  ///
  /// It ends when the subscription's closure is released, and the subscription ends when the stream is.
  package init(
    buffering: ValueBuffering,
    subscribe: (@escaping @Sendable (Element) -> Void) -> StoreSubscription
  ) {
    self.init(bufferingPolicy: buffering.policy(of: Self.self)) { continuation in
      let end = StreamEnd { continuation.finish() }
      let subscription = subscribe { element in
        _ = end
        continuation.yield(element)
      }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}

/// Ends a stream when its source is released.
private final class StreamEnd: Sendable {
  private let finish: @Sendable () -> Void

  init(_ finish: @escaping @Sendable () -> Void) { self.finish = finish }

  deinit { finish() }
}

extension DispatcherType {
  /// The versions of the scope as an asynchronous sequence, in order, the current one first.
  ///
  /// ```swift
  /// for await changes in store.values(buffering: .newest(1)) { show(changes.items) }
  /// ```
  ///
  /// It starts with this call, so nothing between the call and the loop is missed. It ends when the
  /// store is released, or when the task that reads it is cancelled. It is for one reader; request one
  /// sequence for each. `previous` is always the version directly before, also after a gap.
  public func values(buffering: ValueBuffering) -> AsyncStream<Changes<Scope>> {
    AsyncStream(buffering: buffering) { sinkState(receive: $0) }
  }
}
