/// The change that one commit made to one store.
struct RecordedChange: Sendable {
  let store: String
  /// The state after the commit, as recorded.
  let recorded: RecordedState
  /// The state after the commit without the skipped entries; the recorded state if none is skipped.
  var shown: RecordedState
  /// The change itself; nil when only the resulting state is known.
  let mutation: ReplayableMutation?

  init(store: String, state: RecordedState, mutation: ReplayableMutation?) {
    self.store = store
    recorded = state
    shown = state
    self.mutation = mutation
  }

  /// The order of the commit among all commits of the recording.
  var order: Int { recorded.order }

  /// The change with the shown state as its recorded state.
  var settled: RecordedChange { RecordedChange(store: store, state: shown, mutation: mutation) }

  /// The change without its mutation: only the resulting state is known.
  var withoutMutation: RecordedChange {
    RecordedChange(store: store, state: recorded, mutation: nil)
  }
}
