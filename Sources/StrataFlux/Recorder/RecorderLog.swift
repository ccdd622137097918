/// The base, the steps after it, and which of them are shown.
///
/// A value that decides and touches no store. *Position* n is the state after the first n entries;
/// position 0 is the base. The last position has what dispatches under way did, too.
struct RecorderLog: Sendable {
  /// The states of all stores at one time.
  typealias Moment = [String: StoreMoment]

  private(set) var base: Moment = [:]
  private(set) var entries: [RecorderEntry] = []
  /// The states after each entry, without the skipped ones.
  private var moments: [Moment] = []
  private(set) var position = 0
  /// What is in no entry yet; only while the log is shown or settled.
  private(set) var drafts: [RecorderDraft] = []
  private(set) var lastEntry = 0
  private(set) var lastStamp = 0

  init() {}

  /// A log that shows its base.
  init(base: Moment, entries: [RecorderEntry]) {
    self.base = base
    self.entries = entries
    lastEntry = entries.map(\.id).max() ?? 0
    let known = entries.flatMap(\.changes).flatMap { [$0.moment, $0.shown] } + base.values
    lastStamp = known.map { max($0.stamp, $0.order) }.max() ?? 0
    moments = gathered()
  }

  /// What is shown.
  var moment: Moment { moment(at: position) }

  /// What is shown after all entries.
  var momentAtEnd: Moment { moment(at: entries.count) }

  /// Whether everything is shown that was recorded.
  var isAtPresent: Bool { position == entries.count && !entries.contains(where: \.isSkipped) }

  func moment(at position: Int) -> Moment {
    let moment = momentRecorded(at: position)
    return position == entries.count ? moment.adding(drafts.flatMap(\.changes)) : moment
  }

  private func momentRecorded(at position: Int) -> Moment {
    position == 0 ? base : moments[position - 1]
  }

  /// The state after a commit that happens now, or after one that did, at the given place.
  mutating func stamp(_ state: any StateType, order: Int? = nil) -> StoreMoment {
    lastStamp += 1
    return StoreMoment(state: state, stamp: lastStamp, order: order ?? lastStamp)
  }

  /// Whether the base has what this commit did: it overlapped what became part of the base.
  func isInBase(_ change: RecordedChange) -> Bool {
    base[change.store].map { change.order <= $0.order } ?? false
  }

  /// Gives later states higher numbers than `other` gave, as they may be appended to it.
  mutating func stamp(above other: RecorderLog) {
    lastStamp = max(lastStamp, other.lastStamp)
  }

  /// The same log, with this in no entry yet.
  func with(_ drafts: [RecorderDraft]) -> RecorderLog {
    var log = self
    log.drafts = drafts
    return log
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
    for place in drafts.indices { drafts[place].changes.removeAll { $0.store == store } }
  }

  /// Adds an entry to the present, and gives up the oldest beyond the limit: they become part of
  /// the base.
  mutating func append(
    _ origin: RecorderEntry.Origin,
    _ changes: [RecordedChange],
    limit: Int
  ) {
    lastEntry += 1
    lastStamp = changes.map(\.order).reduce(lastStamp, max)
    let entry = RecorderEntry(id: lastEntry, origin: origin, changes: changes)
    moments.append(momentRecorded(at: entries.count).adding(entry.changes))
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
  /// O(n log n) in the commits recorded.
  mutating func setSkipped(_ id: Int, _ isSkipped: Bool) throws(RecorderError) {
    let place = try position(after: id) - 1
    guard entries[place].isSkipped != isSkipped else { return }
    if let change = entries[place].changes.first(where: isInBase) {
      throw .partOfBase(entry: id, store: change.store)
    }
    var log = self
    log.entries[place].isSkipped = isSkipped
    try log.work()
    self = log
  }

  /// Makes what is shown the base and forgets all entries.
  ///
  /// What dispatches under way have done by now is in it, where it is shown.
  mutating func squash() {
    keepShownDrafts()
    base = moment
    for store in base.keys { base[store]?.order = lastStamp }
    entries = []
    moments = []
    position = 0
  }

  /// Forgets what is not shown: the entries after the position, and the skipped ones.
  ///
  /// Commits of an entry that goes stay where they are part of what is shown: they go to the entry
  /// of the commit after them.
  mutating func cut() {
    keepShownDrafts()
    let gone = entries.dropFirst(position).filter { !$0.isSkipped }.flatMap(\.changes)
    entries = entries.prefix(position).filter { !$0.isSkipped }
    for change in gone where !isInBase(change) {
      let later = entries.indices.compactMap { place in
        entries[place].order(of: change.store, above: change.order).map {
          (place: place, order: $0)
        }
      }
      guard let next = later.min(by: { $0.order < $1.order }) else { continue }
      entries[next.place].changes.append(change)
    }
    for place in entries.indices {
      entries[place].changes = entries[place].changes.map(\.settled).sorted { $0.order < $1.order }
    }
    moments = gathered()
    position = entries.count
  }

  private mutating func keepShownDrafts() {
    let shown = moment
    for place in drafts.indices {
      drafts[place].changes = drafts[place].changes
        .filter { change in shown[change.store].map { change.order <= $0.order } ?? false }
        .map(\.settled)
    }
  }

  /// Works out the states after each commit: again, in the order of the commits, where the state
  /// before is not the recorded one, as recorded everywhere else.
  private mutating func work() throws(RecorderError) {
    var current = base
    var differing: Set<String> = []
    for place in places.sorted(by: { $0.order < $1.order }) {
      let entry = place.step < entries.count ? entries[place.step] : nil
      let change = self[place]
      if isInBase(change) { continue }
      if entry?.isSkipped == true {
        differing.insert(change.store)
        continue
      }
      var shown = change.moment
      if differing.contains(change.store), let before = current[change.store] {
        shown = try replay(change, of: entry?.id ?? 0, on: before)
      }
      current[change.store] = shown
      self[place].shown = shown
    }
    moments = gathered()
  }

  /// Where a commit is noted: in which step, the entries and after them the drafts.
  private struct Place {
    let step: Int
    let change: Int
    let order: Int
  }

  private var places: [Place] {
    let steps = entries.map(\.changes) + drafts.map(\.changes)
    return steps.enumerated().flatMap { step, changes in
      changes.enumerated().map { Place(step: step, change: $0, order: $1.order) }
    }
  }

  private subscript(place: Place) -> RecordedChange {
    get {
      place.step < entries.count
        ? entries[place.step].changes[place.change]
        : drafts[place.step - entries.count].changes[place.change]
    }
    set {
      if place.step < entries.count {
        entries[place.step].changes[place.change] = newValue
      } else {
        drafts[place.step - entries.count].changes[place.change] = newValue
      }
    }
  }

  /// The states after each entry.
  private func gathered() -> [Moment] {
    var current = base
    return entries.map { entry in
      if !entry.isSkipped { current = current.adding(entry.changes) }
      return current
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
      return stamp(try mutation.replay(before.state), order: change.order)
    } catch {
      throw .replayFailed(entry: entry, store: change.store, error)
    }
  }
}

extension RecorderLog.Moment {
  /// The states after the given changes, unless a store has gone on since: dispatches may overlap.
  fileprivate func adding(_ changes: [RecordedChange]) -> RecorderLog.Moment {
    changes.reduce(into: self) { moment, change in
      guard let known = moment[change.store], known.order < change.order else { return }
      moment[change.store] = change.shown
    }
  }
}
