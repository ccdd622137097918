/// The extension point at the end of every edit: how entity tables and persistence connect to a store
/// that knows neither.
///
/// For each commit, in this order: ``commitWillBegin()`` before the edit lock is taken; the edit; if there is middleware,
/// ``middlewareWillRun(_:)`` of every hook and every ``StoreMiddleware``; ``editDidEnd(_:)`` of every hook, any of which may refuse the commit;
/// ``commitDidHappen(_:)`` of every hook, when nothing can fail any more; then the new value is
/// published. All but the first run under the edit lock. So a hook sees commits one at a time and in
/// version order, must be quick, and must not commit to the same store.
///
/// An edit that leaves every byte of the state unchanged is no commit; hooks do not see it.
///
/// ```swift
/// final class Audit: CommitHook {
///   let key = CommitAttachmentKey<Int>()
///
///   func editDidEnd(_ edit: inout Edit<AppState>) throws {
///     guard edit.state.items.count <= 100 else { throw TooManyItems() }
///     edit.attachments[key] = edit.state.items.count - edit.previous.items.count
///   }
/// }
///
/// let audit = store.hook(where: { (_: Audit) in true }, orInstall: { Audit() })
/// store.sinkState { print($0.attachments[audit.key] ?? 0) }
/// ```
@usableFromInline
package protocol CommitHook<State>: Sendable {
  /// The state of the stores this hook can be installed in.
  associatedtype State: StateType

  /// Whether the hook is called for states that are shown and not kept, as by a recorder that
  /// travels in time.
  ///
  /// Return true only from a hook that computes something for subscribers. The default is false: a
  /// hook that keeps or reports commits sees a single commit when the preview is kept, and none when
  /// it is discarded.
  var followsPreviews: Bool { get }

  /// Prepares the current value when the hook is installed.
  ///
  /// It may add bookkeeping to the value but must not change what the value means: no version is
  /// made.
  func didInstall(in state: inout State)

  /// Called on the committing thread before the edit lock is taken; the place to wait.
  ///
  /// Not called for a commit that started before the hook was installed. Also called for a commit that
  /// then throws or changes nothing.
  func commitWillBegin()

  /// Called under the edit lock for a commit of a store that has middleware, before that changes what the closure of the commit
  /// has made.
  func middlewareWillRun(_ edit: Edit<State>)

  /// Completes or refuses an edit, under the edit lock.
  ///
  /// Hooks run in the order of their installation. Install a hook that changes the state before those
  /// that read it, such as the one that computes change sets.
  ///
  /// An error rolls the commit back.
  func editDidEnd(_ edit: inout Edit<State>) throws

  /// Called when a commit can no longer fail, under the edit lock.
  func commitDidHappen(_ edit: Edit<State>)
}

extension CommitHook {
  /// False.
  package var followsPreviews: Bool { false }
  /// Does nothing.
  package func didInstall(in state: inout State) {}
  /// Does nothing.
  package func commitWillBegin() {}
  /// Does nothing.
  package func middlewareWillRun(_ edit: Edit<State>) {}
  /// Does nothing.
  package func editDidEnd(_ edit: inout Edit<State>) throws {}
  /// Does nothing.
  package func commitDidHappen(_ edit: Edit<State>) {}
}

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
