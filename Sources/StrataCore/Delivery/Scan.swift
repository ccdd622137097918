import StrataBase

/// Accumulates over the deliveries to a subscriber: a start, and a step.
///
/// ```swift
/// let subscription = store.sinkState(scan: .counter()) { changes, count in
///   print("delivery \(count) of version \(changes.version)")
/// }
/// ```
public struct Scan<Element, Accumulated: Sendable>: Sendable {
  let seed: Accumulated
  let step: @Sendable (inout Accumulated, Element) -> Void

  /// Creates a scan that starts with `seed` and adds one element per step.
  public init(
    seed: Accumulated,
    step: @escaping @Sendable (inout Accumulated, Element) -> Void
  ) {
    self.seed = seed
    self.step = step
  }
}

extension Scan where Accumulated == Int {
  /// Counts the elements, from 1.
  public static func counter() -> Scan { Scan(seed: 0) { count, _ in count += 1 } }
}

extension DispatcherType {
  /// The same as `sinkState`, with what the scan has accumulated up to this delivery, inclusive.
  public func sinkState<Accumulated>(
    scan: Scan<Changes<Scope>, Accumulated>,
    first: FirstDelivery = .current,
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (Changes<Scope>, Accumulated) -> Void
  ) -> StoreSubscription {
    let accumulated = Lock(scan.seed)
    return sinkState(first: first, queue: queue) { changes in
      let sum = accumulated.withLock { sum in
        scan.step(&sum, changes)
        return sum
      }
      receive(changes, sum)
    }
  }
}
