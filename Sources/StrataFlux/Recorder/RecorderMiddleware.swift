import StrataBase

/// Records what all stores of a ``Dispatcher`` go through, and takes them back and forth in time.
///
/// ```swift
/// let recorder = RecorderMiddleware()
/// dispatcher.register(middleware: recorder)
/// …
/// try recorder.back()               // all stores as they were one action ago
/// try recorder.skip(entry.id)       // as if that action had never been
/// try recorder.returnToPresent()    // or commit(), or branch(): see below
/// ```
///
/// The *base* is what the stores were when recording began. Each action that reached a store makes
/// an *entry*, when all its stores are done, with every commit that it made; a commit that no action
/// made is an entry too. *Position* n shows the state after n entries, 0 the base. What is in no
/// entry yet, as its dispatch is under way or the recorder paused, is there at the last position.
///
/// **Travelling** (``back()``, ``forward()``, ``jump(to:)``, ``skip(_:)``, ``import(_:)``) shows
/// states that were. Sinks and observers are told, after all stores have moved. No reducer is asked,
/// no operation runs, no middleware is called, nothing is recorded. Hooks that keep commits see
/// nothing either, so a persisted store writes nothing: to the file the stores are where they left.
///
/// **The person's word** ends it: ``returnToPresent()`` goes back to where the stores left.
/// ``branch()`` and ``commit()`` make what is shown the present, ``rollback()`` the base; they write
/// it, as one commit of each store that differs. Travelling back to the last entry with nothing
/// skipped is returning, too.
///
/// **A new action while travelling** is refused with ``DispatchError/travelling``, so that a timer
/// cannot decide to give up the future; with ``PastRule/branch`` it branches first. What operations
/// under way, or code that commits by itself, change meanwhile is shown, is not written, and is gone
/// when the travel goes on; only ``branch()`` and ``commit()`` keep it, as an entry of its own.
///
/// Dispatches that overlap are told apart by the task that commits; what is committed in a `then`, or
/// by a task when its dispatch is done, is an entry of its own. A commit from elsewhere, such as the
/// block of a queue, counts for the oldest dispatch that its store is not done with. Their
/// entries stand in the order in which they ended, and may show more than what they did: a store is
/// as it was after the last commit of the entries shown. Skipping one takes out its own commits.
public final class RecorderMiddleware: Middleware {
  /// What becomes of an action that is dispatched while another time is shown.
  public enum PastRule: Sendable {
    /// It is refused.
    case refuse
    /// The future is given up, as by ``RecorderMiddleware/branch()``, and the action follows.
    case branch
  }

  /// How many entries are kept; the oldest become part of the base.
  public let limit: Int
  /// What becomes of an action that is dispatched while another time is shown.
  public let pastRule: PastRule

  /// Taken for a whole travel: before the edit locks of the stores, which come before `desk`.
  let turn = Lock(
    0,
    reentryRemedy: """
      A recorder was called by a change that it replays. Call it after updateState has returned.
      """
  )
  let desk = Lock(RecorderDesk())

  /// Creates a recorder; it records once it is registered with a dispatcher.
  ///
  /// - Parameters:
  ///   - limit: How many entries are kept, at least 1. A state shares what it can with the one
  ///     before, so an entry costs what it changed.
  ///   - pastRule: What becomes of an action that is dispatched while another time is shown.
  public init(limit: Int = 100, pastRule: PastRule = .refuse) {
    if limit < 1 {
      fatalError("A RecorderMiddleware has the limit \(limit): give it at least 1.")
    }
    self.limit = limit
    self.pastRule = pastRule
  }

  /// Notes that a store was given an action.
  public func willDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {
    desk.withLock { $0.begin(action, transaction, in: store.identifier) }
  }

  /// Notes that a store is done with an action.
  public func didDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {
    desk.withLock { $0.end(transaction, in: store.identifier) }
  }

  /// Makes the entry.
  public func didFinish(transaction: String, action: any FluxAction) {
    desk.withLock { $0.finish(transaction, limit: limit) }
  }
}

extension RecorderMiddleware {
  /// What was recorded since the base, the oldest first.
  ///
  /// O(limit).
  public var entries: [RecorderEntry] { desk.withLock { $0.log.entries } }

  /// How many entries are behind what is shown: 0 is the base.
  ///
  /// O(1), as are the three that follow.
  public var position: Int { desk.withLock { $0.log.position } }

  /// Whether the stores show something else than the present.
  public var isTravelling: Bool { desk.withLock { $0.travel != nil } }

  /// Whether actions are dropped.
  public var isLocked: Bool { desk.withLock { $0.isLocked } }

  /// Whether nothing is recorded.
  public var isPaused: Bool { desk.withLock { $0.isPaused } }

  /// Drops every action from now on, with ``DispatchError/locked``.
  public func lock() { desk.withLock { $0.isLocked = true } }

  /// Lets actions pass again.
  public func unlock() { desk.withLock { $0.isLocked = false } }

  /// Records nothing from now on; actions pass.
  public func pause() { desk.withLock { $0.pause() } }

  /// Records again.
  ///
  /// What changed meanwhile becomes one entry without an action, if anything did.
  public func resume() { desk.withLock { $0.resume(limit: limit) } }
}

extension RecorderMiddleware: HubCompanion {
  func join(_ hub: HubIdentity, _ stores: [any HubStore]) {
    desk.withLock { desk in
      if desk.hub != nil {
        fatalError(
          "A RecorderMiddleware records one dispatcher. Create another one for another dispatcher."
        )
      }
      desk.hub = hub
    }
    for store in stores { add(store) }
  }

  func leave() {
    do {
      try returnToPresent()
    } catch _ {
      // The detours that remain return when they go.
    }
    // What goes with the desk may commit, or come back here, so it goes when the locks are free.
    let left = turn.withLock { _ in
      let left = desk.withLock { desk in
        defer { desk = RecorderDesk() }
        return desk
      }
      for store in left.stores { store.untap() }
      return left
    }
    withExtendedLifetime(left) {}
  }

  func add(_ store: any HubStore) {
    turn.withLock { _ in
      if desk.withLock({ desk in desk.stores.contains { $0.isSame(as: store) } }) { return }
      let tap = CommitTap { [weak self] note in
        guard let self else { return }
        desk.withLock { $0.note(note, limit: self.limit) }
      }
      store.tap(tap) { state in
        desk.withLock { desk in
          desk.stores.append(store)
          desk.log.add(store.identifier, state)
          desk.travel?.present.add(store.identifier, state)
        }
      }
      // After the tap, which a store that was here before has among the hooks put aside.
      guard desk.withLock({ $0.travel != nil }) else { return }
      let detour = store.beginDetour()
      desk.withLock { $0.travel?.detours[store.identifier] = detour }
    }
  }

  func remove(_ store: any HubStore) {
    let detour = turn.withLock { _ in
      store.untap()
      return desk.withLock { desk in
        defer { desk.remove(store) }
        return desk.travel?.detours[store.identifier]
      }
    }
    // Its hooks come back, and with them its state, when the detour goes.
    withExtendedLifetime(detour) {}
  }

  func admit(_ action: any FluxAction) throws(DispatchError) {
    let (isLocked, isTravelling) = desk.withLock { ($0.isLocked, $0.travel != nil) }
    if isLocked { throw .locked }
    guard isTravelling else { return }
    switch pastRule {
    case .refuse: throw .travelling
    case .branch:
      do {
        try branch()
      } catch {
        throw .presentRefused(error)
      }
    }
  }
}
