/// What a recorder knows: the log, the dispatches under way, and whether it travels.
///
/// Pure bookkeeping: ``RecorderMiddleware`` holds the lock and moves the stores.
struct RecorderDesk: Sendable {
  /// A dispatch that has reached stores and is not done.
  struct OpenDispatch: Sendable {
    let transaction: String
    let action: any FluxAction
    /// The stores that have it and are not done with it.
    var stores: Set<String> = []
    var changes: [RecordedChange] = []
  }

  /// A time in which the stores show something else than what they left.
  struct Travel: Sendable {
    var detours: [String: any StoreDetour]
    /// The log as it was, and as it is again on return; dispatches that end meanwhile are added.
    var present: RecorderLog
    /// Whether the log shown is an imported one, which does not lead to the present.
    var isImported = false
    /// While what is shown is being kept, the last entry of it: from here on the log shown is the
    /// one that goes on.
    var lastKept: Int?
  }

  var hub: HubIdentity?
  /// In the order of their registration.
  var stores: [any HubStore] = []
  var log = RecorderLog()
  var travel: Travel?
  var isLocked = false
  private var isPausedNow = false
  private var open: [OpenDispatch] = []
  private var changesInPause: [RecordedChange] = []

  var isPaused: Bool { isPausedNow }

  var codings: [String: any StoreCoding] {
    Dictionary(stores.map { ($0.identifier, $0.coding) }) { first, _ in first }
  }

  mutating func begin(_ action: any FluxAction, _ transaction: String, in store: String) {
    guard !isPausedNow else { return }
    if let place = open.firstIndex(where: { $0.transaction == transaction }) {
      open[place].stores.insert(store)
    } else {
      open.append(OpenDispatch(transaction: transaction, action: action, stores: [store]))
    }
  }

  mutating func end(_ transaction: String, in store: String) {
    guard let place = open.firstIndex(where: { $0.transaction == transaction }) else { return }
    open[place].stores.remove(store)
  }

  mutating func finish(_ transaction: String, limit: Int) {
    guard let place = open.firstIndex(where: { $0.transaction == transaction }) else { return }
    let dispatch = open.remove(at: place)
    append(.action(dispatch.action), dispatch.changes, limit: limit)
  }

  /// Takes note of a commit: part of the dispatch that made it, or a step of its own.
  ///
  /// A commit that does not say so belongs to the oldest dispatch that its store is not done with.
  /// One of a dispatch that is done, or was never recorded, belongs to no other.
  mutating func note(_ note: CommitNote, limit: Int) {
    let change = RecordedChange(
      store: note.store,
      moment: stamp(note.state),
      mutation: note.mutation
    )
    if isPausedNow {
      changesInPause.append(change)
      return
    }
    let place =
      if let dispatch = note.dispatch, dispatch.hub === hub {
        open.firstIndex { $0.transaction == dispatch.transaction }
      } else {
        open.firstIndex { $0.stores.contains(note.store) }
      }
    if let place {
      open[place].changes.append(change)
    } else {
      append(.commit(note.trace.description), [change], limit: limit)
    }
  }

  /// A number above all those of both logs.
  private mutating func stamp(_ state: any StateType) -> StoreMoment {
    if let travel { log.stamp(above: travel.present) }
    return log.stamp(state)
  }

  private mutating func append(
    _ origin: RecorderEntry.Origin,
    _ changes: [RecordedChange],
    limit: Int
  ) {
    if let travel, travel.lastKept == nil {
      self.travel?.present.append(origin, changes, limit: limit)
    } else {
      log.append(origin, changes, limit: limit)
    }
  }

  /// What is in no entry yet.
  private var drafts: [RecorderDraft] {
    let underWay = open.map {
      RecorderDraft(transaction: $0.transaction, origin: .action($0.action), changes: $0.changes)
    }
    return underWay + [RecorderDraft(transaction: nil, origin: .pause, changes: outcomes)]
  }

  /// Begins a time in which the stores show something else.
  mutating func begin(_ detours: [String: any StoreDetour]) -> Travel {
    log = log.with(drafts)
    let travel = Travel(detours: detours, present: log)
    self.travel = travel
    return travel
  }

  /// Takes what a travel made of the log.
  ///
  /// Numbers given meanwhile are not given again.
  mutating func take(_ new: RecorderLog) {
    var new = new
    new.stamp(above: log)
    log = new
  }

  /// Ends the travel where it began.
  mutating func endTravel() {
    if let present = travel?.present { take(present.with([])) }
    travel = nil
  }

  /// Settles the log in the present, where what is in no entry yet stays so.
  mutating func settle(_ settle: (inout RecorderLog) -> Void) {
    var log = self.log.with(drafts)
    settle(&log)
    take(log.with([]))
    changesInPause.removeAll(where: log.isInBase)
  }

  /// Goes on from a log that is shown.
  ///
  /// What is shown of dispatches under way stays theirs, and makes entries of those that ended
  /// meanwhile; the rest is cut off.
  mutating func beginToKeep(_ new: RecorderLog, limit: Int) {
    take(new.with([]))
    changesInPause = []
    for place in open.indices { open[place].changes = [] }
    for draft in new.drafts {
      if let place = open.firstIndex(where: { $0.transaction == draft.transaction }) {
        open[place].changes = draft.changes
      } else if !draft.changes.allSatisfy(log.isInBase) {
        if draft.transaction == nil, isPausedNow {
          changesInPause = draft.changes
        } else {
          log.append(draft.origin, draft.changes, limit: limit)
        }
      }
    }
    travel?.lastKept = log.lastEntry
  }

  /// Takes back that what is shown is being kept.
  ///
  /// What was noted meanwhile belongs to the present.
  mutating func stopKeeping(_ shown: RecorderLog, limit: Int) {
    guard var travel, let lastKept = travel.lastKept else { return }
    let new = log
    take(shown)
    for draft in travel.present.drafts {
      if let place = open.firstIndex(where: { $0.transaction == draft.transaction }) {
        let since = open[place].changes.filter { $0.order > shown.lastStamp }
        open[place].changes = draft.changes + since
      } else if draft.transaction == nil, isPausedNow {
        let since = changesInPause.filter { $0.order > shown.lastStamp }
        changesInPause = draft.changes + since
      }
    }
    for entry in new.entries where entry.id > lastKept {
      travel.present.append(entry.origin, entry.changes, limit: limit)
    }
    travel.present = travel.present.with(drafts)
    travel.lastKept = nil
    self.travel = travel
  }

  /// Takes note of a state that a store keeps and that no entry leads to.
  mutating func noteKept(_ state: any StateType, of store: String, limit: Int) {
    let change = RecordedChange(store: store, moment: stamp(state), mutation: nil)
    append(.commit("changed while travelling"), [change], limit: limit)
  }

  mutating func pause() { isPausedNow = true }

  mutating func resume(limit: Int) {
    guard isPausedNow else { return }
    isPausedNow = false
    let changes = outcomes
    changesInPause = []
    if !changes.isEmpty { append(.pause, changes, limit: limit) }
  }

  /// Of a pause only the outcome counts: what led to it was not recorded.
  private var outcomes: [RecordedChange] {
    changesInPause.map { RecordedChange(store: $0.store, moment: $0.moment, mutation: nil) }
  }

  mutating func remove(_ store: any HubStore) {
    stores.removeAll { $0.isSame(as: store) }
    log.remove(store.identifier)
    travel?.present.remove(store.identifier)
    travel?.detours[store.identifier] = nil
    for place in open.indices {
      open[place].stores.remove(store.identifier)
      open[place].changes.removeAll { $0.store == store.identifier }
    }
    changesInPause.removeAll { $0.store == store.identifier }
  }
}
