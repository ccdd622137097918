import StrataBase

/// What a commit passes through after its edit: middleware, then hooks.
///
/// A stage may be installed while a commit waits for the edit lock, so a commit reads the stages again
/// once it holds the lock.
@usableFromInline
struct CommitStages<State: StateType>: Sendable {
  @usableFromInline var middleware: [any StoreMiddleware<State>] = []
  @usableFromInline var hooks: [any CommitHook<State>] = []
  /// Whether the store shows states that are not kept; see ``Preview``.
  var isPreviewing = false
  /// Whether so many versions waited for subscribers that the next commit waits for room first.
  @usableFromInline var isCrowded = false

  @usableFromInline
  init() {}
}

extension CommitStages {
  /// Runs middleware and hooks over an edit, each in the order of installation; then the edit is a
  /// commit, and only its version remains to be published.
  ///
  /// Throws the error of the first stage that refuses it.
  @inlinable
  func complete(_ edit: inout Edit<State>) throws {
    if !middleware.isEmpty {
      for hook in hooks { hook.middlewareWillRun(edit) }
      for stage in middleware { try stage.modify(&edit) }
    }
    for hook in hooks { try hook.editDidEnd(&edit) }
    for hook in hooks { hook.commitDidHappen(edit) }
  }
}
