extension DispatcherType {
  /// Calls `receive` for every version of the scope, in order, each version once.
  ///
  /// The first call comes at once with the current value (unless `first` says otherwise), before
  /// this returns if no delivery is under way. The subscription ends when the returned object is
  /// released.
  public func sinkState(
    first: FirstDelivery = .current,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    sink(first: first, queue: queue, receive)
  }

  /// The same on the main actor.
  public func sinkState(
    first: FirstDelivery = .current,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    sink(first: first, queue: queue.queue) { changes in
      MainActor.assumeIsolated { receive(changes) }
    }
  }

  /// The same on an actor.
  public func sinkState<Target: Actor>(
    first: FirstDelivery = .current,
    queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, Changes<Scope>) -> Void
  ) -> StoreSubscription {
    let sink = ActorSink(queue, receive: receive)
    return sink.subscription(to: sinkState(first: first, receive: sink.receiver))
  }

  /// Calls `receive` for every activity sent from now on, in order with the commits.
  public func sinkActivity(
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Activity) -> Void
  ) -> StoreSubscription {
    targetStore.delivery.add(Sink(queue: queue, receive: receive))
  }

  /// The same on the main actor.
  public func sinkActivity(
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Activity) -> Void
  ) -> StoreSubscription {
    let sink = Sink<Activity>(queue: queue.queue) { activity in
      MainActor.assumeIsolated { receive(activity) }
    }
    return targetStore.delivery.add(sink)
  }

  /// The same on an actor.
  public func sinkActivity<Target: Actor>(
    queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, Activity) -> Void
  ) -> StoreSubscription {
    let sink = ActorSink(queue, receive: receive)
    return sink.subscription(to: sinkActivity(receive: sink.receiver))
  }

  private func sink(
    first: FirstDelivery,
    queue: TargetQueue,
    _ receive: @escaping @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    let scope = scope
    let sink = Sink<Changes<State>>(queue: queue) { changes in
      receive(changes.map(scope))
    }
    return targetStore.delivery.add(sink, first: first)
  }
}

extension DispatcherType {
  /// The versions of the scope as an asynchronous sequence, in order, the current one first.
  ///
  /// ```swift
  /// for await changes in store.values() { show(changes.items) }
  /// ```
  ///
  /// It starts with this call, so nothing between the call and the loop is missed. It ends when the
  /// store is released, or when the task that reads it is cancelled. It is for one reader; request one
  /// sequence for each. `previous` is always the version directly before, also after a gap.
  ///
  /// By default it keeps every version until it is read. A reader that needs only the newest value
  /// passes `.newest(1)`.
  public func values(buffering: ValueBuffering = .unbounded) -> AsyncStream<Changes<Scope>> {
    AsyncStream(buffering: buffering) { sinkState(receive: $0) }
  }

  /// The activities sent from now on as an asynchronous sequence, in order.
  ///
  /// ```swift
  /// for await activity in store.activities() { announce(activity) }
  /// ```
  ///
  /// It starts, ends and is read as ``values(buffering:)`` is.
  public func activities(buffering: ValueBuffering = .unbounded) -> AsyncStream<Activity> {
    AsyncStream(buffering: buffering) { sinkActivity(receive: $0) }
  }
}
