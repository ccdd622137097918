/// A store, for its dispatcher and the dispatcher's recorder.
protocol HubStore: FluxStoreType {
  /// Asks the reducer for an operation.
  ///
  /// Only for an action that the store responds to.
  func respond(to action: any FluxAction) throws -> StoreResponse

  /// Whether both are one object.
  func isSame(as other: any HubStore) -> Bool

  /// Calls `callback` when observers are notified, until `observer` is deallocated.
  func observe(
    _ observer: some AnyObject & Sendable,
    _ callback: @escaping @Sendable (StoreGroup.Cause) -> Void
  )

  /// Reports every commit after the state that `start` receives.
  ///
  /// The recorder is held weakly.
  func observeCommits(by recorder: any CommitRecorder, start: (any StateType) -> Void)

  func stopObservingCommits()

  /// Starts to show states that are not persisted.
  func beginPreview() -> any StorePreview

  /// How states and actions of this store are encoded and decoded.
  var coding: any StoreCoding { get }
}

extension HubStore {
  func isSame(as other: any HubStore) -> Bool { self === other }
}
