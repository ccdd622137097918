/// Subscribers in the order of their subscription.
@usableFromInline
struct SinkList<Element: Sendable>: Sendable {
  /// Mostly the only one, which needs no array.
  @usableFromInline private(set) var first: Sink<Element>?
  @usableFromInline private(set) var more: [Sink<Element>] = []
  /// How many of the listed sinks were cancelled.
  private var cancelled = 0

  init() {}

  /// One subscriber.
  init(_ sink: Sink<Element>) { first = sink }

  @inlinable var isEmpty: Bool { first == nil }

  /// The subscribers at this moment.
  @inlinable var targets: SinkTargets<Element> {
    SinkTargets(first: first?.target, more: more)
  }

  /// How many are not cancelled; O(n).
  var count: Int {
    (first?.isCancelled == false ? 1 : 0) + more.count { !$0.isCancelled }
  }

  mutating func append(_ sink: Sink<Element>) {
    if first == nil { first = sink } else { more.append(sink) }
  }

  /// Records that one sink was cancelled.
  ///
  /// Amortised O(1): cancelled sinks are removed when they are half of the list.
  mutating func noteCancelled() {
    cancelled += 1
    guard cancelled * 2 >= more.count + 1 else { return }
    more.removeAll { $0.isCancelled }
    if first?.isCancelled == true { first = more.isEmpty ? nil : more.removeFirst() }
    cancelled = 0
  }
}

/// The subscribers of one delivery.
@usableFromInline
struct SinkTargets<Element: Sendable>: Sendable {
  @usableFromInline let first: SinkTarget<Element>?
  @usableFromInline let more: [Sink<Element>]

  @inlinable
  init(first: SinkTarget<Element>?, more: [Sink<Element>]) {
    self.first = first
    self.more = more
  }

  @inlinable
  func deliver(_ element: Element) {
    first?.deliver(element)
    for sink in more { sink.target.deliver(element) }
  }
}
