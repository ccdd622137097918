public import Foundation
import StrataBase
@_exported public import StrataFlux

// The recorder. Beside the log and the travel, its size has three reasons; without them it had 1,700
// of its 3,200 lines:
//
// - An action is whole in the present whatever travels meanwhile: `RecorderState.destination`,
//   `isDiscarded`, `incompleteEntries`, and CommitDetour in StrataCore.
// - A pure reducer decides again when an earlier entry is skipped: changes that made no commit
//   (`RecordedChange.isCommit`), participants and their waits, `RecorderEntry.recomputeError`.
// - A file is small and checked: Recording, RecordingReader, EncodedState, ExactJSON,
//   RecordedError; about 900 lines.
//
// It lets any dispatches overlap, which costs it the order of commits beside the order of entries:
// `order` in RecordedState and RecordedChange, RecorderLog.isInBase, the sorting in
// recomputeShownStates and cut, RecorderError.partOfBase; about 80 lines. The rule "recorded
// dispatches to one store are serial" was considered and not taken:
//
// - It would not remove that code. A dispatch becomes an entry when *all* its stores are done, so a
//   dispatch to stores a and b can commit to a before, and end after, one that reaches a alone; and
//   code outside of any dispatch commits to a store while an operation is in progress. Both need the
//   order of commits. Pending entries are needed too: one slow operation is in progress when a
//   travel starts, however serial the dispatches are.
// - It would change the program that is recorded. A `.sync` dispatch inside an operation of the same
//   store runs now, nested; it would have to wait for the operation that waits for it. One operation
//   that never finishes would stop its store, but only while a recorder is registered.

/// Records the changes of all stores of a `Dispatcher`, and shows them at earlier times.
///
/// ```swift
/// let recorder = RecorderMiddleware()
/// dispatcher.register(middleware: recorder)
/// …
/// try recorder.back()               // all stores as they were one action ago
/// try recorder.skip(entry.id)       // as if that action had never been dispatched
/// try recorder.returnToPresent()    // or commit(), or branch(): see below
/// ```
///
/// The *base* is the state of the stores when recording started. Each action that reached a store
/// becomes an *entry* when all its stores are done, with every commit that it made. A commit outside
/// of any action is an entry too. *Position* n shows the state after n entries, 0 the base. Changes
/// that belong to no entry yet, because their dispatch is active or the recorder is paused, are part
/// of the last position.
///
/// **Travelling** (``back()``, ``forward()``, ``jump(to:)``, ``skip(_:)``, ``import(_:)``) shows
/// earlier states. Sinks and observers are notified after all stores have changed. No reducer is
/// asked for an operation, no operation runs, no middleware is called, nothing is recorded. Hooks
/// that persist commits are not called, so a persisted store writes nothing: in the file the stores
/// are in the present.
///
/// **Ending a travel** takes an explicit call. ``returnToPresent()`` discards what is shown.
/// ``branch()`` and ``commit()`` make the shown states the present, ``rollback()`` the base; they
/// write it, as one commit of each store that differs. Travelling to the last entry with nothing
/// skipped returns to the present, too.
///
/// **A new action while travelling** is refused with `DispatchError.travelling`, so that a timer
/// cannot discard later entries; with ``TravelPolicy/branch`` the recorder branches first.
///
/// **A dispatch that is active when a travel starts** takes effect in the present: its commits change
/// the states that the stores left, are written as always, and are seen on return. Its operations
/// must read the state inside `updateState` or `commit`; outside, `store.state` is the one shown. If a
/// state without its commits becomes the present instead, it ends with `DispatchError.discarded`
/// and its later commits are dropped. Commits made by other code while travelling are shown but not
/// written, and are gone after the next step; only ``branch()`` and ``commit()`` keep them, as a
/// separate entry.
///
/// **Overlapping dispatches** are distinguished by the task that commits. A commit made in a `then`,
/// or by a task after its dispatch is done, is a separate entry. A commit from elsewhere, such as
/// a block on a dispatch queue, counts for the oldest active dispatch that its store is not done
/// with. Entries are in the order in which their dispatches finished, and can show more than their
/// own changes: a store is shown as it was after the last commit of the entries shown. Skipping an
/// entry removes only its own commits.
public final class RecorderMiddleware: Middleware {
  /// What happens to an action that is dispatched while another time is shown.
  public enum TravelPolicy: Sendable {
    /// The action is refused.
    case refuse
    /// The recorder branches as by ``RecorderMiddleware/branch()``, then the action is dispatched.
    case branch
  }

  /// The maximum number of entries; the oldest are merged into the base.
  public let limit: Int
  /// What happens to an action that is dispatched while another time is shown.
  public let travelPolicy: TravelPolicy

  /// Held for a whole travel.
  ///
  /// Lock order: this one, the edit locks of the stores, `state`.
  private let travelLock = Lock(
    0,
    reentryRemedy: """
      A recorder was called by a change that it replays. Call it after updateState has returned.
      """
  )
  private let state = Lock(RecorderState())
  private let moment: @Sendable () -> RecorderState.Moment

  /// What is travelled through.
  private enum TravelKind: Equatable {
    /// The entries recorded here.
    case recorded
    /// The entries recorded here, to their base, in order to keep it.
    case base
    /// An imported recording of these stores.
    case imported(Set<String>)
  }

  /// Creates a recorder; it starts to record when it is registered with a dispatcher.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of entries, at least 1. States share unchanged parts, so an entry
  ///     costs what it changed.
  ///   - travelPolicy: What happens to an action that is dispatched while another time is shown.
  ///   - clock: The clock that measures the duration of an entry.
  ///   - now: The time of an entry.
  public init(
    limit: Int = 100,
    travelPolicy: TravelPolicy = .refuse,
    clock: some Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    if limit < 1 {
      fatalError("A RecorderMiddleware has the limit \(limit). Use a limit of at least 1.")
    }
    self.limit = limit
    self.travelPolicy = travelPolicy
    let start = clock.now
    moment = { RecorderState.Moment(date: now(), elapsed: start.duration(to: clock.now)) }
  }

  /// Records that a store received an action.
  public func willDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {
    state.withLock { $0.willDispatch(transaction, in: store.identifier) }
  }

  /// Records that a store is done with an action.
  public func didDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {
    state.withLock { $0.didDispatch(transaction, in: store.identifier) }
  }
}

extension RecorderMiddleware {
  /// The steps recorded since the base, the oldest first.
  ///
  /// O(limit).
  public var entries: [RecorderEntry] { state.withLock { $0.log.entries } }

  /// The number of entries up to the state shown: 0 is the base.
  ///
  /// O(1), like the three that follow.
  public var position: Int { state.withLock { $0.log.position } }

  /// Whether the stores show something other than the present.
  public var isTravelling: Bool { state.withLock { $0.travel != nil } }

  /// Whether actions are dropped.
  public var isLocked: Bool { state.withLock { $0.isLocked } }

  /// Whether recording is paused.
  public var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Drops every action from now on, with `DispatchError.locked`.
  public func lock() { state.withLock { $0.isLocked = true } }

  /// Accepts actions again.
  public func unlock() { state.withLock { $0.isLocked = false } }

  /// Stops recording; actions are dispatched as before.
  public func pause() { state.withLock { $0.pause(at: moment()) } }

  /// Resumes recording.
  ///
  /// The changes made meanwhile become one entry without an action, if there are any.
  public func resume() { state.withLock { $0.resume(at: moment(), limit: limit) } }
}

extension RecorderMiddleware {
  /// Shows the state one entry earlier; returns false, without effect, at the base.
  ///
  /// O(stores).
  ///
  /// - Throws: ``RecorderError/refused(store:_:)``.
  @discardableResult
  public func back() throws(RecorderError) -> Bool { try step(by: -1) }

  /// Shows the state one entry later; returns false, without effect, at the last entry.
  ///
  /// O(stores).
  ///
  /// - Throws: ``RecorderError/refused(store:_:)``.
  @discardableResult
  public func forward() throws(RecorderError) -> Bool { try step(by: 1) }

  /// Shows the state after the first `position` entries.
  ///
  /// O(stores).
  ///
  /// - Throws: ``RecorderError/noSuchPosition(_:last:)``, ``RecorderError/refused(store:_:)``.
  public func jump(to position: Int) throws(RecorderError) {
    try move { log throws(RecorderError) in try log.jump(to: position) }
  }

  /// Shows the state after an entry.
  ///
  /// O(limit + stores).
  ///
  /// - Throws: ``RecorderError/noSuchEntry(_:)``, ``RecorderError/refused(store:_:)``.
  public func jump(toEntry id: Int) throws(RecorderError) {
    try move { log throws(RecorderError) in try log.jump(to: log.position(after: id)) }
  }

  /// Shows the states as they would be without an entry: later commits to its stores are replayed,
  /// in their original order.
  ///
  /// A store that responds by `Reducer.reduce(_:_:)` decides again what an action does: one that
  /// failed can succeed without the entry, and the other way round. Of a store with operations the
  /// commits are replayed as they were made. O(n log n + stores) for n recorded commits, and the cost
  /// of the replayed commits.
  ///
  /// - Returns: The ids of the entries that could not be recomputed: on another state of their store, or of one that
  ///   it waits for, the operations could have made other commits than those shown.
  /// - Throws: ``RecorderError/noSuchEntry(_:)``; ``RecorderError/notReplayable(entry:store:)`` if a
  ///   later commit changed one of these stores other than by `updateState` or `reduce`;
  ///   ``RecorderError/partOfBase(entry:store:)``;
  ///   ``RecorderError/replayFailed(entry:store:_:)``; ``RecorderError/refused(store:_:)``.
  @discardableResult
  public func skip(_ id: Int) throws(RecorderError) -> [Int] {
    try recompute { log throws(RecorderError) in try log.setSkipped(id, true) }
  }

  /// Includes a skipped entry again.
  ///
  /// The cost is that of ``skip(_:)``.
  ///
  /// - Returns: As ``skip(_:)`` does.
  /// - Throws: As ``skip(_:)`` does.
  @discardableResult
  public func unskip(_ id: Int) throws(RecorderError) -> [Int] {
    try recompute { log throws(RecorderError) in try log.setSkipped(id, false) }
  }

  /// Shows the states as they would be if an entry had come before another one, or last.
  ///
  /// The position stays. It is a travel, also if the entries are in their original order again:
  /// ``branch()`` keeps the new order, ``returnToPresent()`` restores the original one. The cost is
  /// that of ``skip(_:)``.
  ///
  /// - Parameters:
  ///   - id: The entry to move, with all its commits.
  ///   - other: The entry before which it comes; nil puts it at the end.
  /// - Returns: As ``skip(_:)`` does.
  /// - Throws: As ``skip(_:)`` does.
  @discardableResult
  public func move(_ id: Int, before other: Int?) throws(RecorderError) -> [Int] {
    try recompute { log throws(RecorderError) in try log.move(id, before: other) }
  }

  /// Removes the skipped entries from those shown; the states shown stay.
  ///
  /// ``returnToPresent()`` restores them, ``branch()`` drops them for good. O(limit + stores).
  ///
  /// - Throws: ``RecorderError/refused(store:_:)``.
  public func sweep() throws(RecorderError) {
    try move { $0.sweep() }
  }

  /// The state of a store after an entry, as shown with the entries that are skipped now; id 0 is the
  /// base.
  ///
  /// Shows nothing. O(limit).
  ///
  /// - Throws: ``RecorderError/noSuchEntry(_:)``; ``RecorderError/notRecorded(store:)``.
  public func state<State, Action>(
    of store: FluxStore<State, Action>,
    afterEntry id: Int
  ) throws(RecorderError) -> State {
    let (log, stores) = state.withLock { ($0.log, $0.stores) }
    let position = id == 0 ? 0 : try log.position(after: id)
    guard stores.contains(where: { $0 === store }),
      let state = log.states(at: position)[store.identifier]?.state as? State
    else { throw .notRecorded(store: store.identifier) }
    return state
  }

  private func recompute(
    _ change: (inout RecorderLog) throws(RecorderError) -> [Int]
  ) throws(RecorderError) -> [Int] {
    var entries: [Int] = []
    try move { log throws(RecorderError) in entries = try change(&log) }
    return entries
  }

  private func step(by distance: Int) throws(RecorderError) -> Bool {
    var hasMoved = false
    try move { log throws(RecorderError) in
      let position = log.position + distance
      hasMoved = (0...log.entries.count).contains(position)
      if hasMoved { try log.jump(to: position) }
    }
    return hasMoved
  }

  private func move(
    _ change: (inout RecorderLog) throws(RecorderError) -> Void
  ) throws(RecorderError) {
    try travelling { () throws(RecorderError) in try show(.recorded, change) }
  }
}

extension RecorderMiddleware {
  /// Ends the travel in the present: every store has the state it left, and nothing was written.
  ///
  /// A dispatch that was active meanwhile has taken effect in this state. The entries are as before,
  /// none skipped. Has no effect in the present. O(stores).
  ///
  /// - Throws: ``RecorderError/refused(store:_:)``.
  public func returnToPresent() throws(RecorderError) {
    try travelling { () throws(RecorderError) in
      guard let travel = state.withLock({ $0.travel }) else { return [] }
      return try discard(travel)
    }
  }

  /// Makes the shown states the present, and drops the entries after them and the skipped ones.
  ///
  /// They are written, as one commit of each store that differs from the present. An active dispatch
  /// with a commit that they lack ends with `DispatchError.discarded`, and its later commits are
  /// dropped. Has no effect in the present. O(limit + stores), and the cost of these commits.
  ///
  /// - Returns: The actions of which the shown states, and so the present, have only a part, because
  ///   their dispatches overlapped others; with the error `DispatchError.discarded`.
  /// - Throws: ``RecorderError/refused(store:_:)`` if a store cannot keep the shown state, for
  ///   example because its file was closed.
  @discardableResult
  public func branch() throws(RecorderError) -> [RecorderEntry] {
    var incomplete: [RecorderEntry] = []
    try travelling { () throws(RecorderError) in
      try keep(reporting: &incomplete) { $0.cut() }
    }
    return incomplete
  }

  /// Makes the shown states the present and the base, and drops all entries.
  ///
  /// They are written as by ``branch()``; in the present, there is nothing to write. O(stores), and
  /// the cost of these commits.
  ///
  /// - Returns: As ``branch()`` does.
  /// - Throws: As ``branch()`` does.
  @discardableResult
  public func commit() throws(RecorderError) -> [RecorderEntry] {
    var incomplete: [RecorderEntry] = []
    try travelling { () throws(RecorderError) in
      try keep(reporting: &incomplete) { $0.squash() }
    }
    return incomplete
  }

  /// Makes the base the present, and drops all entries.
  ///
  /// It is written as by ``branch()``. O(limit + stores).
  ///
  /// - Returns: As ``branch()`` does.
  /// - Throws: As ``branch()`` does; then the base is shown.
  @discardableResult
  public func rollback() throws(RecorderError) -> [RecorderEntry] {
    var incomplete: [RecorderEntry] = []
    try travelling { () throws(RecorderError) in
      _ = try show(.base) { log throws(RecorderError) in
        log = log.with([])
        try log.jump(to: 0)
      }
      return try keep(reporting: &incomplete) { $0.squash() }
    }
    return incomplete
  }
}

extension RecorderMiddleware {
  /// The recording as JSON: the base, the changes of each entry, skipped entries, and the position.
  ///
  /// The states and actions of every store must be `Codable`. It contains the states of the base, and
  /// after that only what each commit changed: the entities of tables, or the properties.
  ///
  /// It is read back first, as ``import(_:)`` reads it: what is returned shows, at every position, what this recorder
  /// shows. O(base, and for each commit the state and the reducer).
  ///
  /// - Throws: ``RecorderError/notExportable(entry:_:)`` where it would show something else,
  ///   ``RecorderError/notCodable(store:type:)``, and encoding errors.
  public func export() throws -> Data {
    let (log, codings) = state.withLock { state in
      (state.travel == nil ? state.presentLog : state.log, state.codings)
    }
    return try Recording(codings: codings).checkedData(of: log)
  }

  /// Shows an exported recording, of this program or another, at the position of its export.
  ///
  /// It is a travel: no operation runs and nothing is written. ``returnToPresent()`` returns to the
  /// stores and the recording of this program; ``branch()`` and ``commit()`` continue from the shown
  /// states. Registered stores that the recording does not contain keep their states; stores that are
  /// not registered are left out. Beyond the limit, the oldest entries are merged into the base.
  ///
  /// Changes made by `reduce` are recomputed: now, where they must give the recorded states, and when
  /// an earlier entry is skipped. Of other changes the recording contains only the resulting states,
  /// which are shown as they are. O(base + changes), and the cost of the reducers.
  ///
  /// - Returns: The stores of the recording that are not registered here.
  /// - Throws: ``RecorderError/checksumMismatch(entry:)``;
  ///   ``RecorderError/recomputedDifferently(entry:store:)``; ``RecorderError/unreadable(_:)``;
  ///   ``RecorderError/notReplayable(entry:store:)`` if an entry is skipped and the states without it
  ///   are missing; ``RecorderError/noSuchPosition(_:last:)``;
  ///   ``RecorderError/notCodable(store:type:)``; ``RecorderError/refused(store:_:)``.
  @discardableResult
  public func `import`(_ data: Data) throws(RecorderError) -> [String] {
    let codings = state.withLock { $0.codings }
    let contents = try Recording(codings: codings).contents(of: data, limit: limit)
    let imported = contents.log
    try travelling { () throws(RecorderError) in
      try show(.imported(Set(imported.base.keys))) { log in
        var imported = imported
        let present = state.withLock { $0.travel?.present } ?? log
        for (store, current) in present.statesAtEnd where imported.base[store] == nil {
          imported.add(store, current.state)
        }
        log = imported
      }
    }
    return contents.missingStores
  }
}

extension RecorderMiddleware {
  /// Runs one step of a travel, and notifies subscribers after all stores have changed and every
  /// lock is free.
  private func travelling(
    _ step: () throws(RecorderError) -> [any StorePreview]
  ) throws(RecorderError) {
    let previews = try travelLock.withLock { _ throws(RecorderError) in try step() }
    for preview in previews { preview.notify() }
  }

  /// Shows the log that `change` makes; starts or ends a travel if needed.
  ///
  /// Like all that follow, called while `travelLock` is held. Returns the previews to notify.
  private func show(
    _ kind: TravelKind,
    _ change: (inout RecorderLog) throws(RecorderError) -> Void
  ) throws(RecorderError) -> [any StorePreview] {
    let current = state.withLock { $0.travel }
    var travel = current ?? beginTravel()
    if case .imported(let stores) = kind { travel.importedStores = stores }
    let old = state.withLock { $0.log }
    var new = old
    do throws(RecorderError) {
      try change(&new)
      // Without entries the base is the last position, but does not include pending changes.
      let isPresent =
        new.isAtPresent && (kind != .base || old.pending.allSatisfy(\.changes.isEmpty))
      if isPresent, travel.importedStores == nil { return try discard(travel) }
      try show(new, after: old, travel, kind)
    } catch {
      // A travel that was just started ends; one that was in progress continues unchanged.
      if current == nil { _ = try discard(travel) }
      throw error
    }
    // Not the whole travel: dispatches that finished meanwhile were added to its present.
    state.withLock { state in
      state.replaceLog(with: new)
      state.travel?.importedStores = travel.importedStores
    }
    return previews(of: travel)
  }

  /// Starts a preview in every store.
  private func beginTravel() -> RecorderState.Travel {
    let stores = state.withLock { $0.stores }
    var previews: [String: any StorePreview] = [:]
    for store in stores { previews[store.identifier] = store.beginPreview() }
    return state.withLock { $0.beginTravel(previews) }
  }

  /// Shows a log in every store where it differs from what is shown; in all of them, or in none.
  private func show(
    _ new: RecorderLog,
    after old: RecorderLog,
    _ travel: RecorderState.Travel,
    _ kind: TravelKind
  ) throws(RecorderError) {
    let (newStates, oldStates) = (new.states, old.states)
    var shown: [(preview: any StorePreview, before: any StateType)] = []
    for store in state.withLock({ $0.stores }) {
      let identifier = store.identifier
      guard let preview = travel.previews[identifier], let state = newStates[identifier] else {
        continue
      }
      let isShown = state.id == oldStates[identifier]?.id && !preview.hasForeignCommits
      if case .imported = kind {} else if isShown { continue }
      let before = store.stateValue
      do {
        try preview.show(state.state)
      } catch {
        for (preview, before) in shown.reversed() {
          // It was accepted a moment ago; if it is refused now, the first error is more useful.
          do { try preview.show(before) } catch _ {}
        }
        throw .refused(store: identifier, error)
      }
      shown.append((preview, before))
    }
  }

  /// Ends the travel in the present.
  private func discard(
    _ travel: RecorderState.Travel
  ) throws(RecorderError) -> [any StorePreview] {
    for store in state.withLock({ $0.stores }) {
      guard let preview = state.withLock({ $0.travel?.previews[store.identifier] }) else {
        continue
      }
      do {
        try preview.discard()
      } catch {
        throw .refused(store: store.identifier, error)
      }
      state.withLock { $0.travel?.previews[store.identifier] = nil }
    }
    state.withLock { $0.endTravel() }
    return previews(of: travel)
  }

  /// Makes the shown states the present, with the log that `settle` makes of the shown one.
  private func keep(
    reporting incomplete: inout [RecorderEntry],
    _ settle: (inout RecorderLog) -> Void
  ) throws(RecorderError) -> [any StorePreview] {
    var log = state.withLock { $0.log }
    guard let travel = state.withLock({ $0.travel }) else {
      state.withLock { $0.settle(settle) }
      return []
    }
    let shown = log
    let entries = state.withLock { $0.incompleteEntries(in: shown) }
    settle(&log)
    state.withLock { $0.beginKeeping(log, of: shown, limit: limit) }
    var kept: [any HubStore] = []
    for store in state.withLock({ $0.stores }) {
      guard let preview = travel.previews[store.identifier] else { continue }
      do {
        if let other = try preview.keep() {
          state.withLock { state in
            state.recordKeptState(other, of: store.identifier, at: moment(), limit: limit)
          }
        }
      } catch {
        cancelKeeping(shown, kept: kept)
        throw .refused(store: store.identifier, error)
      }
      kept.append(store)
    }
    state.withLock { $0.travel = nil }
    incomplete = entries
    return previews(of: travel)
  }

  /// Continues the travel, except that the present of the stores kept so far is their current state.
  private func cancelKeeping(_ shown: RecorderLog, kept: [any HubStore]) {
    state.withLock { $0.cancelKeeping(shown, limit: limit) }
    for store in kept {
      let preview = store.beginPreview()
      let current = store.stateValue
      state.withLock { state in
        state.travel?.previews[store.identifier] = preview
        state.recordKeptState(current, of: store.identifier, at: moment(), limit: limit)
      }
    }
  }

  /// In the order of the registration of their stores.
  private func previews(of travel: RecorderState.Travel) -> [any StorePreview] {
    state.withLock { $0.stores }.compactMap { travel.previews[$0.identifier] }
  }
}

extension RecorderMiddleware: HubMiddleware {
  package func join(_ hub: Dispatcher.Identity, _ stores: [any HubStore]) {
    state.withLock { state in
      if state.hub != nil {
        fatalError(
          "A RecorderMiddleware records one dispatcher. Create another one for another dispatcher."
        )
      }
      state.hub = hub
    }
    for store in stores { add(store) }
  }

  package func leave() {
    do {
      try returnToPresent()
    } catch _ {
      // The remaining previews return to the present when they are deallocated.
    }
    // Releasing the state can run code that commits or calls the recorder, so it happens unlocked.
    let released = travelLock.withLock { _ in
      let released = state.withLock { state in
        defer { state = RecorderState() }
        return state
      }
      for store in released.stores { store.stopObservingCommits() }
      return released
    }
    withExtendedLifetime(released) {}
  }

  package func add(_ store: any HubStore) {
    travelLock.withLock { _ in
      if state.withLock({ state in state.stores.contains { $0 === store } }) { return }
      store.observeCommits(by: self) { current in state.withLock { $0.add(store, current) } }
      // After the observer, because a preview suspends the hooks that are installed when it starts.
      guard state.withLock({ $0.travel != nil }) else { return }
      let preview = store.beginPreview()
      state.withLock { $0.travel?.previews[store.identifier] = preview }
    }
  }

  package func remove(_ store: any HubStore) {
    let preview = travelLock.withLock { _ in
      store.stopObservingCommits()
      return state.withLock { state in
        defer { state.remove(store) }
        return state.travel?.previews[store.identifier]
      }
    }
    // Releasing the preview restores the hooks of the store and its state.
    withExtendedLifetime(preview) {}
  }

  package func admit(_ action: any FluxAction) throws(DispatchError) {
    let (isLocked, isTravelling) = state.withLock { ($0.isLocked, $0.travel != nil) }
    if isLocked { throw .locked }
    guard isTravelling else { return }
    switch travelPolicy {
    case .refuse: throw .travelling
    case .branch:
      do {
        try branch()
      } catch {
        throw .branchFailed(error)
      }
    }
  }

  package func didOpen(
    _ id: DispatchID,
    _ action: any FluxAction,
    _ stores: [(store: String, waitsFor: [String])]
  ) {
    state.withLock { $0.didOpen(id.transaction, action, stores, at: moment()) }
  }

  package func didEnd(_ id: DispatchID, with error: DispatchError?) -> DispatchError? {
    state.withLock { $0.didEnd(id.transaction, with: error, at: moment(), limit: limit) }
  }
}

/// What the observers of its stores report, under the edit lock of each store.
extension RecorderMiddleware {
  /// Records a commit.
  func record(_ commit: ObservedCommit) {
    state.withLock { $0.record(commit, at: moment(), limit: limit) }
  }

  /// Records that the reducer is about to change a state for an action.
  func willReduce(_ mutation: ReplayableMutation, _ state: any StateType, in store: String) {
    self.state.withLock { $0.willReduce(mutation, state, in: store, .current) }
  }

  /// Records that it did not; not under the edit lock.
  func didFail(_ failure: ReductionFailure, in store: String) {
    state.withLock { $0.didFail(failure, in: store, .current) }
  }

  /// Where a commit of the running code goes.
  func destination(in store: String) -> CommitDestination {
    state.withLock { $0.destination(of: .current, in: store) }
  }
}
