import StrataBase

/// What follows a store with one value: a ``Derived`` value, or a ``BindingDerived`` one.
public protocol DerivedType<Value>: AnyObject, Sendable {
  /// What is followed.
  associatedtype Value: Sendable

  /// The value to be read and followed.
  var derived: Derived<Value> { get }
}

extension Derived: DerivedType {
  /// The value itself.
  public var derived: Derived { self }
}

extension BindingDerived: DerivedType {}

extension DerivedType {
  /// The value for the last committed state, with its version and traces.
  ///
  /// Like `value`, it skips versions that were not read, so it has no previous value. O(1) when it was
  /// computed for this version already.
  public var changes: Changes<Value> { derived.source.latest.changes }

  /// The version of the store at which it took its value, as far as it was read.
  public var version: UInt64 { derived.source.latest.number }

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
    derived.source.follow(Sink(queue: queue, receive: receive), first: first, holding: derived)
  }

  /// The same on the main actor.
  public func sinkValue(
    first: FirstDelivery = .current,
    queue: MainTargetQueue,
    receive: @escaping @MainActor @Sendable (Changes<Value>) -> Void
  ) -> StoreSubscription {
    let newest = Lock<UInt64?>(nil)
    return sinkValue(first: first, queue: queue.queue) { changes in
      // A first value at once is that of readers, who may be ahead of the subscribers.
      let isNew = newest.withLock { newest in
        if let newest, changes.version <= newest { return false }
        newest = changes.version
        return true
      }
      if isNew { MainActor.assumeIsolated { receive(changes) } }
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
  /// It holds the derived value; otherwise it is like ``DispatcherType/values(buffering:)``.
  public func values(buffering: ValueBuffering = .unbounded) -> AsyncStream<Changes<Value>> {
    AsyncStream(buffering: buffering) { sinkValue(receive: $0) }
  }
}

extension DerivedType {
  /// A value derived from this one.
  ///
  /// It is computed only when this one has changed. Subscribers are notified only when it is not equal
  /// to the value before.
  public func chain<Next: Equatable & Sendable>(
    _ pipeline: Pipeline<Value, Next>
  ) -> Derived<Next> {
    Derived<Next>(derived.source.mapped(Projection(pipeline, .equality), holding: derived))
  }

  /// A value derived from this one, without a comparison by `==`.
  ///
  /// Subscribers are notified whenever those of this one are, unless `dropsOutput` returns true for the
  /// new value.
  public func chain<Next: Sendable>(
    _ pipeline: Pipeline<Value, Next>,
    dropsOutput: (@Sendable (Changes<Next>) -> Bool)? = nil
  ) -> Derived<Next> {
    let comparison: OutputComparison<Next> = dropsOutput.map { .predicate($0) } ?? .nothing
    let projection = Projection(pipeline, comparison)
    return Derived<Next>(derived.source.mapped(projection, holding: derived))
  }
}

extension Derived {
  /// A value derived from this one that continues from its own last value while this one is absent.
  ///
  /// The last value is the newest that was delivered to a subscriber or read.
  package func retaining<Next: Sendable>(_ rule: RetainingRule<Value, Next>) -> Derived<Next> {
    Derived<Next>(source.retained(rule, holding: self))
  }
}

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
