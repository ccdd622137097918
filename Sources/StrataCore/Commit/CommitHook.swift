/// The extension point at the end of every edit: how entity tables and persistence connect to a
/// store that has never heard of them.
///
/// For each commit, in this order: ``commitWillBegin()`` before the edit lock is taken; the edit;
/// every ``StoreMiddleware``; ``editDidEnd(_:)`` of every hook, any of which may refuse the commit;
/// then ``commitDidHappen(_:)`` of every hook, when nothing can go wrong any more; then the new
/// value is published. All but the first run under the edit lock, so a hook sees commits one at a
/// time and in version order, and must be quick. A hook must not commit to the same store.
///
/// An edit that leaves every byte of the state as it was is no commit, and no hook hears of it.
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
public protocol CommitHook<State>: Sendable {
  /// The state of the stores this hook can be installed in.
  associatedtype State: StateType

  /// Whether the hook is called for states that are shown and not kept, as by a recorder that
  /// travels in time.
  ///
  /// Only for one that computes for subscribers. False unless a hook says otherwise: one that keeps
  /// or reports commits sees a single commit when the detour is kept, and none when it is not.
  var followsDetours: Bool { get }

  /// Prepares the current value when the hook is installed.
  ///
  /// It may add bookkeeping to the value but must not change what the value means: no version is
  /// made.
  func didInstall(in state: inout State)

  /// Called on the committing thread before the edit lock is taken; the place to wait.
  ///
  /// Not called for a commit that had begun when the hook was installed, and called in vain for one
  /// that throws or changes nothing.
  func commitWillBegin()

  /// Completes or refuses an edit, under the edit lock.
  ///
  /// A hook that changes the state must be installed before those that read it, such as the one that
  /// computes change sets: they run in the order of their installation.
  ///
  /// Throwing means that the commit has not happened.
  func editDidEnd(_ edit: inout Edit<State>) throws

  /// Takes note of a commit that has become a fact, under the edit lock.
  func commitDidHappen(_ edit: Edit<State>)
}

extension CommitHook {
  /// False.
  public var followsDetours: Bool { false }
  /// Does nothing.
  public func didInstall(in state: inout State) {}
  /// Does nothing.
  public func commitWillBegin() {}
  /// Does nothing.
  public func editDidEnd(_ edit: inout Edit<State>) throws {}
  /// Does nothing.
  public func commitDidHappen(_ edit: Edit<State>) {}
}
