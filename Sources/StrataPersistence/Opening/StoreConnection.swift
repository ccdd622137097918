import StrataBase
package import StrataCore
import StrataJournal

/// The store of a persistence: before there is one, the state it will be created with.
package enum StoreConnection<State: StateType>: Sendable {
  /// The closure of a commit.
  package typealias Edit = (inout State, inout CommitAttachments) throws -> Void

  case waiting(State)
  case attached(Attached)

  /// A store, reached without keeping it alive.
  package struct Attached: Sendable {
    let state: @Sendable () -> State?
    let subscribers: @Sendable () -> StoreSubscribers?
    let withoutCommits: @Sendable (() -> Void) -> Void
    let commit: @Sendable (CommitTrace, Edit) throws -> Bool
    /// Attaches another source to the store.
    let attachSource: @Sendable (any StoreSource<State>) -> Void
  }

  /// Connects to a store; returns false if there is one already.
  package mutating func attach<Activity: Sendable>(to store: Store<State, Activity>) -> Bool {
    guard case .waiting = self else { return false }
    self = .attached(
      Attached(
        state: { [weak store] in store?.state },
        subscribers: { [weak store] in store?.subscribers },
        withoutCommits: { [weak store] action in
          if let store { store.withoutCommits(action) } else { action() }
        },
        commit: { [weak store] trace, edit in
          guard let store else { return false }
          try store.commit(trace, scope: \.self) {
            (state: inout State, attachments: inout CommitAttachments) throws in
            if store.isPreviewing { throw PersistenceError.Reason.previewing }
            try edit(&state, &attachments)
          }
          return true
        },
        attachSource: { [weak store] source in
          if let store { source.attach(to: store) }
        }
      )
    )
    return true
  }

  package var state: State {
    switch self {
    case .waiting(let state): return state
    case .attached(let store):
      if let state = store.state() { return state }
      fatalError(
        """
        The store of this Persistence was deallocated. Keep the store, or close the persistence \
        and open the file again.
        """
      )
    }
  }

  /// Who follows the store; nil while there is none.
  var subscribers: StoreSubscribers? {
    if case .attached(let store) = self { store.subscribers() } else { nil }
  }

  /// Commits to the store, which must have been there; returns false if it was deallocated.
  @discardableResult
  package func commit(_ trace: CommitTrace, _ edit: Edit) throws -> Bool {
    switch self {
    case .waiting:
      fatalError(
        """
        "\(trace.name)" at \(trace.place) commits to the store of a Persistence that has no \
        store yet. Create the store from it first.
        """
      )
    case .attached(let store): return try store.commit(trace, edit)
    }
  }

  /// Attaches another source to the store, which must be there.
  package func attach(_ source: any StoreSource<State>) {
    if case .attached(let store) = self { store.attachSource(source) }
  }

  /// Runs `action` while no commit of the store is in progress.
  package func withoutCommits(_ action: () -> Void) {
    switch self {
    case .waiting: action()
    case .attached(let store): store.withoutCommits(action)
    }
  }
}
