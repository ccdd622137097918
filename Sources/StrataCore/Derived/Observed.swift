public import Observation

/// A derived value for a view: read on the main actor, and observed like a property of an `@Observable` class.
///
/// ```swift
/// let count = store.observed(.map(\.count))
/// withObservationTracking {
///   show(count.value)
/// } onChange: {
///   …                                  // the value is about to change
/// }
/// ```
///
/// A SwiftUI view that reads ``value`` in its body is drawn again when the value changes, and `Observations`
/// makes an asynchronous sequence of it: see <doc:ObservingInViews>. Observers are notified when the subscribers of
/// the ``Derived`` value are. A commit that leaves the value equal does not notify them.
///
/// It follows with ``MainTargetQueue/mainImmediate``: after a commit on the main actor, the value is the new one before
/// the commit returns, unless an older delivery waits. It is the last delivered value, so a view never shows
/// one that it is not notified of.
///
/// It holds the derived value, but not the store, and nothing holds it: the subscription ends when it is
/// released. Reading is O(1).
@MainActor
public final class Observed<Value: Sendable>: Observable {
  private let registrar = ObservationRegistrar()
  private var delivered: Value
  private var subscription: StoreSubscription?

  init(_ derived: some DerivedType<Value>) {
    delivered = derived.derived.value
    // The first delivery comes before this returns: no commit falls between the value and the subscription.
    subscription = derived.sinkValue(queue: .mainImmediate) { [weak self] changes in
      self?.receive(changes.value)
    }
  }

  /// The last value that was delivered; reading it in a view or in `withObservationTracking` observes it.
  public var value: Value {
    registrar.access(self, keyPath: \.value)
    return delivered
  }

  private func receive(_ value: Value) {
    registrar.withMutation(of: self, keyPath: \.value) { delivered = value }
  }
}

extension DerivedType {
  /// The value as an object that views observe; see ``Observed``.
  @MainActor
  public func observed() -> Observed<Value> { Observed(self) }
}

extension DispatcherType {
  /// A value derived from the scope, as an object that views observe: `store.observed(.map(\.count))`.
  ///
  /// The same as `derived(pipeline).observed()`; see ``Observed``.
  @MainActor
  public func observed<Output: Equatable & Sendable>(
    _ pipeline: Pipeline<Scope, Output>
  ) -> Observed<Output> {
    derived(pipeline).observed()
  }
}
