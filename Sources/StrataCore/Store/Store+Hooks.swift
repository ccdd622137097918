import StrataBase

extension Store {
  /// Returns the installed hook that `isWanted` accepts, or installs the one that `make` creates.
  ///
  /// Waits for a commit that is under way. Hooks run in the order of their installation, and a
  /// hook stays for the life of the store.
  @discardableResult
  package func hook<Hook: CommitHook<State>>(
    where isWanted: (Hook) -> Bool,
    orInstall make: () -> Hook
  ) -> Hook {
    editLock.withLock { _ in
      let installed = stages.withLock { $0.hooks }
      for case let hook as Hook in installed where isWanted(hook) { return hook }
      let hook = make()
      var state = delivery.current.value
      hook.didInstall(in: &state)
      delivery.replaceCurrent(with: state)
      stages.withLock { $0.hooks.append(hook) }
      return hook
    }
  }
}

extension Store {
  /// Whether the store shows states that are not kept; see ``Preview``.
  package var isPreviewing: Bool { stages.withLock { $0.isPreviewing } }

  /// Runs `action` while no commit is under way and none can start.
  ///
  /// Waits for a commit that is under way. `action` must not commit to this store.
  package func withoutCommits(_ action: () -> Void) {
    editLock.withLock { _ in action() }
  }
}

extension Store {
  /// Adds middleware; it runs in every commit whose edit starts after this returns.
  ///
  /// Waits for a commit that is under way. It stays for the life of the store; an object can be removed with
  /// ``remove(middleware:)``.
  public func add<Middleware: StoreMiddleware>(middleware: Middleware)
  where Middleware.State == State {
    editLock.withLock { _ in stages.withLock { $0.middleware.append(middleware) } }
  }

  /// Adds middleware made of a closure: `store.add(middleware: .modify { edit in … })`.
  public func add(middleware: ModifyingMiddleware<State>) {
    editLock.withLock { _ in stages.withLock { $0.middleware.append(middleware) } }
  }

  /// Removes middleware that was added to the store; it does not run in a commit whose edit starts after this returns.
  ///
  /// ```swift
  /// let stamp = ModifyingMiddleware<AppState> { edit in edit.state.changedAt = .now }
  /// store.add(middleware: stamp)
  /// store.remove(middleware: stamp)
  /// ```
  ///
  /// Waits for a commit that is under way. Middleware that was added twice is removed once. Returns whether it was there.
  @discardableResult
  public func remove<Middleware: StoreMiddleware & AnyObject>(middleware: Middleware) -> Bool
  where Middleware.State == State {
    // Freed after the locks, with what its closure holds.
    let removed = editLock.withLock { _ in
      stages.withLock { stages -> (any StoreMiddleware<State>)? in
        stages.middleware.lastIndex { $0 as AnyObject === middleware }
          .map { stages.middleware.remove(at: $0) }
      }
    }
    return removed != nil
  }
}

extension Store {
  /// Receives every commit that was refused and whose caller could not receive the error.
  ///
  /// By default ``RefusedCommit/report()``: a line on standard error, and a failed assertion in debug
  /// builds. It is called on the committing thread, after the commit was rolled back and outside every
  /// lock, so it may commit. The store holds the closure, so capture the store weakly.
  ///
  /// ```swift
  /// store.refusedCommitHandler = { log.error("\($0)") }
  /// ```
  ///
  /// A test replaces it to see what a release build does.
  public var refusedCommitHandler: @Sendable (RefusedCommit) -> Void {
    get { refusals.withLock { $0 }.handle }
    set {
      var handler = RefusedCommitHandler()
      handler.handle = newValue
      // The old one is freed after the lock, with what it holds.
      refusals.withLock { swap(&$0, &handler) }
    }
  }
}
