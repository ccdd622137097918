import StrataBase
public import StrataJournal
package import StrataStorage

#if ServiceLifecycle
  public import ServiceLifecycle
#endif

extension Persistence {
  /// Writes pending commits and releases the file: no lock is held and nothing is open until
  /// ``resume()``.
  ///
  /// It is for programs that must not hold a file while they are suspended, such as an app in the
  /// background whose file is in a shared container. The store stays usable: what is committed
  /// meanwhile waits in memory and is written by `resume`. Beyond 100,000
  /// changed entities it is merged, as while the disk fails, so memory is bounded by the entities
  /// that change. Meanwhile `flush` and everything else that needs the file throws an error of the
  /// kind `.closed`.
  ///
  /// Waits for a reading of the history that is in progress; a backup is aborted. Suspending again
  /// does nothing. Suspending a persistence that was opened for reading only does nothing either,
  /// as it holds no file. Throws `PersistenceError` when something could not be written: the file
  /// is released all the same, and what could not be written stays in memory.
  public func suspend() async throws(PersistenceError) {
    if writer.configuration.restore == .readOnly { return }
    await reader.stop(.suspended)
    await companion?.suspend(.suspended)
    try await writer.suspend()
  }

  /// Opens the file again and writes what was committed meanwhile.
  ///
  /// O(entities in the file), like opening: all of it is verified again. Resuming when it is not
  /// suspended does nothing.
  ///
  /// Throws `PersistenceError`: `.locked` while another writer has the file, `.notThere` when
  /// it is gone, `.otherStore` when another writer has written to it meanwhile, or when another file
  /// is in its place. Then it stays suspended, and the call may be repeated. After `.otherStore` the
  /// store and the file hold two histories: close this persistence, which writes nothing then, and
  /// open the file again.
  public func resume() async throws(PersistenceError) {
    if writer.configuration.restore == .readOnly { return }
    try await writer.resume()
    await reader.resume()
    await companion?.resume(isRewritten: false)
  }

  /// Runs `body`, which puts another history of the store in the place of the file's, while nothing reads the file.
  ///
  /// - Parameter reason: why reading the history is refused meanwhile.
  package func rewriteHistory<R: Sendable>(
    because reason: String,
    _ body: (JournalWriter) async throws(PersistenceError) -> R
  ) async throws(PersistenceError) -> R {
    await reader.stop(.busy(reason))
    await companion?.suspend(.busy(reason))
    let result: Result<R, PersistenceError>
    do throws(PersistenceError) {
      result = .success(try await body(writer))
    } catch {
      result = .failure(error)
    }
    // Also after an error: the file may have been replaced.
    recent.withLock { $0.forgetEarlier() }
    await reader.resume()
    await companion?.resume(isRewritten: true)
    return try result.get()
  }
}

#if ServiceLifecycle
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

  package func shutdownOrCancellation() async {
    // The only error is that of a cancelled task, whose commits are written too.
    do { try await gracefulShutdown() } catch _ {}
  }
#endif
