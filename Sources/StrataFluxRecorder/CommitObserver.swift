import StrataBase
import StrataFlux

/// Reports the commits of one store to a recorder, as long as there is one.
///
/// It is a hook of the store. It does not follow previews, so states that a recorder shows are not
/// reported.
final class CommitObserver<State: StateType>: CommitHook, ChangeObserver {
  private let store: String
  private let storeID: ObjectIdentifier
  fileprivate weak let recorder: RecorderMiddleware?

  fileprivate init<Action>(of store: FluxStore<State, Action>, for recorder: RecorderMiddleware) {
    self.store = store.identifier
    storeID = ObjectIdentifier(store)
    self.recorder = recorder
  }

  func editDidEnd(_ edit: inout Edit<State>) {
    if recorder != nil, edit.attachments[CommitRevision.key] == nil {
      edit.attachments[CommitRevision.key] = CommitRevision()
    }
  }

  func commitDidHappen(_ edit: Edit<State>) {
    guard RecorderState.storeBeingKept != storeID else { return }
    let change = edit.attachments[RecordedChange.key] ?? .unknown
    let revision = edit.attachments[CommitRevision.key]?.number
    recorder?.state.withLock {
      $0.record(change, edit.state, of: store, by: edit.trace, revision: revision)
    }
  }

  func willUpdate(
    _ attachments: inout CommitAttachments,
    by change: @escaping @Sendable (inout State) throws -> Void
  ) {
    attachments[RecordedChange.key] = .update { state in
      guard var state = state as? State else { return state }
      try change(&state)
      return state
    }
  }

  func willReduce(_ attachments: inout CommitAttachments) {
    attachments[RecordedChange.key] = .reduction
  }

  func didReduce() {
    recorder?.state.withLock { state in
      guard let id = DispatchID.current, id.hub === state.hub else { return }
      state.update(id.transaction) { $0.entry[store].isReduced = true }
    }
  }
}

extension RecorderState {
  /// The store in which the running code keeps what is shown, a commit that is not reported.
  @TaskLocal static var storeBeingKept: ObjectIdentifier?
}

extension HubStore {
  /// Reports every commit after the state that `start` receives to a recorder, which is held weakly.
  ///
  /// No commit happens between that state and the first report.
  func observeCommits(by recorder: RecorderMiddleware, start: (any StateType) -> Void) {
    let store = typed
    let observer = store.hook(
      where: { (observer: CommitObserver<State>) in observer.recorder === recorder },
      orInstall: { CommitObserver(of: store, for: recorder) }
    )
    store.withoutCommits {
      start(store.state)
      store.changeObserver.withLock { $0 = observer }
    }
  }

  /// Reports no more changes; commits of a store that is not recorded are ignored.
  func stopObservingCommits() { typed.changeObserver.withLock { $0 = nil } }

  /// The state after the reducer's `reduce` of an action; the same one for an action of another type.
  func reduce(_ state: any StateType, _ action: any FluxAction) throws -> any StateType {
    guard let action = action as? Action, var state = state as? State else { return state }
    try typed.reducer.reduce(&state, action)
    return state
  }
}
