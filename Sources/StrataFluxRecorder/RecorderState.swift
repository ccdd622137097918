import Dispatch
import Foundation
import StrataFlux

/// The state of a recorder: the log, the dispatches in progress, and the travel.
///
/// A value that changes no store: ``RecorderMiddleware`` holds the lock and moves the stores.
struct RecorderState: Sendable {
  /// A dispatch that was admitted and is not finished.
  struct ActiveDispatch: Sendable {
    /// What it is so far.
    var entry: RecorderEntry
    let id: String
    let start: Duration
    /// Whether it becomes an entry; not if it started in a pause.
    let isRecorded: Bool
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

  var hub: Dispatcher.Identity?
  /// In the order of their registration.
  var stores: [any HubStore] = []
  /// What was recorded, whatever is shown.
  var log = RecorderLog()
  var travel: Travel?
  var isLocked = false
  private(set) var dispatches: [ActiveDispatch] = []
  /// What happened in the pause so far, and its start; nil if there is none.
  private var pause: (entry: RecorderEntry, start: Duration)?
  /// The own state of each store.
  var current: RecorderLog.States = [:]
  /// How many commits of each store are in no entry yet.
  private var pending: [String: Int] = [:]
  /// Released when no dispatch is in progress.
  var waiters: [DispatchSemaphore] = []

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
    current[name] = nil
    pending[name] = nil
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
    _ recipients: [(store: String, waitsFor: [String])],
    at moment: Moment
  ) {
    guard !recipients.isEmpty else { return }
    var entry = RecorderEntry(.action(dispatch.action), at: moment.date)
    entry.place = dispatch.place
    for recipient in recipients { entry[recipient.store].waitsFor = recipient.waitsFor }
    dispatches.append(
      ActiveDispatch(
        entry: entry,
        id: dispatch.id,
        start: moment.elapsed,
        isRecorded: !isPaused
      )
    )
  }

  /// Changes a dispatch in progress, if there is one with this id.
  mutating func update(_ dispatch: String?, _ change: (inout ActiveDispatch) -> Void) {
    for index in dispatches.indices where dispatches[index].id == dispatch {
      change(&dispatches[index])
    }
  }

  /// Adds the entry of a finished dispatch; what one did that ends in a pause is part of the pause.
  mutating func end(_ dispatch: DispatchTransaction, at moment: Moment, limit: Int) {
    guard let index = dispatches.firstIndex(where: { $0.id == dispatch.id }) else { return }
    var (ended, error) = (dispatches.remove(at: index), dispatch.error)
    if dispatches.isEmpty {
      for waiter in waiters { waiter.signal() }
      waiters = []
    }
    guard ended.isRecorded, ended.entry.parts.contains(where: \.isReached) else { return }
    if pause != nil {
      for part in ended.entry.parts { pause?.entry[part.store].changes += part.changes }
      return
    }
    ended.entry.duration = moment.elapsed - ended.start
    ended.entry.error = error
    if case .failed(let failures)? = error {
      for failure in failures { ended.entry[failure.store].failure = failure.error }
    }
    append(ended.entry, limit: limit)
  }

  /// Records a commit: as part of the dispatch that made it, or as an entry.
  ///
  /// A commit with an unknown dispatch counts for the oldest dispatch in progress that its store is not
  /// done with. A commit of a dispatch that is finished, or was not recorded, counts for no other.
  mutating func record(
    _ change: RecordedChange,
    _ edit: (store: String, state: any StateType, trace: CommitTrace, revision: Int64?),
    at moment: Moment,
    limit: Int
  ) {
    guard current[edit.store] != nil else { return }
    current[edit.store] = RecordedState(edit.state)
    pending[edit.store, default: 0] += 1
    func add(to entry: inout RecorderEntry) {
      entry[edit.store].changes.append(change)
      entry[edit.store].revision = edit.revision ?? entry[edit.store].revision
    }
    if pause != nil {
      pause.withValue { add(to: &$0.entry) }
    } else if let owner = owner(of: .current, in: edit.store), dispatches[owner].isRecorded {
      add(to: &dispatches[owner].entry)
    } else {
      var entry = RecorderEntry(.commit(edit.trace.description), at: moment.date)
      entry.place = edit.trace.place
      add(to: &entry)
      append(entry, limit: limit)
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
  mutating func append(_ new: RecorderEntry, limit: Int) {
    var entry = new
    for index in entry.parts.indices {
      var part = entry.parts[index]
      let others = max(0, (pending[part.store] ?? 0) - part.changes.count)
      pending[part.store] = others
      part.isWhole = others == 0
      part.isReduced = part.isReduced && part.changes.allSatisfy(\.isReduction)
      if !part.changes.isEmpty { part.recorded = current[part.store] }
      (part.shown, part.shownFailure) = (part.recorded, part.failure)
      entry.parts[index] = part
    }
    log.append(entry, limit: limit)
  }

  mutating func pause(at moment: Moment) {
    if pause == nil { pause = (RecorderEntry(.pause, at: moment.date), moment.elapsed) }
  }

  /// Ends a pause, whose changes become one entry, if there are any: only the results are known.
  mutating func resume(at moment: Moment, limit: Int) {
    guard let paused = pause else { return }
    var entry = paused.entry
    pause = nil
    entry.duration = moment.elapsed - paused.start
    for index in entry.parts.indices {
      entry.parts[index].changes = entry.parts[index].changes.map { _ in .unknown }
    }
    if !entry.parts.allSatisfy(\.changes.isEmpty) { append(entry, limit: limit) }
  }

  /// Makes an entry of the pause so far, because a travel or an export needs one.
  mutating func settlePause(at moment: Moment, limit: Int) {
    guard isPaused else { return }
    resume(at: moment, limit: limit)
    pause(at: moment)
  }
}

extension Optional {
  fileprivate mutating func withValue(_ change: (inout Wrapped) -> Void) {
    if var value = self {
      self = nil
      change(&value)
      self = value
    }
  }
}
