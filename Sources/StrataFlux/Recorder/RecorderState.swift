/// The state of a recorder: the log, the active dispatches, and the travel in progress.
///
/// A value that changes no store: ``RecorderMiddleware`` holds the lock and moves the stores.
struct RecorderState: Sendable {
  /// A dispatch that has reached stores and is not finished.
  private struct ActiveDispatch: Sendable {
    let transaction: String
    let action: any FluxAction
    /// The stores that have received it and are not done with it.
    var stores: Set<String> = []
    var changes: [RecordedChange] = []
  }

  /// The time in which the stores show something other than the present.
  struct Travel: Sendable {
    var previews: [String: any StorePreview]
    /// The log to return to; dispatches that finish while travelling are added to it.
    var present: RecorderLog
    /// Whether the shown log was imported, so its end is not the present.
    var isImported = false
    /// While the shown states are being kept, the id of their last entry: the shown log becomes the
    /// present, so later entries are added to it.
    var lastKeptEntry: Int?
  }

  var hub: Dispatcher.Identity?
  /// In the order of their registration.
  var stores: [any HubStore] = []
  var log = RecorderLog()
  var travel: Travel?
  var isLocked = false
  private(set) var isPaused = false
  private var dispatches: [ActiveDispatch] = []
  private var changesInPause: [RecordedChange] = []

  var codings: [String: any StoreCoding] {
    Dictionary(stores.map { ($0.identifier, $0.coding) }) { first, _ in first }
  }
}

extension RecorderState {
  /// Records that a store receives an action.
  mutating func willDispatch(_ action: any FluxAction, _ transaction: String, in store: String) {
    guard !isPaused else { return }
    if let index = index(of: transaction) {
      dispatches[index].stores.insert(store)
    } else {
      dispatches.append(
        ActiveDispatch(transaction: transaction, action: action, stores: [store])
      )
    }
  }

  /// Records that a store is done with an action.
  mutating func didDispatch(_ transaction: String, in store: String) {
    guard let index = index(of: transaction) else { return }
    dispatches[index].stores.remove(store)
  }

  /// Adds the entry of a finished dispatch.
  mutating func didFinish(_ transaction: String, limit: Int) {
    guard let index = index(of: transaction) else { return }
    let dispatch = dispatches.remove(at: index)
    append(.action(dispatch.action), dispatch.changes, limit: limit)
  }

  /// Records a commit: as part of the dispatch that made it, or as an entry.
  ///
  /// A commit with an unknown dispatch counts for the oldest active dispatch that its store is not
  /// done with. A commit of a dispatch that is finished, or was not recorded, counts for no other.
  mutating func record(_ commit: ObservedCommit, limit: Int) {
    let change = RecordedChange(
      store: commit.store,
      state: recordedState(commit.state),
      mutation: commit.mutation
    )
    if isPaused {
      changesInPause.append(change)
      return
    }
    let index =
      if let dispatch = commit.dispatch, dispatch.hub === hub {
        index(of: dispatch.transaction)
      } else {
        dispatches.firstIndex { $0.stores.contains(commit.store) }
      }
    if let index {
      dispatches[index].changes.append(change)
    } else {
      append(.commit(commit.trace.description), [change], limit: limit)
    }
  }

  private func index(of transaction: String?) -> Int? {
    dispatches.firstIndex { $0.transaction == transaction }
  }

  /// Numbers a state higher than all states of both logs.
  private mutating func recordedState(_ state: any StateType) -> RecordedState {
    if let travel { log.raiseNumbers(above: travel.present) }
    return log.recordedState(state)
  }

  private mutating func append(
    _ origin: RecorderEntry.Origin,
    _ changes: [RecordedChange],
    limit: Int
  ) {
    if let travel, travel.lastKeptEntry == nil {
      self.travel?.present.append(origin, changes, limit: limit)
    } else {
      log.append(origin, changes, limit: limit)
    }
  }

  mutating func pause() { isPaused = true }

  mutating func resume(limit: Int) {
    guard isPaused else { return }
    isPaused = false
    let changes = changesInPause.map(\.withoutMutation)
    changesInPause = []
    if !changes.isEmpty { append(.pause, changes, limit: limit) }
  }

  mutating func remove(_ store: any HubStore) {
    stores.removeAll { $0.isSame(as: store) }
    log.remove(store.identifier)
    travel?.present.remove(store.identifier)
    travel?.previews[store.identifier] = nil
    for index in dispatches.indices {
      dispatches[index].stores.remove(store.identifier)
      dispatches[index].changes.removeAll { $0.store == store.identifier }
    }
    changesInPause.removeAll { $0.store == store.identifier }
  }
}

extension RecorderState {
  /// The changes that belong to no entry yet.
  ///
  /// Of a pause only the resulting states are known: what led to them was not recorded.
  private var pending: [RecorderLog.PendingEntry] {
    let active = dispatches.map {
      RecorderLog.PendingEntry(
        transaction: $0.transaction,
        origin: .action($0.action),
        changes: $0.changes
      )
    }
    let paused = RecorderLog.PendingEntry(
      transaction: nil,
      origin: .pause,
      changes: changesInPause.map(\.withoutMutation)
    )
    return active + [paused]
  }

  /// Starts a travel.
  mutating func beginTravel(_ previews: [String: any StorePreview]) -> Travel {
    log = log.with(pending)
    let travel = Travel(previews: previews, present: log)
    self.travel = travel
    return travel
  }

  /// Replaces the log, without reusing numbers given meanwhile.
  mutating func replaceLog(with new: RecorderLog) {
    var new = new
    new.raiseNumbers(above: log)
    log = new
  }

  /// Ends the travel in the present.
  mutating func endTravel() {
    if let present = travel?.present { replaceLog(with: present.with([])) }
    travel = nil
  }

  /// Changes the log in the present, where pending changes stay pending.
  mutating func settle(_ settle: (inout RecorderLog) -> Void) {
    var log = self.log.with(pending)
    settle(&log)
    replaceLog(with: log.with([]))
    changesInPause.removeAll(where: log.isInBase)
  }

  /// Continues from a shown log, as the first step of keeping it.
  ///
  /// The shown changes of active dispatches stay theirs. Those of dispatches that have finished
  /// meanwhile become entries. All other pending changes are dropped.
  mutating func beginKeeping(_ new: RecorderLog, limit: Int) {
    replaceLog(with: new.with([]))
    changesInPause = []
    for index in dispatches.indices { dispatches[index].changes = [] }
    for pending in new.pending {
      if let index = index(of: pending.transaction) {
        dispatches[index].changes = pending.changes
      } else if !pending.changes.allSatisfy(log.isInBase) {
        if pending.transaction == nil, isPaused {
          changesInPause = pending.changes
        } else {
          log.append(pending.origin, pending.changes, limit: limit)
        }
      }
    }
    travel?.lastKeptEntry = log.lastEntry
  }

  /// Undoes `beginKeeping`: the travel continues, and commits recorded meanwhile belong to the
  /// present.
  mutating func cancelKeeping(_ shown: RecorderLog, limit: Int) {
    guard var travel, let lastKeptEntry = travel.lastKeptEntry else { return }
    let new = log
    replaceLog(with: shown)
    for pending in travel.present.pending {
      if let index = index(of: pending.transaction) {
        let since = dispatches[index].changes.filter { $0.order > shown.lastNumber }
        dispatches[index].changes = pending.changes + since
      } else if pending.transaction == nil, isPaused {
        let since = changesInPause.filter { $0.order > shown.lastNumber }
        changesInPause = pending.changes + since
      }
    }
    for entry in new.entries where entry.id > lastKeptEntry {
      travel.present.append(entry.origin, entry.changes, limit: limit)
    }
    travel.present = travel.present.with(pending)
    travel.lastKeptEntry = nil
    self.travel = travel
  }

  /// Adds an entry for a state that a store keeps and that no entry explains.
  mutating func recordKeptState(_ state: any StateType, of store: String, limit: Int) {
    let change = RecordedChange(store: store, state: recordedState(state), mutation: nil)
    append(.commit("changed while travelling"), [change], limit: limit)
  }
}
