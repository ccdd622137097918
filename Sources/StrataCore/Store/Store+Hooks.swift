import StrataBase

extension Store {
  /// Returns the installed hook that `isWanted` accepts, or installs the one that `make` creates.
  ///
  /// Waits for a commit that is under way. Hooks run in the order of their installation, and a
  /// hook stays for the life of the store.
  @discardableResult
  public func hook<Hook: CommitHook<State>>(
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
  package var isPreviewing: Bool { stages.withLock { $0.detour?.present != nil } }

  /// Sets the function that decides where each commit goes, or removes it; it runs under the edit lock.
  package func setCommitDestination(_ destination: (@Sendable () -> CommitDestination)?) {
    stages.withLock { $0.destination = destination }
  }

  /// Runs `action` while no commit is under way and none can start.
  ///
  /// Waits for a commit that is under way. `action` must not commit to this store.
  package func withoutCommits(_ action: () -> Void) {
    editLock.withLock { _ in action() }
  }
}
