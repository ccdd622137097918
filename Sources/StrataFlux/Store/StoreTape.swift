import StrataBase

/// Applies a recorded change to another state.
typealias Replay = @Sendable (any StateType) throws -> any StateType

/// A commit of a store, as the recorder hears of it.
struct CommitNote: Sendable {
  let store: String
  /// The state after it.
  let state: any StateType
  /// What was done to the state; nil when only the outcome is known.
  let mutation: TapedMutation?
  /// The dispatch that it belongs to, if that is known.
  let dispatch: DispatchMark?
  /// Who committed.
  let trace: CommitTrace
}

/// Who hears of commits; called under the edit lock of the store.
struct CommitTap: Sendable {
  let note: @Sendable (CommitNote) -> Void
}

/// What a commit does to the state, kept to be done again.
struct TapedMutation: Sendable {
  let replay: Replay
  /// Whether it is the reducer's `reduce` for the action, and so can be found again from the action.
  let isReduction: Bool

  static func mutation<State: StateType, R, E: Error>(
    of mutation: @escaping @Sendable (inout State) throws(E) -> R
  ) -> TapedMutation {
    TapedMutation(replay: replaying { _ = try mutation(&$0) }, isReduction: false)
  }

  static func reduction<State: StateType, Action: FluxAction>(
    of action: Action,
    by reducer: Reducer<State, Action>
  ) -> TapedMutation {
    TapedMutation(replay: replaying { try reducer.reduce(&$0, action) }, isReduction: true)
  }

  private static func replaying<State: StateType>(
    _ mutation: @escaping @Sendable (inout State) throws -> Void
  ) -> Replay {
    { state in
      guard var state = state as? State else {
        fatalError("A recorded change of \(State.self) was applied to \(type(of: state)).")
      }
      try mutation(&state)
      return state
    }
  }
}

/// Where a store notes its commits while a recorder listens.
final class StoreTape<State: StateType>: Sendable {
  private let listener = Lock<CommitTap?>(nil)
  /// Under which a commit carries what it did to the state, if that is known.
  let mutation = CommitAttachmentKey<TapedMutation>()

  var isTapped: Bool { listener.withLock { $0 != nil } }

  /// Starts to tell `tap`; between the state that `begin` is given and the first note there is no
  /// commit.
  func connect<Activity>(
    _ tap: CommitTap,
    to store: Store<State, Activity>,
    begin: (any StateType) -> Void
  ) {
    let name = (store as? any FluxStoreType)?.identifier ?? store.name
    store.hook(
      where: { (_: TapeHook<State>) in true },
      orInstall: { TapeHook(tape: self, store: name) }
    )
    store.withoutCommits {
      begin(store.state)
      listener.withLock { $0 = tap }
    }
  }

  func disconnect() { listener.withLock { $0 = nil } }

  fileprivate func note(_ edit: Edit<State>, of store: String) {
    guard TapeContext.muted != ObjectIdentifier(self) else { return }
    guard let tap = listener.withLock({ $0 }) else { return }
    let note = CommitNote(
      store: store,
      state: edit.state,
      mutation: edit.attachments[mutation],
      dispatch: DispatchContext.dispatch,
      trace: edit.trace
    )
    tap.note(note)
  }
}

/// What is known about the commits that the running code makes.
enum TapeContext {
  /// The tape that does not note them: they are the recorder's own.
  @TaskLocal static var muted: ObjectIdentifier?
}

/// Notes every commit that is kept; detours are not its business.
private final class TapeHook<State: StateType>: CommitHook {
  private let tape: StoreTape<State>
  private let store: String

  init(tape: StoreTape<State>, store: String) {
    self.tape = tape
    self.store = store
  }

  func commitDidHappen(_ edit: Edit<State>) { tape.note(edit, of: store) }
}
