#if ServiceLifecycle
  public import ServiceLifecycle

  /// A service of swift-service-lifecycle, with the package trait `ServiceLifecycle`, which is off by default.
  ///
  /// ```swift
  /// let persistence = try await Persistence.open(at: "app.strata", initialState: AppState(), database: \.db)
  /// let store = AppStore(persistence)
  /// let group = ServiceGroup(services: [persistence, server], logger: logger)
  /// try await group.run()
  /// ```
  ///
  /// A group ends its services from the last to the first. So put the persistence before the services that
  /// commit.
  extension Persistence: Service {
    /// Waits until the group shuts down or the task is cancelled, then writes pending commits and releases the
    /// file, as ``close()`` does.
    ///
    /// Throws `PersistenceError` if something could not be written; the file is released all the same.
    public func run() async throws {
      await shutdownOrCancellation()
      try await close()
    }
  }

  /// A service of swift-service-lifecycle, with the package trait `ServiceLifecycle`, which is off by default.
  extension Follower: Service {
    /// Waits until the group shuts down or the task is cancelled, then stops following; if this process leads by
    /// then, writes pending commits and releases the file.
    ///
    /// Throws what ``close()`` throws.
    public func run() async throws {
      await shutdownOrCancellation()
      try await close()
    }
  }

  private func shutdownOrCancellation() async {
    // The only error is that of a cancelled task, whose commits are written too.
    do { try await gracefulShutdown() } catch _ {}
  }
#endif
