/// A state with a default initial value.
public protocol InitialStateType: StateType {
  /// Creates the initial state.
  init()
}
