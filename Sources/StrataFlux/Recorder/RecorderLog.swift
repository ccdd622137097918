/// The base, the entries after it, and the position that is shown.
///
/// A value that changes no store. *Position* n is the state after the first n entries; position 0 is
/// the base. The last position includes the changes of active dispatches too.
struct RecorderLog: Sendable {
  /// The states of all stores at one time, by identifier.
  typealias States = [String: RecordedState]

  /// An entry that does not exist yet: the changes of an active dispatch so far, or of a pause.
  struct PendingEntry: Sendable {
    /// The dispatch; nil for a pause.
    let transaction: String?
    let origin: RecorderEntry.Origin
    /// In the order of the commits.
    var changes: [RecordedChange]
  }

  private(set) var base: States = [:]
  private(set) var entries: [RecorderEntry] = []
  /// The states after each entry, without the skipped entries.
  private var statesAfterEntries: [States] = []
  private(set) var position = 0
  /// Set only while the log is shown or settled.
  private(set) var pending: [PendingEntry] = []
  private(set) var lastEntry = 0
  /// The last number given to a state or a commit.
  private(set) var lastNumber = 0

  init() {}

  /// A log that shows its base.
  init(base: States, entries: [RecorderEntry]) {
    self.base = base
    self.entries = entries
    lastEntry = entries.map(\.id).max() ?? 0
    let states = entries.flatMap(\.changes).flatMap { [$0.recorded, $0.shown] } + base.values
    lastNumber = states.map { max($0.id, $0.order) }.max() ?? 0
    statesAfterEntries = replayedStates()
  }

  /// The shown states.
  var states: States { states(at: position) }

  /// The states after all entries.
  var statesAtEnd: States { states(at: entries.count) }

  /// Whether everything that was recorded is shown.
  var isAtPresent: Bool { position == entries.count && !entries.contains(where: \.isSkipped) }

  private func states(at position: Int) -> States {
    let states = statesOfEntries(at: position)
    return position == entries.count ? states.applying(pending.flatMap(\.changes)) : states
  }

  private func statesOfEntries(at position: Int) -> States {
    position == 0 ? base : statesAfterEntries[position - 1]
  }

  /// Numbers the state after a commit: one that happens now, or an earlier one with its order.
  mutating func recordedState(_ state: any StateType, order: Int? = nil) -> RecordedState {
    lastNumber += 1
    return RecordedState(state: state, id: lastNumber, order: order ?? lastNumber)
  }

  /// Whether the base includes this commit, because it overlapped an entry that the base includes.
  func isInBase(_ change: RecordedChange) -> Bool {
    base[change.store].map { change.order <= $0.order } ?? false
  }

  /// Makes later numbers higher than those of `other`, because states can move between the logs.
  mutating func raiseNumbers(above other: RecorderLog) {
    lastNumber = max(lastNumber, other.lastNumber)
  }

  /// The same log with these pending entries.
  func with(_ pending: [PendingEntry]) -> RecorderLog {
    var log = self
    log.pending = pending
    return log
  }
}

extension RecorderLog {
  /// Adds a store, as if it had always been in this state.
  mutating func add(_ store: String, _ state: any StateType) {
    let recorded = recordedState(state)
    base[store] = recorded
    for index in statesAfterEntries.indices { statesAfterEntries[index][store] = recorded }
  }

  mutating func remove(_ store: String) {
    base[store] = nil
    for index in statesAfterEntries.indices { statesAfterEntries[index][store] = nil }
    for index in entries.indices { entries[index].changes.removeAll { $0.store == store } }
    for index in pending.indices { pending[index].changes.removeAll { $0.store == store } }
  }

  /// Adds an entry at the end, and merges the oldest entries beyond the limit into the base.
  mutating func append(
    _ origin: RecorderEntry.Origin,
    _ changes: [RecordedChange],
    limit: Int
  ) {
    lastEntry += 1
    lastNumber = changes.map(\.order).reduce(lastNumber, max)
    let entry = RecorderEntry(id: lastEntry, origin: origin, changes: changes)
    statesAfterEntries.append(statesOfEntries(at: entries.count).applying(entry.changes))
    entries.append(entry)
    let excess = entries.count - limit
    if excess > 0 {
      base = statesAfterEntries[excess - 1]
      entries.removeFirst(excess)
      statesAfterEntries.removeFirst(excess)
    }
    position = entries.count
  }

  mutating func jump(to position: Int) throws(RecorderError) {
    guard (0...entries.count).contains(position) else {
      throw .noSuchPosition(position, last: entries.count)
    }
    self.position = position
  }

  func position(after id: Int) throws(RecorderError) -> Int {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { throw .noSuchEntry(id) }
    return index + 1
  }

  /// Skips an entry, or includes it again, and recomputes the shown states that depend on it.
  ///
  /// O(n log n) in the number of recorded commits.
  mutating func setSkipped(_ id: Int, _ isSkipped: Bool) throws(RecorderError) {
    let index = try position(after: id) - 1
    guard entries[index].isSkipped != isSkipped else { return }
    if let change = entries[index].changes.first(where: isInBase) {
      throw .partOfBase(entry: id, store: change.store)
    }
    var log = self
    log.entries[index].isSkipped = isSkipped
    try log.recomputeShownStates()
    self = log
  }

  /// Makes the shown states the base and removes all entries.
  ///
  /// The base includes the changes of active dispatches, if they are shown.
  mutating func squash() {
    keepShownPendingChanges()
    base = states
    for store in base.keys { base[store]?.order = lastNumber }
    entries = []
    statesAfterEntries = []
    position = 0
  }

  /// Removes the entries after the position, and the skipped ones.
  ///
  /// A commit of a removed entry that the shown states include moves to the entry of the next commit
  /// to its store.
  mutating func cut() {
    keepShownPendingChanges()
    let removed = entries.dropFirst(position).filter { !$0.isSkipped }.flatMap(\.changes)
    entries = entries.prefix(position).filter { !$0.isSkipped }
    for change in removed where !isInBase(change) {
      let later = entries.indices.compactMap { index in
        entries[index].order(of: change.store, above: change.order).map {
          (index: index, order: $0)
        }
      }
      guard let next = later.min(by: { $0.order < $1.order }) else { continue }
      entries[next.index].changes.append(change)
    }
    for index in entries.indices {
      entries[index].changes = entries[index].changes.map(\.settled).sorted { $0.order < $1.order }
    }
    statesAfterEntries = replayedStates()
    position = entries.count
  }

  private mutating func keepShownPendingChanges() {
    let shown = states
    for index in pending.indices {
      pending[index].changes = pending[index].changes
        .filter { change in shown[change.store].map { change.order <= $0.order } ?? false }
        .map(\.settled)
    }
  }

  /// Recomputes the state after each commit, in the order of the commits: replays the commit if the
  /// state before it is not the recorded one, else uses the recorded state.
  private mutating func recomputeShownStates() throws(RecorderError) {
    var current = base
    var differing: Set<String> = []
    for location in commitLocations.sorted(by: { $0.order < $1.order }) {
      let entry = location.step < entries.count ? entries[location.step] : nil
      let change = self[location]
      if isInBase(change) { continue }
      if entry?.isSkipped == true {
        differing.insert(change.store)
        continue
      }
      var shown = change.recorded
      if differing.contains(change.store), let before = current[change.store] {
        shown = try replay(change, of: entry?.id ?? 0, on: before)
      }
      current[change.store] = shown
      self[location].shown = shown
    }
    statesAfterEntries = replayedStates()
  }

  /// The location of a commit: a step (an entry, or a pending entry after them) and its change.
  private struct CommitLocation {
    let step: Int
    let change: Int
    let order: Int
  }

  private var commitLocations: [CommitLocation] {
    let steps = entries.map(\.changes) + pending.map(\.changes)
    return steps.enumerated().flatMap { step, changes in
      changes.enumerated().map { CommitLocation(step: step, change: $0, order: $1.order) }
    }
  }

  private subscript(location: CommitLocation) -> RecordedChange {
    get {
      location.step < entries.count
        ? entries[location.step].changes[location.change]
        : pending[location.step - entries.count].changes[location.change]
    }
    set {
      if location.step < entries.count {
        entries[location.step].changes[location.change] = newValue
      } else {
        pending[location.step - entries.count].changes[location.change] = newValue
      }
    }
  }

  /// The states after each entry.
  private func replayedStates() -> [States] {
    var current = base
    return entries.map { entry in
      if !entry.isSkipped { current = current.applying(entry.changes) }
      return current
    }
  }

  private mutating func replay(
    _ change: RecordedChange,
    of entry: Int,
    on before: RecordedState
  ) throws(RecorderError) -> RecordedState {
    guard let mutation = change.mutation else {
      throw .notReplayable(entry: entry, store: change.store)
    }
    do {
      return recordedState(try mutation.replay(before.state), order: change.order)
    } catch {
      throw .replayFailed(entry: entry, store: change.store, error)
    }
  }
}

extension RecorderLog.States {
  /// The states after the given changes; a change before the last commit of its store has no effect,
  /// because dispatches can overlap.
  fileprivate func applying(_ changes: [RecordedChange]) -> RecorderLog.States {
    changes.reduce(into: self) { states, change in
      guard let known = states[change.store], known.order < change.order else { return }
      states[change.store] = change.shown
    }
  }
}
