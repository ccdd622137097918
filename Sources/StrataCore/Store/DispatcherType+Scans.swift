extension DispatcherType {
  /// The same as `sinkState`, with what the scan has accumulated up to this delivery, inclusive.
  public func sinkState<Accumulated>(
    scan: Scan<Changes<Scope>, Accumulated>,
    first: FirstDelivery = .current,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Changes<Scope>, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkState(first: first, queue: queue) { receive($0, accumulate($0)) }
  }

  /// The same on the main actor.
  public func sinkState<Accumulated>(
    scan: Scan<Changes<Scope>, Accumulated>,
    first: FirstDelivery = .current,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Changes<Scope>, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkState(first: first, queue: queue) { receive($0, accumulate($0)) }
  }

  /// The same on an actor.
  public func sinkState<Accumulated, Target: Actor>(
    scan: Scan<Changes<Scope>, Accumulated>,
    first: FirstDelivery = .current,
    queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, Changes<Scope>, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkState(first: first, queue: queue) { receive($0, $1, accumulate($1)) }
  }

  /// The same as `sinkActivity`, with what the scan has accumulated up to this delivery, inclusive.
  public func sinkActivity<Accumulated>(
    scan: Scan<Activity, Accumulated>,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Activity, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkActivity(queue: queue) { receive($0, accumulate($0)) }
  }

  /// The same on the main actor.
  public func sinkActivity<Accumulated>(
    scan: Scan<Activity, Accumulated>,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Activity, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkActivity(queue: queue) { receive($0, accumulate($0)) }
  }

  /// The same on an actor.
  public func sinkActivity<Accumulated, Target: Actor>(
    scan: Scan<Activity, Accumulated>,
    queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, Activity, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkActivity(queue: queue) { receive($0, $1, accumulate($1)) }
  }
}
