/// The change that a commit made, which can be applied to another state.
struct ReplayableMutation: Sendable {
  let replay: @Sendable (any StateType) throws -> any StateType
  /// Whether it is the reducer's `reduce` for the action, and can be recreated from the action.
  let isReduction: Bool

  static func mutation<State: StateType, R, E: Error>(
    of mutation: @escaping @Sendable (inout State) throws(E) -> R
  ) -> ReplayableMutation {
    ReplayableMutation(isReduction: false) { _ = try mutation(&$0) }
  }

  static func reduction<State: StateType, Action: FluxAction>(
    of action: Action,
    by reducer: Reducer<State, Action>
  ) -> ReplayableMutation {
    ReplayableMutation(isReduction: true) { try reducer.reduce(&$0, action) }
  }

  private init<State: StateType>(
    isReduction: Bool,
    _ mutation: @escaping @Sendable (inout State) throws -> Void
  ) {
    self.isReduction = isReduction
    replay = { state in
      guard var state = state as? State else {
        fatalError("A recorded change of \(State.self) was applied to \(type(of: state)).")
      }
      try mutation(&state)
      return state
    }
  }
}
