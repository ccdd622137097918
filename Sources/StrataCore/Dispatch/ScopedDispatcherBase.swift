/// A dispatcher of a part of the state: its commits are closures over that part alone.
///
/// ```swift
/// final class LoggedInService: MyStore.ScopedDispatcher<LoggedInState>, @unchecked Sendable {
///   init(store: MyStore) { super.init(targetStore: store, scope: \.loggedIn) }
///
///   func rename(to name: String) { commit { $0.name = name } }
/// }
/// ```
open class ScopedDispatcherBase<State: StateType, Activity: Sendable, Scope: Sendable>:
  DispatcherType, @unchecked Sendable
{
  /// The store that is committed to.
  ///
  /// Held strongly.
  public let targetStore: Store<State, Activity>
  /// The path from the state to the scope.
  public let scope: StatePath<State, Scope>

  /// Creates a dispatcher for the part of the state that `scope` leads to.
  public init(targetStore: Store<State, Activity>, scope: StatePath<State, Scope>) {
    self.targetStore = targetStore
    self.scope = scope
    targetStore.logger?.didCreateDispatcher(dispatcherLog())
  }

  deinit { targetStore.logger?.didDestroyDispatcher(dispatcherLog()) }
}
