import StrataCore

/// What a persistence knows of its store: nothing yet but the state it will be created with, or how
/// to reach it.
enum StoreConnection<State: StateType>: Sendable {
  case waiting(State)
  case attached(Attached)

  /// A store, reached without keeping it alive.
  struct Attached: Sendable {
    let state: @Sendable () -> State?
    let withoutCommits: @Sendable (() -> Void) -> Void
  }

  /// Connects to a store; false when there is one already.
  mutating func attach<Activity: Sendable>(to store: Store<State, Activity>) -> Bool {
    guard case .waiting = self else { return false }
    self = .attached(
      Attached(
        state: { [weak store] in store?.state },
        withoutCommits: { [weak store] action in
          if let store { store.withoutCommits(action) } else { action() }
        }
      )
    )
    return true
  }

  var state: State {
    switch self {
    case .waiting(let state): return state
    case .attached(let store):
      if let state = store.state() { return state }
      fatalError(
        """
        A Persistence feeds one store, and the one it fed is gone. Keep the store, or close the \
        persistence and open the file again.
        """
      )
    }
  }

  /// Runs `action` while no commit of the store is under way.
  func withoutCommits(_ action: () -> Void) {
    switch self {
    case .waiting: action()
    case .attached(let store): store.withoutCommits(action)
    }
  }
}
