/// An object with a `store` that is itself a dispatcher of that store.
///
/// ```swift
/// @MainActor final class CounterModel: StoreComponentType {
///   let store: AppStore
///
///   init(store: AppStore) { self.store = store }
///
///   func increment() { commit { $0.count += 1 } }
/// }
///
/// model.state.count
/// let subscription = model.sinkState { … }
/// ```
///
/// Everything of a ``DispatcherType`` works on the object: `commit`, `state`, subscriptions, derived
/// values, actions and mutations. The `store` may also be a dispatcher; then the scope is that of the
/// dispatcher. Declare it with `let`.
public protocol StoreComponentType<WrappedStore>: DispatcherType
where
  State == WrappedStore.State, Activity == WrappedStore.Activity, Scope == WrappedStore.Scope
{
  /// The store or dispatcher it works on.
  associatedtype WrappedStore: DispatcherType

  /// The store or dispatcher it works on.
  var store: WrappedStore { get }
}

extension StoreComponentType {
  /// The store that is committed to.
  public var targetStore: Store<WrappedStore.State, WrappedStore.Activity> { store.targetStore }
  /// The path from the state to the scope.
  public var scope: StatePath<WrappedStore.State, WrappedStore.Scope> { store.scope }
}
