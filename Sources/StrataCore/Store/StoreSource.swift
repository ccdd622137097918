/// Something a store starts from and stays connected to, such as a persisted file.
///
/// The source makes a *value* first; the store is created with it; only then is the source
/// attached. Nothing is ever restored by committing through a store.
public protocol StoreSource<State>: Sendable {
  /// The state of the stores this source feeds.
  associatedtype State: StateType

  /// The state a store is created with.
  var initialState: State { get }

  /// Connects the source to the store that was created from it, before anyone else can commit.
  ///
  /// A source that can feed one store only traps on the second call.
  func attach<Activity: Sendable>(to store: Store<State, Activity>)
}
