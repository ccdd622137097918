extension DispatcherType {
  /// Calls `receive` for every version of the scope, in order, each version once.
  ///
  /// The first call comes at once with the current value (unless `first` says otherwise), before
  /// this returns if no delivery is under way. The subscription ends when the returned object goes.
  public func sinkState(
    first: FirstDelivery = .current,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    sink(first: first) { changes in queue.run { receive(changes) } }
  }

  /// The same on the main actor.
  public func sinkState(
    first: FirstDelivery = .current,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    sink(first: first) { changes in queue.run { receive(changes) } }
  }

  /// The same as `sinkState`.
  public func sinkChanges(
    first: FirstDelivery = .current,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    sinkState(first: first, queue: queue, receive: receive)
  }

  /// The same as `sinkState` on the main actor.
  public func sinkChanges(
    first: FirstDelivery = .current,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    sinkState(first: first, queue: queue, receive: receive)
  }

  /// Calls `receive` for every activity sent from now on, in order with the commits.
  public func sinkActivity(
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Activity) -> Void
  ) -> StoreSubscription {
    targetStore.delivery.addActivitySink { activity in queue.run { receive(activity) } }
  }

  /// The same on the main actor.
  public func sinkActivity(
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Activity) -> Void
  ) -> StoreSubscription {
    targetStore.delivery.addActivitySink { activity in queue.run { receive(activity) } }
  }

  private func sink(
    first: FirstDelivery,
    _ receive: @escaping @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    let scope = scope
    return targetStore.delivery.addStateSink(first: first) { changes in
      receive(changes.map { $0[keyPath: scope] })
    }
  }
}
