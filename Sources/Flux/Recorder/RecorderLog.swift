/// The base, the steps after it, and which of them are shown.
///
/// A value that decides and touches no store. *Position* n is the state after the first n entries;
/// position 0 is the base.
struct RecorderLog: Sendable {
  /// The states of all stores at one time.
  typealias Moment = [String: StoreMoment]

  private(set) var base: Moment = [:]
  private(set) var entries: [RecorderEntry] = []
  /// The states after each entry, without the skipped ones.
  private var moments: [Moment] = []
  private(set) var position = 0
  private var lastEntry = 0
  private var lastStamp = 0

  init() {}

  /// A log that shows its base; `worked` are the states after each entry that differ from the
  /// recorded ones, as an earlier entry is skipped.
  init(base: Moment, entries: [RecorderEntry], worked: [Moment]) {
    self.base = base
    self.entries = entries
    lastEntry = entries.map(\.id).max() ?? 0
    let stamps = base.values.map(\.stamp) + entries.flatMap(\.changes).map(\.moment.stamp)
    lastStamp = (stamps + worked.flatMap(\.values).map(\.stamp)).max() ?? 0
    var current = base
    for (entry, worked) in zip(entries, worked) {
      if !entry.isSkipped { current = current.adding(entry.changes) }
      current.merge(worked) { $1 }
      moments.append(current)
    }
  }

  /// The states after each entry that are none of the recorded ones.
  var worked: [Moment] {
    let recorded = Set(
      base.values.map(\.stamp) + entries.flatMap(\.changes).map(\.moment.stamp)
    )
    return moments.map { $0.filter { !recorded.contains($0.value.stamp) } }
  }

  /// What is shown.
  var moment: Moment { moment(at: position) }

  /// What is shown after all entries.
  var momentAtEnd: Moment { moment(at: entries.count) }

  /// Whether everything is shown that was recorded.
  var isAtPresent: Bool { position == entries.count && !entries.contains(where: \.isSkipped) }

  func moment(at position: Int) -> Moment { position == 0 ? base : moments[position - 1] }

  mutating func stamp(_ state: any StateType) -> StoreMoment {
    lastStamp += 1
    return StoreMoment(state: state, stamp: lastStamp)
  }

  /// Gives later states higher numbers than `other` gave, as they may be appended to it.
  mutating func stamp(above other: RecorderLog) {
    lastStamp = max(lastStamp, other.lastStamp)
  }
}

extension RecorderLog {
  /// Adds a store, which has been in this state all along.
  mutating func add(_ store: String, _ state: any StateType) {
    let moment = stamp(state)
    base[store] = moment
    for place in moments.indices { moments[place][store] = moment }
  }

  mutating func remove(_ store: String) {
    base[store] = nil
    for place in moments.indices { moments[place][store] = nil }
    for place in entries.indices { entries[place].changes.removeAll { $0.store == store } }
  }

  /// Adds an entry to the present, and gives up the oldest beyond the limit: they become part of
  /// the base.
  mutating func append(
    _ origin: RecorderEntry.Origin,
    _ changes: [RecordedChange],
    limit: Int
  ) {
    lastEntry += 1
    lastStamp = changes.map(\.moment.stamp).reduce(lastStamp, max)
    let entry = RecorderEntry(id: lastEntry, origin: origin, changes: changes)
    moments.append(moment(at: entries.count).adding(entry.changes))
    entries.append(entry)
    let excess = entries.count - limit
    if excess > 0 {
      base = moments[excess - 1]
      entries.removeFirst(excess)
      moments.removeFirst(excess)
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
    guard let place = entries.firstIndex(where: { $0.id == id }) else { throw .noSuchEntry(id) }
    return place + 1
  }

  /// Leaves an entry out, or takes it in again, and works out anew what follows from that.
  ///
  /// O(entries after the first one skipped).
  mutating func setSkipped(_ id: Int, _ isSkipped: Bool) throws(RecorderError) {
    let place = try position(after: id) - 1
    guard entries[place].isSkipped != isSkipped else { return }
    var log = self
    log.entries[place].isSkipped = isSkipped
    try log.work()
    self = log
  }

  /// Makes what is shown the base and forgets all entries.
  mutating func squash() {
    base = moment
    entries = []
    moments = []
    position = 0
  }

  /// Forgets what is not shown: the entries after the position, and the skipped ones.
  mutating func cut() {
    let shown = zip(entries, moments).prefix(position).filter { !$0.0.isSkipped }
    entries = shown.map { $0.0.leading(to: $0.1) }
    moments = shown.map(\.1)
    position = entries.count
  }

  /// Works out the states after each entry.
  ///
  /// What was recorded is taken as it is wherever the state before it is the recorded one; only
  /// stores that differ from there on are changed anew.
  private mutating func work() throws(RecorderError) {
    var current = base
    var differing: Set<String> = []
    moments = []
    for entry in entries {
      if entry.isSkipped {
        differing.formUnion(entry.stores)
      } else {
        for change in entry.changes {
          if differing.contains(change.store), let before = current[change.store] {
            current[change.store] = try replay(change, of: entry.id, on: before)
          } else {
            current = current.adding([change])
          }
        }
      }
      moments.append(current)
    }
  }

  private mutating func replay(
    _ change: RecordedChange,
    of entry: Int,
    on before: StoreMoment
  ) throws(RecorderError) -> StoreMoment {
    guard let mutation = change.mutation else {
      throw .notReplayable(entry: entry, store: change.store)
    }
    do {
      return stamp(try mutation.replay(before.state))
    } catch {
      throw .replayFailed(entry: entry, store: change.store, error)
    }
  }
}

extension RecorderLog.Moment {
  /// The states after the given changes; dispatches may overlap, so that a store has gone on since.
  fileprivate func adding(_ changes: [RecordedChange]) -> RecorderLog.Moment {
    changes.reduce(into: self) { moment, change in
      guard let known = moment[change.store], known.stamp < change.moment.stamp else { return }
      moment[change.store] = change.moment
    }
  }
}
