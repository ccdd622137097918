/// A dispatcher of a part of the state: its commits are closures over that part alone.
///
/// ```swift
/// final class LoggedInService: MyStore.ScopedDispatcher<LoggedInState>, @unchecked Sendable {
///   init(store: Store) { super.init(targetStore: store, scope: \.loggedIn) }
///
///   func rename(to name: String) { commit { $0.name = name } }
/// }
/// ```
open class ScopedDispatcherBase<State: StateType, Activity: Sendable, Scope: Sendable>:
  DispatcherType, @unchecked Sendable
{
  /// The kind of store that is committed to: inside a subclass, `Store` needs no arguments.
  public typealias Store = StrataCore.Store<State, Activity>

  /// The store that is committed to.
  ///
  /// Held strongly.
  public let targetStore: StrataCore.Store<State, Activity>
  /// The path from the state to the scope.
  public let scope: StatePath<State, Scope>

  /// Creates a dispatcher for the part of the state that `scope` leads to.
  public init(targetStore: StrataCore.Store<State, Activity>, scope: StatePath<State, Scope>) {
    self.targetStore = targetStore
    self.scope = scope
    targetStore.logger?.didCreateDispatcher(dispatcherLog())
  }

  deinit { targetStore.logger?.didDestroyDispatcher(dispatcherLog()) }
}

/// A dispatcher of the whole state.
///
/// Subclass it to keep the dependencies of some commits together.
///
/// ```swift
/// final class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {
///   func reset() { commit { $0.count = 0 } }
/// }
/// ```
open class DispatcherBase<State: StateType, Activity: Sendable>:
  ScopedDispatcherBase<State, Activity, State>, @unchecked Sendable
{
  /// A store with arguments, as outside of a dispatcher: Verge prints both forms, this one here.
  public typealias Store<RootState: StateType, Announced: Sendable> =
    StrataCore.Store<RootState, Announced>

  /// Creates a dispatcher for `targetStore`, which it holds.
  public init(targetStore: StrataCore.Store<State, Activity>) {
    super.init(targetStore: targetStore, scope: targetStore.scope)
  }

  /// Another name for `init(targetStore:)`, for code that was written for an older Verge.
  public init(target: StrataCore.Store<State, Activity>) {
    super.init(targetStore: target, scope: target.scope)
  }
}

/// An object with a `store` that is itself a dispatcher of that store, or of a part of its state.
///
/// ```swift
/// final class Library: StoreComponentType {
///   let store: AppStore
///
///   init(store: AppStore) { self.store = store }
///
///   func add(_ book: Book) { commit("add book") { $0.db.books.insert(book) } }
/// }
///
/// final class ProfileEditor: StoreComponentType {
///   static let scope = \AppState.profile
///   let store: AppStore
///
///   init(store: AppStore) { self.store = store }
///
///   func rename(to name: String) { commit("rename") { $0.name = name } }
/// }
/// ```
///
/// Everything of a ``DispatcherType`` works on the object: `commit`, `state`, subscriptions, derived
/// values, actions and mutations. The `store` may also be a dispatcher; the ``scope-swift.type.property``
/// starts at its scope, and is all of it unless the type has one. Declare both with `let`. A class on
/// the main actor says `nonisolated static let scope`.
public protocol StoreComponentType<WrappedStore>: DispatcherType
where State == WrappedStore.State, Activity == WrappedStore.Activity {
  /// The store or dispatcher it works on.
  associatedtype WrappedStore: DispatcherType
  /// The part of the state it works on.
  associatedtype Scope = WrappedStore.Scope

  /// The store or dispatcher it works on.
  var store: WrappedStore { get }
  /// The path from the scope of ``store`` to the part of the state that the type works on.
  static var scope: StatePath<WrappedStore.Scope, Scope> { get }
}

extension StoreComponentType {
  /// The store that is committed to.
  public var targetStore: Store<WrappedStore.State, WrappedStore.Activity> { store.targetStore }
  /// The path from the state to the scope.
  public var scope: StatePath<WrappedStore.State, Scope> { appending(Self.scope, to: store.scope) }
}

extension StoreComponentType where Scope == WrappedStore.Scope {
  /// The whole scope of the store or dispatcher.
  public static var scope: StatePath<WrappedStore.Scope, WrappedStore.Scope> { \.self }
}
