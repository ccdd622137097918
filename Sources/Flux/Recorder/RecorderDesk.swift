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
    /// Whether what is shown is being kept: from here on the log shown is the one that goes on.
    var isEnding = false
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
    if let travel, !travel.isEnding {
      self.travel?.present.append(origin, changes, limit: limit)
    } else {
      log.append(origin, changes, limit: limit)
    }
  }

  /// Goes on from a log that is shown; what dispatches under way had changed before is cut off.
  mutating func beginToKeep(_ log: RecorderLog) {
    self.log = log
    travel?.isEnding = true
    for place in open.indices { open[place].changes = [] }
  }

  /// Takes back that what is shown is being kept.
  mutating func stopKeeping(_ log: RecorderLog) {
    self.log = log
    travel?.isEnding = false
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
    // Only the outcome counts: what led to it was not recorded.
    let changes = changesInPause.map {
      RecordedChange(store: $0.store, moment: $0.moment, mutation: nil)
    }
    changesInPause = []
    if !changes.isEmpty { append(.pause, changes, limit: limit) }
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
