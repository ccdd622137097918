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
  /// Creates a dispatcher for `targetStore`, which it holds.
  public init(targetStore: Store<State, Activity>) {
    super.init(targetStore: targetStore, scope: targetStore.scope)
  }

  /// Another name for `init(targetStore:)`, for code that was written for an older Verge.
  public init(target: Store<State, Activity>) {
    super.init(targetStore: target, scope: target.scope)
  }
}
