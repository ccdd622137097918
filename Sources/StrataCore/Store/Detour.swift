import StrataBase

/// A time in which a store shows states that are not kept.
///
/// It is what looking at another time needs: subscribers see every state that is shown, and hooks
/// that keep commits (a journal, a log) see nothing, until the detour ends in one of two ways:
/// ``returning()`` shows the state that the store left, ``keeping(_:)`` makes what is shown now
/// the next commit after it. Whoever commits in between commits to the detour.
package final class Detour<State: StateType, Activity: Sendable>: Sendable {
  private struct Aside: Sendable {
    /// All hooks of the store when the detour began, in the order of their installation.
    let hooks: [any CommitHook<State>]
    /// How many of them follow the detour; these begin the store's list, later ones come after.
    let following: Int
    /// The version that the hooks left behind know as the last one.
    let departure: Version<State>
  }

  private let store: Store<State, Activity>
  private let aside: Aside
  private let isOver = Lock(false)

  /// Begins a detour from the state committed last.
  ///
  /// Waits for a commit that is under way.
  package init(from store: Store<State, Activity>) {
    self.store = store
    aside = store.editLock.withLock { _ in
      let hooks = store.stages.withLock { $0.hooks }
      let following = hooks.filter(\.followsDetours)
      store.stages.withLock { stages in
        stages.hooks = following
        stages.isOnDetour = true
      }
      return Aside(hooks: hooks, following: following.count, departure: store.delivery.current)
    }
  }

  /// Returns, when nobody ended the detour: a store must not lose its hooks for good.
  deinit {
    if isOver.withLock({ $0 }) { return }
    let trace = CommitTrace(name: "detour", fileID: #fileID, function: #function, line: #line)
    do {
      try returning(trace)
      tell()
    } catch _ {
      // A hook refuses the state it accepted before; what is shown stays, and is kept from here on.
      store.editLock.withLock { _ in restoreHooks() }
    }
  }

  /// The state that the store left.
  package var departure: State { aside.departure.value }

  /// Makes `state` the store's next version, which only hooks that follow detours see.
  ///
  /// Subscribers are told by ``tell()``. Gives the version. Throws what such a hook throws; then
  /// nothing happened.
  @discardableResult
  package func show(_ state: State, _ trace: CommitTrace) throws -> UInt64 {
    for hook in store.stages.withLock({ $0.hooks }) { hook.commitWillBegin() }
    let replaced = try store.editLock.withLock { _ in
      try publish(state, after: store.delivery.current.value, trace)
    }
    return replaced.number + 1
  }

  /// Tells subscribers what was shown since they were last told.
  package func tell() { store.delivery.drain() }

  /// Ends the detour where it began; without a version of its own if nothing was shown.
  ///
  /// Throws like ``show(_:_:)``; then the detour goes on.
  package func returning(_ trace: CommitTrace) throws {
    for hook in store.stages.withLock({ $0.hooks }) { hook.commitWillBegin() }
    let replaced = try store.editLock.withLock { _ -> Version<State>? in
      guard hasMoved else {
        restoreHooks()
        return nil
      }
      let replaced = try publish(departure, after: store.delivery.current.value, trace)
      restoreHooks()
      return replaced
    }
    _ = consume replaced
  }

  /// Ends the detour with a commit that leads from where it began to what is shown now.
  ///
  /// All hooks see it. Gives its version; there is none if nothing was shown. Throws when a hook
  /// refuses it; then the detour goes on.
  @discardableResult
  package func keeping(_ trace: CommitTrace) throws -> UInt64? {
    for hook in aside.hooks { hook.commitWillBegin() }
    let replaced = try store.editLock.withLock { _ -> Version<State>? in
      let followers = store.stages.withLock { $0.hooks }
      restoreHooks()
      guard hasMoved else { return nil }
      do {
        return try publish(store.delivery.current.value, after: departure, trace)
      } catch {
        store.stages.withLock { stages in
          stages.hooks = followers
          stages.isOnDetour = true
        }
        isOver.withLock { $0 = false }
        throw error
      }
    }
    return replaced.map { $0.number + 1 }
  }

  private var hasMoved: Bool { store.delivery.current.number != aside.departure.number }

  /// Runs one edit under the edit lock; gives the version that it replaced.
  private func publish(
    _ state: State,
    after previous: State,
    _ trace: CommitTrace
  ) throws -> Version<State> {
    let hooks = store.stages.withLock { $0.hooks }
    let start = store.delivery.current.changes.replacingValue(with: previous)
    var edit = Edit(after: start, trace: trace, causes: [])
    edit.state = state
    for hook in hooks { try hook.editDidEnd(&edit) }
    for hook in hooks { hook.commitDidHappen(edit) }
    return store.delivery.publish(Version(Changes(edit)), log: nil)
  }

  private func restoreHooks() {
    isOver.withLock { $0 = true }
    store.stages.withLock { stages in
      stages.hooks = aside.hooks + stages.hooks.dropFirst(aside.following)
      stages.isOnDetour = false
    }
  }
}
