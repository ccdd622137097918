/// A value that follows a store: read only, computed from the state, delivered when it changes.
///
/// ```swift
/// let count: Derived<Int> = store.derived(.map(\.count))
/// count.value
/// let subscription = count.sinkChanges { changes in print(changes.value) }
/// ```
///
/// It is not a store: it has no state of its own and nothing can be committed to it.
///
/// **Reading** computes the value from the last committed state unless that is done already, so a
/// commit is seen here as soon as it is seen in `state`. **Subscribers** receive each new value once,
/// in the order of the commits, and nothing from a commit that leaves the value equal. However a
/// derived value is built from others, one commit makes at most one delivery, and none is half updated.
/// The `version` they receive is that of the store; it grows, with gaps.
///
/// **Cost.** A derived value without subscribers costs a commit nothing. Of those with subscribers, all
/// that read the same unchanged stored property are skipped by one comparison of its bytes, however
/// many they are. Those through a closure or a computed key path are computed once per version each. A
/// chain is computed only when its input has changed. So for very many fine-grained values, derive the
/// stored property they share first and chain from there.
///
/// **Lifetimes.** The store holds no derived value. A derived value holds those it is computed from and
/// the last state, but not the store. A subscription holds its derived value.
public final class Derived<Value: Sendable>: Sendable {
  let source: any DerivedSource<Value>

  init(_ source: any DerivedSource<Value>) { self.source = source }

  /// The value for the last committed state.
  ///
  /// O(1) when it was computed for this version already. Must not be read inside the closures it is
  /// computed with.
  public var value: Value { source.latest.value }
}

extension Derived {
  /// Calls `receive` for every new value, in order, each once.
  ///
  /// The first call comes at once with the current value (unless `first` says otherwise), before
  /// this returns if no delivery is under way. The subscription ends when the returned object is
  /// released.
  public func sinkValue(
    first: FirstDelivery = .current,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Changes<Value>) -> Void
  ) -> StoreSubscription {
    source.follow(Sink(queue: queue, receive: receive), first: first, holding: self)
  }

  /// The same on the main actor.
  public func sinkValue(
    first: FirstDelivery = .current,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Changes<Value>) -> Void
  ) -> StoreSubscription {
    sinkValue(first: first, queue: queue.queue) { changes in
      MainActor.assumeIsolated { receive(changes) }
    }
  }

  /// The same on an actor.
  public func sinkValue<Target: Actor>(
    first: FirstDelivery = .current,
    queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, Changes<Value>) -> Void
  ) -> StoreSubscription {
    let sink = ActorSink(queue, receive: receive)
    return sink.subscription(to: sinkValue(first: first, receive: sink.receiver))
  }

  /// The values as an asynchronous sequence, in order, the current one first.
  ///
  /// It holds this derived value; otherwise it is like ``DispatcherType/values(buffering:)``.
  public func values(buffering: ValueBuffering) -> AsyncStream<Changes<Value>> {
    AsyncStream(buffering: buffering) { sinkValue(receive: $0) }
  }
}
