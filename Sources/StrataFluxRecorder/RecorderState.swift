import Foundation

/// The state of a recorder: the log, the active dispatches, and the travel in progress.
///
/// A value that changes no store: ``RecorderMiddleware`` holds the lock and moves the stores.
struct RecorderState: Sendable {
  /// A dispatch that was admitted and is not finished.
  private struct ActiveDispatch: Sendable {
    /// What it is so far; its changes do not include those made in a pause.
    var entry: RecorderEntry
    let start: Duration
    /// Whether it becomes an entry; not if it started in a pause.
    let isRecorded: Bool
    /// The stores that have received it and are not done with it.
    var stores: Set<String> = []
    /// All its commits: the store, and the number among all commits.
    var commits: [(store: String, order: Int)] = []
    /// Whether a state without all its commits became the present.
    var isDiscarded = false
    /// Whether a commit was dropped because of that.
    var hasDroppedCommits = false

    var transaction: String? { entry.transaction }
  }

  /// The time in which the stores show something other than the present.
  struct Travel: Sendable {
    var previews: [String: any StorePreview]
    /// The log to return to; dispatches that finish while travelling are added to it.
    var present: RecorderLog
    /// The stores of the shown log if it was imported, so its end is not the present.
    var importedStores: Set<String>?
    /// While the shown states are being kept, the id of their last entry: the shown log becomes the
    /// present, so later entries are added to it.
    var lastKeptEntry: Int?
    /// What was not settled when keeping started.
    var unsettled = Unsettled()
  }

  /// The changes that belong to no entry yet.
  struct Unsettled: Sendable {
    var lastNumber = 0
    var changes: [String?: [RecordedChange]] = [:]
    var changesInPause: [RecordedChange] = []
    var ownStates: [String: Int] = [:]
  }

  /// The time of an event.
  struct Moment: Sendable {
    let date: Date
    /// From any fixed time.
    let elapsed: Duration
  }

  var hub: Dispatcher.Identity?
  /// In the order of their registration.
  var stores: [any HubStore] = []
  var log = RecorderLog()
  var travel: Travel?
  var isLocked = false
  private var pauseStart: Moment?
  private var dispatches: [ActiveDispatch] = []
  private var changesInPause: [RecordedChange] = []
  /// The id of the own state of each store.
  private var ownStates: [String: Int] = [:]
  /// The stores that have responded to an action by `reduce`.
  private var pureStores: Set<String> = []

  var isPaused: Bool { pauseStart != nil }

  var codings: [String: any HubStore] {
    Dictionary(stores.map { ($0.identifier, $0) }) { first, _ in first }
  }
}

extension RecorderState {
  /// Records a dispatch that was admitted.
  mutating func didOpen(
    _ transaction: String,
    _ action: any FluxAction,
    _ recipients: [(store: String, waitsFor: [String])],
    at moment: Moment
  ) {
    guard !recipients.isEmpty else { return }
    var entry = RecorderEntry(
      id: 0,
      origin: .action(action),
      time: moment.date,
      duration: .zero,
      changes: []
    )
    entry.transaction = transaction
    entry.participants = recipients.map { .init(store: $0.store, waitsFor: $0.waitsFor) }
    dispatches.append(
      ActiveDispatch(entry: entry, start: moment.elapsed, isRecorded: !isPaused)
    )
  }

  /// Records that a store receives an action.
  mutating func willDispatch(_ transaction: String, in store: String) {
    guard let index = index(of: transaction) else { return }
    dispatches[index].stores.insert(store)
    let participants = dispatches[index].entry.participants
    if let place = participants.firstIndex(where: { $0.store == store }) {
      dispatches[index].entry.participants[place].order = nextNumber()
    }
  }

  /// Records that a store is done with an action.
  mutating func didDispatch(_ transaction: String, in store: String) {
    guard let index = index(of: transaction) else { return }
    dispatches[index].stores.remove(store)
  }

  /// Adds the entry of a finished dispatch, and returns its error.
  mutating func didEnd(
    _ transaction: String,
    with error: DispatchError?,
    at moment: Moment,
    limit: Int
  ) -> DispatchError? {
    guard let index = index(of: transaction) else { return error }
    let dispatch = dispatches.remove(at: index)
    let error = dispatch.isDiscarded ? .discarded : error
    var entry = dispatch.entry
    guard dispatch.isRecorded, entry.participants.contains(where: { $0.order != nil }) else {
      return error
    }
    entry.duration = moment.elapsed - dispatch.start
    entry.error = error
    entry.recordedError = error
    entry.changes += changesOfStoresNotReached(by: entry)
    append(entry, limit: limit)
    return error
  }

  /// The changes of pure stores that were not reached because a store they wait for failed.
  private mutating func changesOfStoresNotReached(by entry: RecorderEntry) -> [RecordedChange] {
    guard case .failed(let failures)? = entry.recordedError, let action = entry.action else {
      return []
    }
    var changes: [RecordedChange] = []
    let known = presentLog.states
    for failure in failures where pureStores.contains(failure.store) {
      guard case .dependencyFailed? = failure.error as? OperationError,
        entry.participants.contains(where: { $0.store == failure.store && $0.order == nil }),
        let store = stores.first(where: { $0.identifier == failure.store }),
        let mutation = store.reduction(of: action),
        var state = known[failure.store], state.id == ownStates[failure.store]
      else { continue }
      let before = state.id
      state.order = nextNumber()
      changes.append(
        RecordedChange(
          store: failure.store,
          state: state,
          before: before,
          mutation: mutation,
          failure: failure.error
        )
      )
    }
    return changes
  }

  /// Records a commit: as part of the dispatch that made it, or as an entry.
  ///
  /// A commit with an unknown dispatch counts for the oldest active dispatch that its store is not
  /// done with. A commit of a dispatch that is finished, or was not recorded, counts for no other.
  mutating func record(_ commit: ObservedCommit, at moment: Moment, limit: Int) {
    let state = recordedState(commit.state)
    let change = RecordedChange(
      store: commit.store,
      state: state,
      before: ownStates[commit.store] ?? 0,
      mutation: commit.mutation,
      revision: commit.revision
    )
    ownStates[commit.store] = state.id
    let index = owner(of: commit.dispatch, in: commit.store)
    if let index { dispatches[index].commits.append((commit.store, change.order)) }
    if isPaused {
      changesInPause.append(change)
      return
    }
    guard let index, dispatches[index].isRecorded else {
      let entry = RecorderEntry(
        id: 0,
        origin: .commit(commit.trace.description),
        time: moment.date,
        duration: .zero,
        changes: [change]
      )
      append(entry, limit: limit)
      return
    }
    if change.isReduction, let place = reduction(by: index, in: commit.store) {
      dispatches[index].entry.changes.remove(at: place)
    }
    dispatches[index].entry.changes.append(change)
  }

  /// Records that a reducer is about to change a state, which it does not do if no commit follows.
  mutating func willReduce(
    _ mutation: ReplayableMutation,
    _ state: any StateType,
    in store: String,
    _ dispatch: DispatchID?
  ) {
    pureStores.insert(store)
    guard !isPaused, let index = owner(of: dispatch, in: store), dispatches[index].isRecorded,
      !dispatches[index].isDiscarded, let before = ownStates[store]
    else { return }
    let same = RecordedState(state: state, id: before, order: nextNumber())
    dispatches[index].entry.changes.append(
      RecordedChange(store: store, state: same, before: before, mutation: mutation)
    )
  }

  /// Records that no commit followed, and why.
  mutating func didFail(_ failure: ReductionFailure, in store: String, _ dispatch: DispatchID?) {
    guard let index = owner(of: dispatch, in: store),
      let place = reduction(by: index, in: store)
    else { return }
    switch failure {
    case .reduction(let error):
      dispatches[index].entry.changes[place].failure = error
      dispatches[index].entry.changes[place].shownFailure = error
    case .commit:
      // What a rule refuses, `reduce` alone does not say.
      dispatches[index].entry.changes.remove(at: place)
    }
  }

  /// The change of a reducer that has not changed anything so far.
  private func reduction(by index: Int, in store: String) -> Int? {
    dispatches[index].entry.changes.lastIndex {
      $0.store == store && $0.isReduction && !$0.isCommit
    }
  }

  /// Where a commit of the running code goes.
  ///
  /// What a dispatch of the hub does belongs to the present: it was admitted before the travel started.
  mutating func destination(of dispatch: DispatchID?, in store: String) -> CommitDestination {
    guard let index = owner(of: dispatch, in: store) else {
      return dispatch?.hub === hub && hub != nil ? .present : .shown
    }
    guard dispatches[index].isDiscarded else { return .present }
    dispatches[index].hasDroppedCommits = true
    return .dropped
  }

  /// The active dispatch that the running code belongs to: the recorded ones before those that started
  /// in a pause.
  private func owner(of dispatch: DispatchID?, in store: String) -> Int? {
    if let dispatch, dispatch.hub === hub { return index(of: dispatch.transaction) }
    return dispatches.firstIndex { $0.isRecorded && $0.stores.contains(store) }
      ?? dispatches.firstIndex { $0.stores.contains(store) }
  }

  private func index(of transaction: String?) -> Int? {
    dispatches.firstIndex { $0.transaction == transaction }
  }

  /// Numbers a state higher than all states of both logs.
  private mutating func recordedState(_ state: any StateType) -> RecordedState {
    if let travel { log.raiseNumbers(above: travel.present) }
    return log.recordedState(state)
  }

  private mutating func nextNumber() -> Int {
    if let travel { log.raiseNumbers(above: travel.present) }
    return log.nextNumber()
  }

  private mutating func append(_ entry: RecorderEntry, limit: Int) {
    if let travel, travel.lastKeptEntry == nil {
      self.travel?.present.append(entry, limit: limit)
    } else {
      log.append(entry, limit: limit)
    }
  }

  mutating func pause(at moment: Moment) { pauseStart = pauseStart ?? moment }

  mutating func resume(at moment: Moment, limit: Int) {
    guard let entry = pauseEntry(until: moment) else { return }
    pauseStart = nil
    changesInPause = []
    if !entry.changes.isEmpty { append(entry, limit: limit) }
  }

  /// Of a pause only the resulting states are known: what led to them was not recorded.
  private func pauseEntry(until moment: Moment?) -> RecorderEntry? {
    pauseStart.map { start in
      RecorderEntry(
        id: 0,
        origin: .pause,
        time: start.date,
        duration: moment.map { $0.elapsed - start.elapsed } ?? .zero,
        changes: changesInPause.map(\.withoutMutation)
      )
    }
  }

  /// Starts to record a store, as if it had always been in this state.
  mutating func add(_ store: any HubStore, _ current: any StateType) {
    stores.append(store)
    log.add(store.identifier, current)
    travel?.present.add(store.identifier, current)
    let log = travel?.present ?? log
    ownStates[store.identifier] = log.base[store.identifier]?.id
  }

  mutating func remove(_ store: any HubStore) {
    stores.removeAll { $0 === store }
    log.remove(store.identifier)
    travel?.present.remove(store.identifier)
    travel?.previews[store.identifier] = nil
    ownStates[store.identifier] = nil
    pureStores.remove(store.identifier)
    for index in dispatches.indices {
      dispatches[index].stores.remove(store.identifier)
      dispatches[index].commits.removeAll { $0.store == store.identifier }
      dispatches[index].entry.changes.removeAll { $0.store == store.identifier }
    }
    changesInPause.removeAll { $0.store == store.identifier }
  }
}

extension RecorderState {
  /// The changes that belong to no entry yet.
  private var pending: [RecorderLog.PendingEntry] {
    let active = dispatches.filter(\.isRecorded).map {
      RecorderLog.PendingEntry(transaction: $0.transaction, entry: $0.entry)
    }
    let paused = pauseEntry(until: nil).map {
      RecorderLog.PendingEntry(transaction: nil, entry: $0)
    }
    return active + (paused.map { [$0] } ?? [])
  }

  /// The log in the present with the changes that belong to no entry yet.
  var presentLog: RecorderLog { (travel?.present ?? log).with(pending) }

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

  /// Whether the states of a shown log include a commit of this program.
  private func isKept(_ store: String, _ order: Int, in states: RecorderLog.States) -> Bool {
    guard travel?.importedStores?.contains(store) != true, let state = states[store] else {
      return false
    }
    return order <= state.order
  }

  /// The finished actions of which the states of a shown log include some commits and lack others.
  ///
  /// O(limit).
  func incompleteEntries(in shown: RecorderLog) -> [RecorderEntry] {
    let states = shown.states
    let isImported = travel?.importedStores != nil
    let known = Set(shown.entries.compactMap(\.transaction))
    let ended = (travel?.present.entries ?? []).filter { entry in
      entry.transaction.map { !known.contains($0) } ?? false
    }
    func count(_ entry: RecorderEntry, where isKept: (RecordedChange) -> Bool) -> RecorderEntry? {
      let commits = entry.changes.filter(\.isCommit)
      let kept = commits.count(where: isKept)
      guard !entry.isSkipped, kept > 0, kept < commits.count else { return nil }
      var entry = entry
      entry.error = .discarded
      return entry
    }
    let shownEntries = shown.entries.compactMap { entry in
      count(entry) { change in states[change.store].map { change.order <= $0.order } ?? false }
    }
    if isImported { return shownEntries }
    return shownEntries
      + ended.compactMap { count($0) { isKept($0.store, $0.order, in: states) } }
  }

  /// Continues from a shown log, as the first step of keeping it.
  ///
  /// The shown changes of active dispatches stay theirs. Those of dispatches that have finished
  /// meanwhile become entries. All other pending changes are dropped, and a dispatch that has lost one
  /// is discarded.
  mutating func beginKeeping(_ new: RecorderLog, of shown: RecorderLog, limit: Int) {
    let states = shown.states
    var unsettled = Unsettled(
      lastNumber: nextNumber(),
      changesInPause: changesInPause,
      ownStates: ownStates
    )
    replaceLog(with: new.with([]))
    changesInPause = []
    for index in dispatches.indices {
      unsettled.changes[dispatches[index].transaction] = dispatches[index].entry.changes
      dispatches[index].entry.changes = []
      let commits = dispatches[index].commits
      if !commits.allSatisfy({ isKept($0.store, $0.order, in: states) }) {
        dispatches[index].isDiscarded = true
      }
    }
    let finished = travel?.present.entries ?? []
    for pending in new.pending {
      if let index = index(of: pending.transaction) {
        dispatches[index].entry.changes = pending.changes
      } else if !pending.changes.allSatisfy(log.isInBase) {
        if pending.transaction == nil, isPaused {
          changesInPause = pending.changes
        } else {
          let end = finished.last { $0.transaction == pending.transaction }
          var entry = end ?? pending.entry
          let isWhole = entry.changes.allSatisfy { change in
            !change.isCommit || isKept(change.store, change.order, in: states)
          }
          if !isWhole { entry.error = .discarded }
          entry.recordedError = entry.error
          entry.changes = pending.changes
          log.append(entry, limit: limit)
        }
      }
    }
    log.apply(limit: limit)
    ownStates = new.states.mapValues(\.id)
    travel?.lastKeptEntry = log.lastEntry
    travel?.unsettled = unsettled
  }

  /// Undoes `beginKeeping`: the travel continues, and commits recorded meanwhile belong to the
  /// present.
  mutating func cancelKeeping(_ shown: RecorderLog, limit: Int) {
    guard var travel, let lastKeptEntry = travel.lastKeptEntry else { return }
    let (new, unsettled) = (log, travel.unsettled)
    replaceLog(with: shown)
    ownStates = unsettled.ownStates
    for index in dispatches.indices {
      dispatches[index].isDiscarded = dispatches[index].hasDroppedCommits
      let since = dispatches[index].entry.changes.filter { $0.order > unsettled.lastNumber }
      let before = unsettled.changes[dispatches[index].transaction] ?? []
      dispatches[index].entry.changes = before + since
      for change in since { ownStates[change.store] = change.recorded.id }
    }
    if isPaused {
      changesInPause =
        unsettled.changesInPause + changesInPause.filter { $0.order > unsettled.lastNumber }
    }
    for entry in new.entries where entry.id > lastKeptEntry {
      travel.present.append(entry, limit: limit)
    }
    travel.present = travel.present.with(pending)
    travel.lastKeptEntry = nil
    self.travel = travel
  }

  /// Adds an entry for a state that a store keeps and that no entry explains.
  mutating func recordKeptState(
    _ state: any StateType,
    of store: String,
    at moment: Moment,
    limit: Int
  ) {
    let recorded = recordedState(state)
    let change = RecordedChange(
      store: store,
      state: recorded,
      before: ownStates[store] ?? 0,
      mutation: nil
    )
    ownStates[store] = recorded.id
    let entry = RecorderEntry(
      id: 0,
      origin: .commit("changed while travelling"),
      time: moment.date,
      duration: .zero,
      changes: [change]
    )
    append(entry, limit: limit)
  }
}
