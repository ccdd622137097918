/// What a store starts from and stays connected to, such as a persisted file.
///
/// The source makes a *value* first. The store is created with it, and only then is the source
/// attached. Restoring never commits through a store.
public protocol StoreSource<State>: Sendable {
  /// The state of the stores this source feeds.
  associatedtype State: StateType

  /// The state a store is created with.
  var initialState: State { get }

  /// Connects the source to the store that was created from it, before any other caller can commit.
  ///
  /// A source that can feed only one store traps on the second call.
  func attach<Activity: Sendable>(to store: Store<State, Activity>)
}
