extension DerivedType {
  /// The same as `sinkValue`, with what the scan has accumulated up to this delivery, inclusive.
  public func sinkValue<Accumulated>(
    scan: Scan<Changes<Value>, Accumulated>,
    first: FirstDelivery = .current,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Changes<Value>, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkValue(first: first, queue: queue) { receive($0, accumulate($0)) }
  }

  /// The same on the main actor.
  public func sinkValue<Accumulated>(
    scan: Scan<Changes<Value>, Accumulated>,
    first: FirstDelivery = .current,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Changes<Value>, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkValue(first: first, queue: queue) { receive($0, accumulate($0)) }
  }

  /// The same on an actor.
  public func sinkValue<Accumulated, Target: Actor>(
    scan: Scan<Changes<Value>, Accumulated>,
    first: FirstDelivery = .current,
    queue: ActorTargetQueue<Target>,
    receive: @escaping @Sendable (isolated Target, Changes<Value>, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulate = scan.start()
    return sinkValue(first: first, queue: queue) { receive($0, $1, accumulate($1)) }
  }
}
