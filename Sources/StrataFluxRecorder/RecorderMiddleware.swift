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
/// ``branch()`` or ``commit()`` keep it. Each call that shows states costs O(limit + stores), and throws
/// ``RecorderError/refused(store:_:)`` if a hook of a store refuses a state.
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

  let state: Lock<RecorderState>
  let traveller: Traveller

  /// Creates a recorder; it starts to record when it is registered with a dispatcher.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of entries, at least 1. An entry costs what it changed: states share the rest.
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
    (self.limit, self.travelPolicy, self.patience) = (limit, travelPolicy, patience)
    let start = clock.now
    state = Lock(RecorderState(limit: limit) { (now(), start.duration(to: clock.now)) })
    traveller = Traveller(state: state, patience: patience)
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

extension RecorderMiddleware: CustomStringConvertible {
  /// The steps recorded since the base, the oldest first; O(limit).
  public var entries: [RecorderEntry] { state.withLock { $0.shown.entries } }

  /// The number of entries up to the state shown, 0 for the base; O(1), like the three that follow.
  public var position: Int { state.withLock { $0.shown.position } }

  /// Whether the stores show something other than the present.
  public var isTravelling: Bool { state.withLock { $0.travel != nil } }

  /// Whether actions are dropped.
  public var isLocked: Bool { state.withLock { $0.isLocked } }

  /// Whether recording is paused.
  public var isPaused: Bool { state.withLock { $0.isPaused } }

  /// How many calls wait for dispatches in progress.
  package var waitingCalls: Int { state.withLock { $0.waiters.count } }

  /// A table of the entries, `>` before the one that is shown: the action, the stores that it changed, how
  /// long it took, where it was dispatched, and its error.
  ///
  /// ```
  ///    id  action    stores         took     place                          error
  ///  >  0  base
  ///     1  increase  counter        0.2 ms   App/Main.swift:12 tap()
  ///     2  buy       cart, prices   31.5 ms  App/Shop.swift:40 buy()        The store "prices" failed: …
  /// ```
  ///
  /// O(entries).
  public var description: String { state.withLock { $0.shown }.description }

  /// What an entry changed, as it is shown: a line for each field, `store.field: before → after`, and for
  /// each table the entities that were put and removed.
  ///
  /// Of a state that is not `Encodable` the line names the store alone. O(limit, and the states without their tables).
  ///
  /// - Throws: ``RecorderError/noSuchEntry(_:)``, ``RecorderError/notExportable(entry:store:_:)``.
  public func changes(ofEntry id: Int) throws(RecorderError) -> [String] {
    try state.withLock { $0.shown }.changes(ofEntry: id)
  }

  /// The state of a store after an entry, as it is shown; id 0 is the base.
  ///
  /// Shows nothing. O(limit).
  ///
  /// - Throws: ``RecorderError/noSuchEntry(_:)``; ``RecorderError/notRecorded(store:)``.
  public func state<State, Action>(
    of store: FluxStore<State, Action>,
    afterEntry id: Int
  ) throws(RecorderError) -> State {
    let (log, stores) = state.withLock { ($0.shown, $0.stores) }
    let state = log.states(at: try log.position(after: id))[store.identifier]
    guard stores.contains(where: { $0 === store }), let state = state?.value as? State else {
      throw .notRecorded(store: store.identifier)
    }
    return state
  }

  /// Drops every action from now on, with `DispatchError.locked`.
  public func lock() { state.withLock { $0.isLocked = true } }

  /// Accepts actions again.
  public func unlock() { state.withLock { $0.isLocked = false } }

  /// Stops recording; actions are dispatched as before.
  public func pause() { state.withLock { $0.startPause() } }

  /// Resumes recording; the changes made meanwhile become one entry without an action, if there are any.
  public func resume() { state.withLock { $0.endPause() } }
}

extension RecorderMiddleware {
  /// Shows the state one entry earlier; returns false, without effect, at the base.
  @discardableResult
  public func back() throws(RecorderError) -> Bool { try traveller.show { $0.shown.step(by: -1) } }

  /// Shows the state one entry later; returns false, without effect, at the last entry.
  @discardableResult
  public func forward() throws(RecorderError) -> Bool {
    try traveller.show { $0.shown.step(by: 1) }
  }

  /// Shows the state after the first `position` entries.
  ///
  /// - Throws: ``RecorderError/noSuchPosition(_:last:)``.
  public func jump(to position: Int) throws(RecorderError) {
    try traveller.show { (travel) throws(RecorderError) in try travel.shown.jump(to: position) }
  }

  /// Shows the state after an entry; id 0 is the base.
  ///
  /// - Throws: ``RecorderError/noSuchEntry(_:)``.
  public func jump(toEntry id: Int) throws(RecorderError) {
    try traveller.show { (travel) throws(RecorderError) in
      try travel.shown.jump(to: travel.shown.position(after: id))
    }
  }

  /// Shows the states as they would be without an entry: later ones are made again in the stores that it changed.
  ///
  /// A store that responds by `Reducer.reduce(_:_:)` decides again what an action does: one that failed can
  /// succeed without the entry, and the other way round. Of an operation the closures of `updateState` run
  /// again. O(limit), and the cost of these.
  ///
  /// - Returns: The ids of the entries whose operations could have done otherwise on the states that are shown now.
  /// - Throws: ``RecorderError/notReplayable(entries:store:)`` if only the results of later entries are
  ///   known; ``RecorderError/noSuchEntry(_:)``, ``RecorderError/partOfBase(entry:store:)``,
  ///   ``RecorderError/replayFailed(entry:store:_:)``.
  @discardableResult
  public func skip(_ id: Int) throws(RecorderError) -> [Int] { try setSkipped(id, true) }

  /// Includes a skipped entry again; returns and throws as ``skip(_:)`` does.
  @discardableResult
  public func unskip(_ id: Int) throws(RecorderError) -> [Int] { try setSkipped(id, false) }

  private func setSkipped(_ id: Int, _ isSkipped: Bool) throws(RecorderError) -> [Int] {
    try traveller.show { (travel) throws(RecorderError) in
      try travel.shown.setSkipped(id, isSkipped, state.withLock { $0.storesByName })
    }
  }

  /// Ends the travel in the present: every store has the state it left, and nothing was written.
  ///
  /// The entries are as before, none skipped. Has no effect in the present.
  public func returnToPresent() throws(RecorderError) { try traveller.discard() }

  /// Makes the shown states the present, and drops the entries after them and the skipped ones.
  ///
  /// They are written, as one commit of each store that differs from the present. Has no effect in the present.
  ///
  /// - Throws: ``RecorderError/refused(store:_:)`` if a store cannot keep the shown state, for
  ///   example because its file was closed. The travel goes on; what the stores before it have kept is an
  ///   entry of the present.
  public func branch() throws(RecorderError) { if isTravelling { try traveller.keep { $0.cut() } } }

  /// Makes the shown states the present and the base, and drops all entries; writes and throws as ``branch()`` does.
  public func commit() throws(RecorderError) { try traveller.keep { $0.squash() } }

  /// Makes the base the present, and drops all entries; writes and throws as ``branch()`` does.
  public func rollback() throws(RecorderError) { try traveller.rollback() }

  /// The recording as a file: the base, what each entry changed, the position, and which entries are skipped.
  ///
  /// The states and actions of every store must be `Codable`. O(base, and for each entry the states without
  /// their tables and the entities that it changed).
  ///
  /// - Throws: ``RecorderError/notExportable(entry:store:_:)``, ``RecorderError/notCodable(store:type:)``.
  public func export() throws(RecorderError) -> Data {
    let (log, stores) = try traveller.whenIdle { ($0.shown, $0.storesByName) }
    var coder = RecordingCoder(stores)
    return try coder.data(of: log)
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
  /// - Throws: ``RecorderError/checksumMismatch(stored:computed:)``, ``RecorderError/unreadable(_:)``,
  ///   ``RecorderError/notCodable(store:type:)``.
  @discardableResult
  public func `import`(_ data: Data) throws(RecorderError) -> [String] {
    var coder = RecordingCoder(state.withLock { $0.storesByName })
    let (imported, missing) = try coder.log(of: data, limit: limit)
    try traveller.show { travel in
      (travel.shown, travel.isImported) = (imported, true)
      for (store, state) in state.withLock({ $0.current }) where imported.base[store] == nil {
        travel.shown.add(store, state)
      }
    }
    return missing
  }
}
