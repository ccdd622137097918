import StrataBase

/// A time in which a store shows states that are not kept, as time travel needs it.
///
/// Subscribers see every state that is shown. Hooks that keep commits (a journal, a log) see nothing
/// until the preview ends in one of two ways: ``discard(_:)`` shows the state from before the preview
/// again, ``keep(_:)`` makes what is shown now the next commit after it. Commits made during a
/// preview are part of it.
package final class Preview<State: StateType, Activity: Sendable>: Sendable {
  private let store: Store<State, Activity>
  /// The state from before the preview.
  private let base: State
  /// All hooks of the store when the preview started, in the order of their installation.
  private let hooks: [any CommitHook<State>]
  /// How many of them follow previews.
  ///
  /// These are the first in the store's list meanwhile; hooks installed meanwhile come after them.
  private let following: Int
  /// The number of the version that was current when the preview started.
  private let firstVersion: UInt64
  private let isOver = Lock(false)

  /// Starts a preview from the state committed last.
  ///
  /// Waits for a commit that is under way.
  package init(of store: Store<State, Activity>) {
    self.store = store
    (base, hooks, following, firstVersion) = store.editLock.withLock { _ in
      let hooks = store.stages.withLock { $0.hooks }
      let following = hooks.filter(\.followsPreviews)
      store.stages.withLock { stages in
        stages.hooks = following
        stages.isPreviewing = true
      }
      let current = store.delivery.current
      return (current.value, hooks, following.count, current.number)
    }
  }

  /// Discards a preview that was not ended, because a store must not lose its hooks for good.
  deinit {
    if isOver.withLock({ $0 }) { return }
    let trace = CommitTrace(name: "preview", fileID: #fileID, function: #function, line: #line)
    do {
      try discard(trace)
      notify()
    } catch _ {
      // A hook refuses the state it accepted before. What is shown stays, and is kept from here on.
      store.editLock.withLock { _ in restoreHooks() }
    }
  }

  /// Makes `state` the next version of the store, which only hooks that follow previews see.
  ///
  /// Subscribers are notified by ``notify()``. Returns the version. Throws what such a hook throws;
  /// then nothing is shown.
  @discardableResult
  package func show(_ state: State, _ trace: CommitTrace) throws -> UInt64 {
    prepare(store.stages.withLock { $0.hooks })
    let replaced = try store.editLock.withLock { turn in
      try publish(state, in: &turn, trace)
    }
    return replaced.number + 1
  }

  /// Notifies subscribers of what was shown since the last call.
  package func notify() { store.delivery.drainAll() }

  /// Ends the preview with the state from before it; without a version of its own if nothing was shown.
  ///
  /// Throws like ``show(_:_:)``; then the preview goes on.
  package func discard(_ trace: CommitTrace) throws {
    prepare(store.stages.withLock { $0.hooks })
    let replaced = try store.editLock.withLock { turn -> Version<State>? in
      guard hasChanged else {
        restoreHooks()
        return nil
      }
      let replaced = try publish(base, in: &turn, trace)
      restoreHooks()
      return replaced
    }
    _ = consume replaced
  }

  /// Ends the preview with a commit from the state before it to the state shown now.
  ///
  /// All hooks see it. Returns its version, or nil if nothing was shown. Throws when a hook refuses
  /// it; then the preview goes on.
  @discardableResult
  package func keep(_ trace: CommitTrace) throws -> UInt64? {
    prepare(hooks)
    let replaced = try store.editLock.withLock { turn -> Version<State>? in
      let following = store.stages.withLock { $0.hooks }
      restoreHooks()
      guard hasChanged else { return nil }
      do {
        return try publish(store.delivery.current.value, after: base, in: &turn, trace)
      } catch {
        store.stages.withLock { stages in
          stages.hooks = following
          stages.isPreviewing = true
        }
        isOver.withLock { $0 = false }
        throw error
      }
    }
    return replaced.map { $0.number + 1 }
  }

  private var hasChanged: Bool { store.delivery.current.number != firstVersion }

  private func prepare(_ hooks: [any CommitHook<State>]) {
    for hook in hooks { hook.commitWillBegin() }
  }

  /// Makes `state` the next version, under the edit lock, and returns the version that was replaced.
  ///
  /// It passes the hooks but not the middleware, which it has passed before. The state before it is the
  /// one shown, or `previous`.
  private func publish(
    _ state: State,
    after previous: State? = nil,
    in turn: inout EditTurn,
    _ trace: CommitTrace
  ) throws -> Version<State> {
    var stages = store.stages.withLock { $0 }
    stages.middleware = []
    let current = store.delivery.current
    var edit = Edit(
      after: previous ?? current.value,
      version: current.number + 1,
      computed: current.changes.computedPlace?.next(
        edit: turn.next(),
        after: previous == nil ? current.number : nil
      ),
      by: CommitOrigin(trace)
    )
    edit.state = state
    try stages.complete(&edit)
    return store.delivery.publish(Version(Changes(edit)), log: nil)
  }

  private func restoreHooks() {
    isOver.withLock { $0 = true }
    store.stages.withLock { stages in
      stages.hooks = hooks + stages.hooks.dropFirst(following)
      stages.isPreviewing = false
    }
  }
}
