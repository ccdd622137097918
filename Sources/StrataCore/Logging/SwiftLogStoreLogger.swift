#if SwiftLog
  public import Logging

  /// Writes what happens in a store to swift-log, with the details as metadata.
  ///
  /// ```swift
  /// let logger = SwiftLogStoreLogger(Logger(label: "app.store"))
  /// let store = AppStore(initialState: AppState(), logger: logger)
  /// ```
  ///
  /// It exists with the package trait `SwiftLog`, which is off by default.
  public struct SwiftLogStoreLogger: StoreLogger {
    private let logger: Logger
    private let level: Logger.Level

    /// Creates a logger that writes to `logger` at `level`.
    public init(_ logger: Logger, level: Logger.Level = .debug) {
      self.logger = logger
      self.level = level
    }

    /// Writes the commit's name and place, version, store and duration.
    public func didCommit(_ log: CommitLog) {
      logger.log(
        level: level,
        "commit",
        metadata: [
          "store": "\(log.store)",
          "version": "\(log.version)",
          "trace": .array(log.traces.map { "\($0)" }),
          "nanoseconds": "\(log.nanoseconds)",
        ]
      )
    }

    /// Writes the activity.
    public func didSendActivity(_ log: ActivityLog) {
      logger.log(
        level: level,
        "activity",
        metadata: ["store": "\(log.store)", "activity": "\(log.activity)"]
      )
    }

    /// Writes the store and how many deliveries wait, as a warning.
    public func subscribersAreBehind(_ log: BehindLog) {
      logger.warning(
        "subscribers are behind",
        metadata: ["store": "\(log.store)", "waiting": "\(log.waiting)"]
      )
    }

    /// Writes the action and those that led to it.
    public func willDispatch(_ log: DispatchLog) {
      logger.log(
        level: level,
        "dispatch",
        metadata: [
          "store": "\(log.store)",
          "dispatcher": "\(log.dispatcher)",
          "action": .array(log.actions.map { "\($0)" }),
        ]
      )
    }

    /// Writes the type of the dispatcher.
    public func didCreateDispatcher(_ log: DispatcherLog) { write("dispatcher created", log) }

    /// Writes the type of the dispatcher.
    public func didDestroyDispatcher(_ log: DispatcherLog) { write("dispatcher destroyed", log) }

    private func write(_ message: Logger.Message, _ log: DispatcherLog) {
      logger.log(
        level: level,
        message,
        metadata: ["store": "\(log.store)", "dispatcher": "\(log.dispatcher)"]
      )
    }
  }
#endif
