import Dispatch
import Foundation
import StrataFlux

/// The state of a recorder: the log, the dispatches in progress, and the travel.
///
/// A value that changes no store: ``Traveller`` holds its lock and moves the stores.
struct RecorderState: Sendable {
  /// A dispatch that was admitted and is not finished, or a pause.
  struct ActiveDispatch: Sendable {
    /// What it is so far.
    var entry: RecorderEntry
    var id = ""
    let start: Duration
    /// Whether it becomes an entry; not if it started in a pause.
    var isRecorded = true
    /// The stores that have received it and are not done with it.
    var stores: Set<String> = []
  }

  /// The time in which the stores show something other than the present.
  struct Travel: Sendable {
    var shown: RecorderLog
    var previews: [String: any StorePreview] = [:]
    /// Whether the log shown was imported, so that its end is not the present.
    var isImported = false
  }

  /// A time, and how long it is after the recorder was created.
  typealias Moment = (date: Date, elapsed: Duration)

  /// The maximum number of entries.
  let limit: Int
  let now: @Sendable () -> Moment

  var hub: Dispatcher.Identity?
  /// In the order of their registration.
  var stores: [any HubStore] = []
  /// What was recorded, whatever is shown.
  var log = RecorderLog()
  var travel: Travel?
  var isLocked = false
  private(set) var dispatches: [ActiveDispatch] = []
  private var pause: ActiveDispatch?
  /// The own state of each store.
  var current: RecorderLog.States = [:]
  /// How many commits of each store are in no entry yet.
  private var pending: [String: Int] = [:]
  /// Released when no dispatch is in progress.
  var waiters: [DispatchSemaphore] = []

  init(limit: Int, now: @escaping @Sendable () -> Moment) {
    (self.limit, self.now) = (limit, now)
  }

  var isPaused: Bool { pause != nil }

  /// The log that is shown.
  var shown: RecorderLog { travel?.shown ?? log }

  var storesByName: [String: any HubStore] {
    Dictionary(stores.map { ($0.identifier, $0) }) { first, _ in first }
  }

  /// Starts to record a store, as if it had always been in this state.
  mutating func add(_ store: any HubStore, _ value: any StateType) {
    stores.append(store)
    let state = RecordedState(value)
    current[store.identifier] = state
    log.add(store.identifier, state)
    travel?.shown.add(store.identifier, state)
  }

  mutating func remove(_ store: any HubStore) {
    let name = store.identifier
    stores.removeAll { $0 === store }
    log.remove(name)
    travel?.shown.remove(name)
    travel?.previews[name] = nil
    (current[name], pending[name]) = (nil, nil)
    pause?.entry.parts.removeAll { $0.store == name }
    for index in dispatches.indices {
      dispatches[index].stores.remove(name)
      dispatches[index].entry.parts.removeAll { $0.store == name }
    }
  }
}

extension RecorderState {
  /// Records a dispatch that was admitted.
  mutating func begin(
    _ dispatch: DispatchTransaction,
    _ recipients: [(store: String, waitsFor: [String])]
  ) {
    guard !recipients.isEmpty else { return }
    var active = active(.action(dispatch.action))
    (active.id, active.isRecorded) = (dispatch.id, !isPaused)
    active.entry.place = dispatch.place
    for recipient in recipients { active.entry[recipient.store].waitsFor = recipient.waitsFor }
    dispatches.append(active)
  }

  private func active(_ origin: RecorderEntry.Origin) -> ActiveDispatch {
    let moment = now()
    let entry = RecorderEntry(origin: origin, time: moment.date)
    return ActiveDispatch(entry: entry, start: moment.elapsed)
  }

  /// Changes a dispatch in progress, if there is one with this id.
  mutating func update(_ dispatch: String?, _ change: (inout ActiveDispatch) -> Void) {
    for index in dispatches.indices where dispatches[index].id == dispatch {
      change(&dispatches[index])
    }
  }

  /// Adds the entry of a finished dispatch; what one did that ends in a pause is part of the pause.
  mutating func end(_ dispatch: DispatchTransaction) {
    guard let index = dispatches.firstIndex(where: { $0.id == dispatch.id }) else { return }
    var ended = dispatches.remove(at: index)
    if dispatches.isEmpty {
      for waiter in waiters { waiter.signal() }
      waiters = []
    }
    guard ended.isRecorded, ended.entry.parts.contains(where: \.isReached) else { return }
    if isPaused {
      for part in ended.entry.parts {
        pause?.entry[part.store].changes += part.changes.map { _ in .unknown }
      }
      return
    }
    if case .failed(let failures)? = dispatch.error {
      for failure in failures { ended.entry[failure.store].recorded.failure = failure.error }
    } else {
      ended.entry.refusal = dispatch.error
    }
    finish(ended)
  }

  private mutating func finish(_ ended: ActiveDispatch) {
    var entry = ended.entry
    entry.duration = now().elapsed - ended.start
    append(entry)
  }

  /// Records a commit: as part of the dispatch that made it, or as an entry.
  ///
  /// A commit with an unknown dispatch counts for the oldest dispatch in progress that its store is not
  /// done with. A commit of a dispatch that is finished, or was not recorded, counts for no other.
  mutating func record(
    _ change: RecordedChange,
    _ state: any StateType,
    of store: String,
    by trace: CommitTrace,
    revision: Int64?
  ) {
    guard current[store] != nil else { return }
    current[store] = RecordedState(state)
    pending[store, default: 0] += 1
    let change = isPaused ? .unknown : change
    func add(to entry: inout RecorderEntry) {
      entry[store].changes.append(change)
      entry[store].revision = revision ?? entry[store].revision
    }
    if var paused = pause {
      add(to: &paused.entry)
      pause = paused
    } else if let owner = owner(of: .current, in: store), dispatches[owner].isRecorded {
      add(to: &dispatches[owner].entry)
    } else {
      let origin = RecorderEntry.Origin.commit(trace.description)
      var entry = RecorderEntry(origin: origin, time: now().date, place: trace.place)
      add(to: &entry)
      append(entry)
    }
  }

  private func owner(of dispatch: DispatchID?, in store: String) -> Int? {
    if let dispatch, dispatch.hub === hub {
      return dispatches.firstIndex { $0.id == dispatch.transaction }
    }
    return dispatches.firstIndex { $0.isRecorded && $0.stores.contains(store) }
      ?? dispatches.firstIndex { $0.stores.contains(store) }
  }

  /// Adds an entry with the states that its stores have now.
  private mutating func append(_ new: RecorderEntry) {
    var entry = new
    for index in entry.parts.indices {
      var part = entry.parts[index]
      let others = max(0, (pending[part.store] ?? 0) - part.changes.count)
      pending[part.store] = others
      part.isWhole = others == 0
      part.isReduced = part.isReduced && part.changes.allSatisfy(\.isReduction)
      if !part.changes.isEmpty { part.recorded.state = current[part.store] }
      part.shown = part.recorded
      entry.parts[index] = part
    }
    log.append(entry, limit: limit)
  }

  mutating func startPause() { if !isPaused { pause = active(.pause) } }

  /// Ends a pause, whose changes become one entry, if there are any: only the results are known.
  mutating func endPause() {
    guard let ended = pause else { return }
    pause = nil
    if !ended.entry.parts.allSatisfy(\.changes.isEmpty) { finish(ended) }
  }

  /// Makes an entry of the pause so far, because a travel or an export needs one.
  mutating func settlePause() {
    guard isPaused else { return }
    endPause()
    startPause()
  }
}
