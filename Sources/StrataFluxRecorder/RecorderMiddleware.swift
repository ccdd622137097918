import Dispatch
public import Foundation
import StrataBase
@_exported public import StrataFlux

/// Records the changes of all stores of a `Dispatcher`, and shows them at earlier times.
///
/// ```swift
/// let recorder = RecorderMiddleware()
/// dispatcher.register(middleware: recorder)
/// …
/// print(recorder)                   // a table of what was recorded
/// try recorder.back()               // all stores as they were one action ago
/// try recorder.skip(entry.id)       // as if that action had never been dispatched
/// try recorder.returnToPresent()    // or commit(), or branch()
/// ```
///
/// An *entry* is a finished dispatch, with the state that each store it changed had at its end, or a
/// commit outside of any dispatch. The *base* is the state of the stores when recording started.
/// *Position* n shows the states after n entries, 0 the base. Showing states runs no reducer.
///
/// **Travelling** calls no middleware and records nothing. Sinks and observers are notified after all
/// stores have changed. Hooks that persist commits are not called, so a persisted store writes nothing.
/// An action is refused with `DispatchError.travelling` meanwhile, or branches: ``TravelPolicy``. A
/// commit of other code changes what is shown, is not written, and is gone after the next step unless
/// ``branch()`` or ``commit()`` keep it.
///
/// **A dispatch in progress** is no entry yet. A call that starts a travel, and ``export()``, wait for
/// it for a limited time; then they throw ``RecorderError/inProgress(action:since:)``.
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
  /// How long a call waits for dispatches in progress.
  public let patience: Duration

  /// Held for a whole travel.
  ///
  /// Lock order: this one, the edit locks of the stores, `state`.
  let travelLock = Lock(
    0,
    reentryRemedy: """
      A recorder was called by a change that it makes again. Call it after updateState has returned.
      """
  )
  let state = Lock(RecorderState())
  let moment: @Sendable () -> RecorderState.Moment

  /// Creates a recorder; it starts to record when it is registered with a dispatcher.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of entries, at least 1. States share unchanged parts, so an entry
  ///     costs what it changed.
  ///   - travelPolicy: What happens to an action that is dispatched while another time is shown.
  ///   - patience: How long a call waits for dispatches in progress.
  ///   - clock: The clock that measures the duration of an entry.
  ///   - now: The time of an entry.
  public init(
    limit: Int = 100,
    travelPolicy: TravelPolicy = .refuse,
    patience: Duration = .milliseconds(100),
    clock: some Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    if limit < 1 {
      fatalError("A RecorderMiddleware has the limit \(limit). Use a limit of at least 1.")
    }
    self.limit = limit
    self.travelPolicy = travelPolicy
    self.patience = patience
    let start = clock.now
    moment = { (now(), start.duration(to: clock.now)) }
  }

  /// Records that a store received an action.
  public func willDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {
    state.withLock { state in
      state.update(transaction) { dispatch in
        dispatch.stores.insert(store.identifier)
        dispatch.entry[store.identifier].isReached = true
      }
    }
  }

  /// Records that a store is done with an action.
  public func didDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {
    state.withLock { $0.update(transaction) { $0.stores.remove(store.identifier) } }
  }
}

extension RecorderMiddleware {
  /// The steps recorded since the base, the oldest first.
  ///
  /// O(limit).
  public var entries: [RecorderEntry] { state.withLock { $0.shown.entries } }

  /// The number of entries up to the state shown: 0 is the base.
  ///
  /// O(1), like the three that follow.
  public var position: Int { state.withLock { $0.shown.position } }

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
    let (log, stores) = state.withLock { ($0.shown, $0.stores) }
    let position = id == 0 ? 0 : try log.position(after: id)
    guard stores.contains(where: { $0 === store }),
      let state = log.states(at: position)[store.identifier]?.value as? State
    else { throw .notRecorded(store: store.identifier) }
    return state
  }
}

extension RecorderMiddleware {
  /// Shows the state one entry earlier; returns false, without effect, at the base.
  ///
  /// O(limit + stores), like every step.
  ///
  /// - Throws: ``RecorderError/inProgress(action:since:)``, ``RecorderError/refused(store:_:)``.
  @discardableResult
  public func back() throws(RecorderError) -> Bool { try step(by: -1) }

  /// Shows the state one entry later; returns false, without effect, at the last entry.
  ///
  /// - Throws: As ``back()`` does.
  @discardableResult
  public func forward() throws(RecorderError) -> Bool { try step(by: 1) }

  /// Shows the state after the first `position` entries.
  ///
  /// - Throws: ``RecorderError/noSuchPosition(_:last:)``, and as ``back()`` does.
  public func jump(to position: Int) throws(RecorderError) {
    try travelling { (log) throws(RecorderError) in try log.jump(to: position) }
  }

  /// Shows the state after an entry.
  ///
  /// - Throws: ``RecorderError/noSuchEntry(_:)``, and as ``back()`` does.
  public func jump(toEntry id: Int) throws(RecorderError) {
    try travelling { (log) throws(RecorderError) in try log.jump(to: log.position(after: id)) }
  }

  /// Shows the states as they would be without an entry: the later entries are made again, one after the
  /// other, in the stores that it changed.
  ///
  /// A store that responds by `Reducer.reduce(_:_:)` decides again what an action does: one that failed can
  /// succeed without the entry, and the other way round. Of an operation the closures of `updateState` run
  /// again. O(limit), and the cost of these.
  ///
  /// - Returns: The ids of the entries whose operations could have done otherwise, in a state that
  ///   is another one in their store, or in one that it waits for.
  /// - Throws: ``RecorderError/notReplayable(entries:store:)`` if only the results of later entries are
  ///   known; ``RecorderError/noSuchEntry(_:)``, ``RecorderError/partOfBase(entry:store:)``,
  ///   ``RecorderError/replayFailed(entry:store:_:)``, and as ``back()`` does.
  @discardableResult
  public func skip(_ id: Int) throws(RecorderError) -> [Int] { try setSkipped(id, true) }

  /// Includes a skipped entry again.
  ///
  /// - Returns: As ``skip(_:)`` does.
  /// - Throws: As ``skip(_:)`` does.
  @discardableResult
  public func unskip(_ id: Int) throws(RecorderError) -> [Int] { try setSkipped(id, false) }

  private func setSkipped(_ id: Int, _ isSkipped: Bool) throws(RecorderError) -> [Int] {
    var entries: [Int] = []
    try travelling { (log) throws(RecorderError) in
      entries = try log.setSkipped(id, isSkipped, state.withLock { $0.storesByName })
    }
    return entries
  }

  private func step(by distance: Int) throws(RecorderError) -> Bool {
    var hasMoved = false
    try travelling { (log) throws(RecorderError) in
      let position = log.position + distance
      hasMoved = (0...log.entries.count).contains(position)
      if hasMoved { try log.jump(to: position) }
    }
    return hasMoved
  }
}

extension RecorderMiddleware {
  /// Ends the travel in the present: every store has the state it left, and nothing was written.
  ///
  /// The entries are as before, none skipped. Has no effect in the present. O(stores).
  ///
  /// - Throws: ``RecorderError/refused(store:_:)``.
  public func returnToPresent() throws(RecorderError) {
    try move { (traveller) throws(RecorderError) in try traveller.discard() }
  }

  /// Makes the shown states the present, and drops the entries after them and the skipped ones.
  ///
  /// They are written, as one commit of each store that differs from the present. Has no effect in the
  /// present. O(limit + stores), and the cost of these commits.
  ///
  /// - Throws: ``RecorderError/refused(store:_:)`` if a store cannot keep the shown state, for
  ///   example because its file was closed. The travel goes on; what the stores before it have kept is an
  ///   entry of the present.
  public func branch() throws(RecorderError) {
    if isTravelling { try keep { $0.cut() } }
  }

  /// Makes the shown states the present and the base, and drops all entries.
  ///
  /// They are written as by ``branch()``; in the present, there is nothing to write.
  ///
  /// - Throws: As ``branch()`` and ``back()`` do.
  public func commit() throws(RecorderError) { try keep { $0.squash() } }

  /// Makes the base the present, and drops all entries.
  ///
  /// It is written as by ``branch()``.
  ///
  /// - Throws: As ``branch()`` and ``back()`` do; then the base is shown.
  public func rollback() throws(RecorderError) {
    try move { (traveller) throws(RecorderError) in
      _ = try traveller.show(.base) { (log) throws(RecorderError) in try log.jump(to: 0) }
      return try traveller.keep { $0.squash() }
    }
  }

  /// The recording as lines of JSON: the base, then each entry with the states after it, the position,
  /// and which entries are skipped.
  ///
  /// The states and actions of every store must be `Codable`. After the base it contains what each entry
  /// changed: the entities of tables, or the properties. O(base, and for each entry the states without
  /// their tables and the entities that it changed).
  ///
  /// - Throws: ``RecorderError/notExportable(entry:store:_:)``, ``RecorderError/notCodable(store:type:)``,
  ///   ``RecorderError/inProgress(action:since:)``.
  public func export() throws(RecorderError) -> Data {
    let (log, stores) = try traveller.whenIdle { ($0.shown, $0.storesByName) }
    return try Recording(stores: stores).data(of: log)
  }

  /// Shows an exported recording, of this program or another, at the position of its export.
  ///
  /// It is a travel, in which every position shows what it showed there. ``returnToPresent()`` returns to
  /// the recording of this program; ``branch()`` and ``commit()`` continue from the shown states. Registered
  /// stores that the recording does not contain keep their states. Beyond the limit, the oldest entries are
  /// merged into the base. Where a reducer of this program makes another state of an action,
  /// ``RecorderEntry/decidedOtherwise`` names its store. O(base + entries), and the cost of the reducers.
  ///
  /// - Returns: The stores of the recording that are not registered here, and were left out.
  /// - Throws: ``RecorderError/checksumMismatch(entry:)``, ``RecorderError/unreadable(_:)``,
  ///   ``RecorderError/notCodable(store:type:)``, and as ``back()`` does.
  @discardableResult
  public func `import`(_ data: Data) throws(RecorderError) -> [String] {
    let recording = Recording(stores: state.withLock { $0.storesByName })
    let (imported, missing) = try recording.log(of: data, limit: limit)
    try travelling(.imported) { (log) throws(RecorderError) in
      let current = state.withLock { $0.current }
      log = imported
      for (store, state) in current where log.base[store] == nil { log.add(store, state) }
    }
    return missing
  }
}

extension RecorderMiddleware {
  private var traveller: Traveller {
    Traveller(state: state, limit: limit, patience: patience, moment: moment)
  }

  /// Moves the stores, and notifies subscribers after all of them have changed and every lock is free.
  private func move(
    _ step: (Traveller) throws(RecorderError) -> [any StorePreview]
  ) throws(RecorderError) {
    let previews = try travelLock.withLock { _ throws(RecorderError) in try step(traveller) }
    for preview in previews { preview.notify() }
  }

  private func travelling(
    _ kind: Traveller.Kind = .recorded,
    _ change: (inout RecorderLog) throws(RecorderError) -> Void
  ) throws(RecorderError) {
    try move { (traveller) throws(RecorderError) in try traveller.show(kind, change) }
  }

  private func keep(_ settle: (inout RecorderLog) -> Void) throws(RecorderError) {
    try move { (traveller) throws(RecorderError) in try traveller.keep(settle) }
  }
}
