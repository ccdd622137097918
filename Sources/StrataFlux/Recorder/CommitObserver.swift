import StrataBase

/// Reports the commits of one store to a recorder, if one is connected.
///
/// It is a hook of the store. It does not follow detours, so states that a recorder shows are not
/// reported.
final class CommitObserver<State: StateType>: CommitHook {
  private let store: String
  private let handler = Lock<(@Sendable (ObservedCommit) -> Void)?>(nil)
  /// The attachment of a commit that holds the change it made, if that is known.
  let mutationKey = CommitAttachmentKey<ReplayableMutation>()

  init(of store: String) { self.store = store }

  /// Whether a recorder is connected.
  var isActive: Bool { handler.withLock { $0 != nil } }

  /// Connects a recorder, whose `handler` is called under the edit lock of the store.
  ///
  /// No commit happens between the state that `start` receives and the first report.
  func connect<Activity>(
    _ handler: @escaping @Sendable (ObservedCommit) -> Void,
    to store: Store<State, Activity>,
    start: (any StateType) -> Void
  ) {
    store.hook(where: { $0 === self }, orInstall: { self })
    store.withoutCommits {
      start(store.state)
      self.handler.withLock { $0 = handler }
    }
  }

  func disconnect() { handler.withLock { $0 = nil } }

  /// Runs code whose commits to the store are not reported, because the recorder makes them.
  func withoutReports<R>(_ body: () throws -> R) rethrows -> R {
    try UnreportedCommits.$observer.withValue(ObjectIdentifier(self), operation: body)
  }

  func commitDidHappen(_ edit: Edit<State>) {
    guard UnreportedCommits.observer != ObjectIdentifier(self) else { return }
    guard let handler = handler.withLock({ $0 }) else { return }
    let commit = ObservedCommit(
      store: store,
      state: edit.state,
      mutation: edit.attachments[mutationKey],
      dispatch: DispatchID.current,
      trace: edit.trace
    )
    handler(commit)
  }
}

/// Apart from the observer: a generic type has no static stored properties.
private enum UnreportedCommits {
  /// The observer that does not report the commits of the running code.
  @TaskLocal static var observer: ObjectIdentifier?
}
