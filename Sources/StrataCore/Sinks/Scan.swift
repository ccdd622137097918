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

extension Scan {
  /// Starts to accumulate: the function returns what has been accumulated up to an element, inclusive.
  package func start() -> @Sendable (Element) -> Accumulated {
    let accumulated = Lock(seed)
    return { [step] element in
      accumulated.withLock { accumulated in
        step(&accumulated, element)
        return accumulated
      }
    }
  }
}
