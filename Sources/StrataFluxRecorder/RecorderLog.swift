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
    /// What it is so far.
    var entry: RecorderEntry

    var changes: [RecordedChange] {
      get { entry.changes }
      set { entry.changes = newValue }
    }
  }

  private(set) var base: States = [:]
  private(set) var entries: [RecorderEntry] = []
  /// The states after each entry, without the skipped entries.
  private var statesAfterEntries: [States] = []
  private(set) var position = 0
  /// Whether entries were moved or removed, so that the end is not the present.
  private var isEdited = false
  /// Set only while the log is shown or settled.
  private(set) var pending: [PendingEntry] = []
  private(set) var lastEntry = 0
  /// The last number given to a state or a commit.
  private(set) var lastNumber = 0

  init() {}

  /// A log that shows the state after `position` entries.
  init(base: States, entries: [RecorderEntry], position: Int = 0) {
    self.base = base
    self.entries = entries
    self.position = position
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
  var isAtPresent: Bool {
    position == entries.count && !isEdited && !entries.contains(where: \.isSkipped)
  }

  func states(at position: Int) -> States {
    let states = statesOfEntries(at: position)
    return position == entries.count ? states.applying(pending.flatMap(\.changes)) : states
  }

  /// The states without the changes that belong to no entry yet.
  func statesOfEntries(at position: Int) -> States {
    position == 0 ? base : statesAfterEntries[position - 1]
  }

  /// Numbers the state after a commit: one that happens now, or an earlier one with its order.
  mutating func recordedState(_ state: any StateType, order: Int? = nil) -> RecordedState {
    lastNumber += 1
    return RecordedState(state: state, id: lastNumber, order: order ?? lastNumber)
  }

  /// The changes of all entries and of those that do not exist yet.
  var changes: [RecordedChange] { (entries.map(\.changes) + pending.map(\.changes)).flatMap { $0 } }

  /// Numbers a time between two commits.
  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
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

  /// Adds an entry at the end with the next id, shows it, and applies the limit.
  mutating func append(_ entry: RecorderEntry, limit: Int) {
    lastEntry += 1
    lastNumber = entry.changes.map(\.order).reduce(lastNumber, max)
    statesAfterEntries.append(statesOfEntries(at: entries.count).applying(entry.changes))
    entries.append(entry)
    entries[entries.count - 1].id = lastEntry
    position = entries.count
    apply(limit: limit)
  }

  /// Merges the oldest entries beyond the limit into the base, as shown.
  mutating func apply(limit: Int) {
    let excess = entries.count - limit
    guard excess > 0 else { return }
    base = statesAfterEntries[excess - 1]
    entries.removeFirst(excess)
    statesAfterEntries.removeFirst(excess)
    position = max(0, position - excess)
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
  /// Returns the ids of the entries that could not be recomputed. O(n log n) in the number of recorded
  /// commits.
  mutating func setSkipped(_ id: Int, _ isSkipped: Bool) throws(RecorderError) -> [Int] {
    let index = try indexOfEntryAfterBase(id)
    guard entries[index].isSkipped != isSkipped else { return [] }
    var log = self
    log.entries[index].isSkipped = isSkipped
    let opaque = try log.recomputeShownStates()
    self = log
    return opaque
  }

  /// Moves an entry, with its commits, before another one or to the end.
  ///
  /// Returns the ids of the entries that could not be recomputed. O(n log n).
  mutating func move(_ id: Int, before other: Int?) throws(RecorderError) -> [Int] {
    let index = try indexOfEntryAfterBase(id)
    let next = try other.map { other throws(RecorderError) in try indexOfEntryAfterBase(other) }
    guard id != other else { return [] }
    var log = self
    log.entries.remove(at: index)
    let target = next.map { $0 > index ? $0 - 1 : $0 } ?? log.entries.count
    log.entries.insert(entries[index], at: target)
    // The commits keep their numbers, but those of the moved entry come before those of the other one.
    var sequence = log.commitLocations.sorted { $0.order < $1.order }
      .filter { !log.isInBase(log[$0]) }
    let orders = sequence.map(\.order)
    let moved = sequence.filter { $0.step == target }
    sequence.removeAll { $0.step == target }
    let place = sequence.firstIndex { other != nil && $0.step == target + 1 }
    let end = sequence.firstIndex { $0.step >= log.entries.count }
    sequence.insert(contentsOf: moved, at: place ?? end ?? sequence.count)
    for (location, order) in zip(sequence, orders) { log[location].setOrder(order) }
    log.isEdited = true
    let opaque = try log.recomputeShownStates()
    self = log
    return opaque
  }

  private func indexOfEntryAfterBase(_ id: Int) throws(RecorderError) -> Int {
    let index = try position(after: id) - 1
    if let change = entries[index].changes.first(where: isInBase) {
      throw .partOfBase(entry: id, store: change.store)
    }
    return index
  }

  /// Removes the skipped entries.
  mutating func sweep() {
    guard entries.contains(where: \.isSkipped) else { return }
    position -= entries.prefix(position).count(where: \.isSkipped)
    entries.removeAll(where: \.isSkipped)
    isEdited = true
    statesAfterEntries = replayedStates()
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
    isEdited = false
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
      entries[index].recordedError = entries[index].error
    }
    isEdited = false
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

  /// Recomputes the state after each commit, in the order of the commits: where the state before it is
  /// not the recorded one, the commit is replayed, and a reducer decides again what it does.
  ///
  /// Returns the ids of the entries that such a state reached, in their store or in one that it waits for, and whose
  /// operations did not respond by `reduce`: their commits were replayed, but the operations could have made others.
  private mutating func recomputeShownStates(
    _ given: [Int: any StateType] = [:]
  ) throws(RecorderError) -> [Int] {
    var current = base
    var recorded = base.mapValues(\.id)
    var opaque: Set<Int> = []
    for event in events {
      switch event {
      case .receipt(_, let step, let participant):
        // An operation may read the stores that it waits for, too.
        let isOther = ([participant.store] + participant.waitsFor).contains {
          current[$0]?.id != recorded[$0]
        }
        if isOther, !entries[step].isSkipped { opaque.insert(entries[step].id) }
      case .commit(let location):
        var change = self[location]
        guard !isInBase(change), let before = current[change.store] else { continue }
        let entry = entry(of: location)
        recorded[change.store] = change.recorded.id
        if entry.isSkipped { continue }
        if !change.isReduction, before.id != change.before { opaque.insert(entry.id) }
        if change.mutation == nil, before.id != change.before, let state = given[change.order] {
          change.shownBefore = before.id
          change.shown = recordedState(state, order: change.order)
        } else {
          try show(&change, of: entry, on: before)
        }
        current[change.store] = change.shown
        self[location] = change
      }
    }
    for index in entries.indices { entries[index].recomputeError() }
    statesAfterEntries = replayedStates()
    return opaque.subtracting([0]).sorted()
  }

  /// Recomputes an imported log; `given` are the shown states of changes that cannot be replayed, by
  /// the order of the change.
  mutating func recompute(with given: [Int: any StateType]) throws(RecorderError) {
    _ = try recomputeShownStates(given)
  }

  /// What a replay comes by.
  private enum Event {
    /// A store received an action, to which it does not respond by `reduce`.
    case receipt(order: Int, step: Int, RecorderEntry.Participant)
    case commit(CommitLocation)

    var order: Int {
      switch self {
      case .receipt(let order, _, _): order
      case .commit(let location): location.order
      }
    }
  }

  /// In the order of the commits.
  private var events: [Event] {
    let receipts = entries.enumerated().flatMap { step, entry in
      entry.opaqueStores.compactMap { participant in
        participant.order.map { Event.receipt(order: $0, step: step, participant) }
      }
    }
    return (receipts + commitLocations.map(Event.commit)).sorted { $0.order < $1.order }
  }

  /// Finds the shown state after a commit from the shown state before it.
  private mutating func show(
    _ change: inout RecordedChange,
    of entry: RecorderEntry,
    on before: RecordedState
  ) throws(RecorderError) {
    change.shownBefore = before.id
    var unchanged = before
    unchanged.order = change.order
    if let error = entry.waitFailure(of: change.store) {
      (change.shown, change.shownFailure) = (unchanged, error)
    } else if before.id == change.before, !change.wasNotReached {
      (change.shown, change.shownFailure) = (change.recorded, change.failure)
    } else {
      guard let mutation = change.mutation else {
        throw .notReplayable(entry: entry.id, store: change.store)
      }
      do {
        let state = try mutation.replay(before.state)
        (change.shown, change.shownFailure) = (recordedState(state, order: change.order), nil)
      } catch {
        guard change.isReduction else {
          throw .replayFailed(entry: entry.id, store: change.store, error)
        }
        (change.shown, change.shownFailure) = (unchanged, error)
      }
    }
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

  private func entry(of location: CommitLocation) -> RecorderEntry {
    location.step < entries.count
      ? entries[location.step] : pending[location.step - entries.count].entry
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
