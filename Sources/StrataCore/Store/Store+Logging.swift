extension Store {
  /// The call of the logger for a commit, which waits in the delivery queue for its turn.
  @usableFromInline
  func logEntry(
    of edit: Edit<State>,
    since start: ContinuousClock.Instant?,
    for logger: any StoreLogger
  ) -> LogEntry {
    let end = logger.now()
    let (seconds, attoseconds) = (end - (start ?? end)).components
    let log = CommitLog(
      store: name,
      version: edit.version,
      traces: [edit.trace] + edit.causes,
      nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    )
    return LogEntry { logger.didCommit(log) }
  }

  /// The call of the logger for an activity; nil without a logger.
  func logEntry(of activity: Activity) -> LogEntry? {
    guard let logger else { return nil }
    let log = ActivityLog(store: name, activity: "\(activity)")
    return LogEntry { logger.didSendActivity(log) }
  }
}

extension DispatcherType {
  func logDispatch(of actions: [ActionMetadata]) {
    guard let logger = targetStore.logger else { return }
    logger.willDispatch(
      DispatchLog(store: targetStore.name, dispatcher: "\(Self.self)", actions: actions)
    )
  }

  /// What a logger receives about the dispatcher itself.
  func dispatcherLog() -> DispatcherLog {
    DispatcherLog(store: targetStore.name, dispatcher: "\(type(of: self))")
  }
}
