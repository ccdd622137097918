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
