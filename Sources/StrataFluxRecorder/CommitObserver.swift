import StrataBase

/// Reports the commits of one store to a recorder, if one is connected.
///
/// It is a hook of the store. It does not follow previews, so states that a recorder shows are not
/// reported.
final class CommitObserver<State: StateType>: CommitHook {
  /// A struct, because a lock cannot hold a weak reference directly.
  private struct Connection: Sendable {
    weak var recorder: RecorderMiddleware?
  }

  private let store: String
  private let storeID: ObjectIdentifier
  private let connection = Lock(Connection())

  init<Action>(of store: FluxStore<State, Action>) {
    self.store = store.identifier
    storeID = ObjectIdentifier(store)
  }

  /// The recorder that is connected.
  fileprivate(set) var recorder: RecorderMiddleware? {
    get { connection.withLock { $0.recorder } }
    set { connection.withLock { $0.recorder = newValue } }
  }

  /// The recorder that the commit of the running code is reported to; nil if there is none, or if it
  /// makes the commit itself.
  private var receiver: RecorderMiddleware? {
    UnreportedCommits.store == storeID ? nil : recorder
  }

  func editDidEnd(_ edit: inout Edit<State>) {
    if receiver != nil, edit.attachments[CommitRevision.key] == nil {
      edit.attachments[CommitRevision.key] = CommitRevision()
    }
  }

  func commitDidHappen(_ edit: Edit<State>) {
    guard let receiver else { return }
    let commit = ObservedCommit(
      store: store,
      state: edit.state,
      mutation: edit.attachments[ReplayableMutation.key],
      revision: edit.attachments[CommitRevision.key]?.number,
      dispatch: DispatchID.current,
      trace: edit.trace
    )
    receiver.record(commit)
  }
}

extension CommitObserver: ChangeObserver {
  func willUpdate(_ attachments: inout CommitAttachments, by change: @escaping Change) {
    guard recorder != nil else { return }
    attachments[ReplayableMutation.key] = ReplayableMutation(change, isReduction: false)
  }

  func willReduce(
    _ state: State,
    _ attachments: inout CommitAttachments,
    by change: @escaping Change
  ) {
    guard let recorder else { return }
    let mutation = ReplayableMutation(change, isReduction: true)
    attachments[ReplayableMutation.key] = mutation
    recorder.willReduce(mutation, state, in: store)
  }

  func didFail(_ failure: ReductionFailure) { recorder?.didFail(failure, in: store) }
}

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

extension HubStore {
  /// Reports every commit after the state that `start` receives to a recorder, which is held weakly.
  ///
  /// No commit happens between that state and the first report.
  func observeCommits(by recorder: RecorderMiddleware, start: (any StateType) -> Void) {
    let store = typed
    let observer = store.hook(
      where: { (_: CommitObserver<State>) in true },
      orInstall: { CommitObserver(of: store) }
    )
    store.withoutCommits {
      start(store.state)
      observer.recorder = recorder
      store.changeObserver.withLock { $0 = observer }
      store.setCommitDestination { [weak recorder, identifier] in
        recorder?.destination(in: identifier) ?? .shown
      }
    }
  }

  /// Reports no more commits.
  func stopObservingCommits() {
    let observer = typed.changeObserver.withLock { installed in
      defer { installed = nil }
      return installed as? CommitObserver<State>
    }
    observer?.recorder = nil
    typed.setCommitDestination(nil)
  }
}

extension FluxStore {
  /// Runs code whose commits to the store are not reported, because the recorder makes them.
  func withoutReports<R>(_ body: () throws -> R) rethrows -> R {
    try UnreportedCommits.$store.withValue(ObjectIdentifier(self), operation: body)
  }
}

/// Apart from the observer: a generic type has no static stored properties.
private enum UnreportedCommits {
  /// The store whose commits by the running code are not reported.
  @TaskLocal static var store: ObjectIdentifier?
}
