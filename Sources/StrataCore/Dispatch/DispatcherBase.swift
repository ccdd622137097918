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
  /// Creates a dispatcher for `targetStore`, which it holds strongly.
  public init(targetStore: Store<State, Activity>) {
    super.init(targetStore: targetStore, scope: \.self)
  }

  /// The same as `init(targetStore:)`.
  public init(target: Store<State, Activity>) {
    super.init(targetStore: target, scope: \.self)
  }
}
