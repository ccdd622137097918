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
