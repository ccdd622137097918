import StrataBase

/// Receives what happens in the stores of a recorder, under the edit lock of each store.
protocol CommitRecorder: AnyObject, Sendable {
  /// A commit happened.
  func record(_ commit: ObservedCommit)
  /// The reducer is about to change `state` for an action; a commit follows if it changes something.
  func willReduce(_ mutation: ReplayableMutation, _ state: any StateType, in store: String)
  /// What the reducer was about to do failed; not under the edit lock.
  func didFail(_ failure: ReductionFailure, in store: String)
  /// Where a commit of the running code goes.
  func destination(in store: String) -> CommitDestination
}

/// Why the reducer of a store made no commit.
enum ReductionFailure {
  /// It threw this error.
  case reduction(any Error)
  /// A rule or another hook of the store refused the commit.
  case commit
}

/// Reports the commits of one store to a recorder, if one is connected.
///
/// It is a hook of the store. It does not follow previews, so states that a recorder shows are not
/// reported.
final class CommitObserver<State: StateType>: CommitHook {
  /// A struct, because a lock cannot hold a weak reference directly.
  private struct Connection: Sendable {
    weak var recorder: (any CommitRecorder)?
  }

  private let store: String
  private let connection = Lock(Connection())
  /// The attachment of a commit that holds the change it made, if that is known.
  let mutationKey = CommitAttachmentKey<ReplayableMutation>()

  init(of store: String) { self.store = store }

  /// The recorder that is connected.
  var recorder: (any CommitRecorder)? { connection.withLock { $0.recorder } }

  /// Connects a recorder.
  ///
  /// No commit happens between the state that `start` receives and the first report.
  func connect<Activity>(
    _ recorder: any CommitRecorder,
    to store: Store<State, Activity>,
    start: (any StateType) -> Void
  ) {
    store.hook(where: { $0 === self }, orInstall: { self })
    store.withoutCommits {
      start(store.state)
      connection.withLock { $0.recorder = recorder }
      let name = self.store
      store.setCommitDestination { [weak recorder] in
        recorder?.destination(in: name) ?? .shown
      }
    }
  }

  func disconnect<Activity>(from store: Store<State, Activity>) {
    connection.withLock { $0.recorder = nil }
    store.setCommitDestination(nil)
  }

  /// Runs code whose commits to the store are not reported, because the recorder makes them.
  func withoutReports<R>(_ body: () throws -> R) rethrows -> R {
    try UnreportedCommits.$observer.withValue(ObjectIdentifier(self), operation: body)
  }

  /// The recorder that the commit of the running code is reported to; nil if there is none, or if it
  /// makes the commit itself.
  private var receiver: (any CommitRecorder)? {
    UnreportedCommits.observer == ObjectIdentifier(self) ? nil : recorder
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
      mutation: edit.attachments[mutationKey],
      revision: edit.attachments[CommitRevision.key]?.number,
      dispatch: DispatchID.current,
      trace: edit.trace
    )
    receiver.record(commit)
  }
}

/// Apart from the observer: a generic type has no static stored properties.
private enum UnreportedCommits {
  /// The observer that does not report the commits of the running code.
  @TaskLocal static var observer: ObjectIdentifier?
}
