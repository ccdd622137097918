/// A commit of a store, as it is reported to the recorder.
struct ObservedCommit: Sendable {
  let store: String
  /// The state after it.
  let state: any StateType
  /// The change that it made; nil when only the resulting state is known.
  let mutation: ReplayableMutation?
  /// The revision that it became in the file of the store, if it has one.
  let revision: Int64?
  /// The dispatch that it belongs to, if that is known.
  let dispatch: DispatchID?
  /// Where the commit was made.
  let trace: CommitTrace
}
