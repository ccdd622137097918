import StrataBase

/// What a commit passes through after its edit: middleware, then hooks.
///
/// A stage may be installed while a commit waits for the edit lock, so a commit reads the stages again
/// once it holds the lock.
@usableFromInline
struct CommitStages<State: StateType>: Sendable {
  @usableFromInline var middleware: [any StoreMiddleware<State>] = []
  @usableFromInline var hooks: [any CommitHook<State>] = []
  /// Where commits go instead of the state shown; nil in a store that no recorder has touched.
  @usableFromInline var detour: CommitDetour<State>?
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

/// Where the commits of a store go instead of the state that it shows: the one hook of a recorder in
/// the path of a commit.
///
/// A store without a recorder has none, and each of its commits pays one check.
@usableFromInline
final class CommitDetour<State: StateType>: Sendable {
  /// The state that the store left to show others; nil if it shows its own.
  ///
  /// See ``Preview``.
  let present: PresentState<State>?
  /// Decides where each commit goes; nil: to the state shown.
  let destination: (@Sendable () -> CommitDestination)?

  /// Creates a detour; nil if there is none.
  init?(_ present: PresentState<State>?, _ destination: (@Sendable () -> CommitDestination)?) {
    if present == nil, destination == nil { return nil }
    self.present = present
    self.destination = destination
  }

  /// The own state of the store, if the commit of the running code goes there, and whether its change
  /// is dropped.
  @usableFromInline
  func next() -> (present: PresentState<State>?, isNowhere: Bool) {
    switch destination?() ?? .shown {
    case .shown: (nil, false)
    case .present: (present, false)
    case .dropped: (present, true)
    }
  }
}

extension CommitStages {
  /// The state that the store left to show others; nil if it shows its own.
  var present: PresentState<State>? {
    get { detour?.present }
    set { detour = CommitDetour(newValue, detour?.destination) }
  }

  /// Decides where each commit goes; nil: to the state shown.
  var destination: (@Sendable () -> CommitDestination)? {
    get { detour?.destination }
    set { detour = CommitDetour(present, newValue) }
  }
}

/// Where a commit of a store goes while the store shows another state than its own.
package enum CommitDestination: Sendable {
  /// To the state shown; without a ``Preview`` that is the store's own.
  case shown
  /// To the store's own state, which a ``Preview`` left.
  case present
  /// Nowhere: the closure runs, and its change is dropped.
  case dropped
}

/// The own state of a store that shows another one, guarded by the edit lock of the store.
@usableFromInline
final class PresentState<State: StateType>: Sendable {
  private struct Status: Sendable {
    var state: State
    var commits = 0
  }

  /// All hooks of the store when it left, in the order of their installation.
  let hooks: [any CommitHook<State>]
  /// How many of them follow previews.
  ///
  /// These are the first in the store's list meanwhile; hooks installed meanwhile come after them.
  let following: Int
  private let status: Lock<Status>

  init(_ state: State, hooks: [any CommitHook<State>], following: Int) {
    self.hooks = hooks
    self.following = following
    status = Lock(Status(state: state))
  }

  @usableFromInline var state: State { status.withLock { $0.state } }

  /// How many commits it received since the store left it.
  var commits: Int { status.withLock { $0.commits } }

  /// The hooks that the store has without the preview, if `current` are those it has now.
  @usableFromInline
  func hooks(with current: [any CommitHook<State>]) -> [any CommitHook<State>] {
    hooks + current.dropFirst(following)
  }

  /// Makes `state` the own state, and returns the one before it, to be freed outside every lock.
  @usableFromInline
  func replace(with state: State) -> State {
    status.withLock { status in
      defer { status = Status(state: state, commits: status.commits + 1) }
      return status.state
    }
  }
}
