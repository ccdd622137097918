/// The change that one commit made to one store, or that a reducer did not make.
///
/// A reducer that changed nothing, threw, or was not called because a store it waits for failed has a
/// change too, with the state before as its state: without an earlier entry it can do something.
struct RecordedChange: Sendable {
  let store: String
  /// The state after the commit, as recorded.
  var recorded: RecordedState
  /// The state after the commit without the skipped entries; the recorded state if none is skipped.
  var shown: RecordedState
  /// The id of the state before the commit, as recorded.
  let before: Int
  /// The id of the state before the commit, as shown.
  var shownBefore: Int
  /// The change itself; nil when only the resulting state is known.
  let mutation: ReplayableMutation?
  /// The revision of the commit in the file of its store, if it has one.
  let revision: Int64?
  /// Why the reducer changed nothing, as recorded.
  var failure: (any Error)?
  /// Why the reducer changes nothing, as shown.
  var shownFailure: (any Error)?

  init(
    store: String,
    state: RecordedState,
    before: Int,
    mutation: ReplayableMutation?,
    revision: Int64? = nil,
    failure: (any Error)? = nil
  ) {
    self.store = store
    recorded = state
    shown = state
    self.before = before
    shownBefore = before
    self.mutation = mutation
    self.revision = revision
    self.failure = failure
    shownFailure = failure
  }

  /// The order of the commit among all commits of the recording.
  var order: Int { recorded.order }

  /// Whether it changed the store, as recorded.
  var isCommit: Bool { recorded.id != before }

  /// Whether it is what the reducer's `reduce` makes of the action.
  var isReduction: Bool { mutation?.isReduction == true }

  /// Whether the reducer was not called, because a store that this one waits for failed.
  var wasNotReached: Bool {
    if case .dependencyFailed? = failure as? OperationError { true } else { false }
  }

  /// The change with the shown state as its recorded state.
  var settled: RecordedChange {
    RecordedChange(
      store: store,
      state: shown,
      before: shownBefore,
      mutation: mutation,
      revision: shown.id == recorded.id ? revision : nil,
      failure: shownFailure
    )
  }

  /// The change without its mutation: only the resulting state is known.
  var withoutMutation: RecordedChange {
    RecordedChange(
      store: store,
      state: recorded,
      before: before,
      mutation: nil,
      revision: revision
    )
  }

  /// Puts the commit at another place in the order of the commits.
  mutating func setOrder(_ order: Int) {
    recorded.order = order
    shown.order = order
  }
}

/// A state of a store in a recording.
struct RecordedState: Sendable {
  let state: any StateType
  /// A number that no other state of the recording has: equal ids mean the same state.
  let id: Int
  /// The order of the last commit that the state includes, among all commits of the recording.
  ///
  /// Commits are numbered as they happen. Entries can be in another order: overlapping dispatches
  /// become entries when they finish.
  var order: Int
}

/// The change that a commit made, which can be applied to another state.
struct ReplayableMutation: Sendable {
  /// The attachment of a commit that holds the change it made, if that is known.
  static let key = CommitAttachmentKey<ReplayableMutation>()

  let replay: @Sendable (any StateType) throws -> any StateType
  /// Whether it is the reducer's `reduce` for the action, and can be recreated from the action.
  let isReduction: Bool

  init<State: StateType>(
    _ change: @escaping @Sendable (inout State) throws -> Void,
    isReduction: Bool
  ) {
    self.isReduction = isReduction
    replay = { state in
      guard var state = state as? State else {
        preconditionFailure(
          "A recorded change of \(State.self) was applied to \(type(of: state)). "
            + "Use one state type for each store."
        )
      }
      try change(&state)
      return state
    }
  }
}
