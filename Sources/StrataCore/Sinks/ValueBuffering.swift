/// What a stream of versions keeps for a reader that falls behind.
public enum ValueBuffering: Sendable {
  /// The newest versions, at most this many.
  ///
  /// Older ones are skipped, which shows as a gap in `version`. Then `ifChanged` says nothing about the
  /// skipped ones: `previous` is the version directly before, which the reader may not have seen.
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
