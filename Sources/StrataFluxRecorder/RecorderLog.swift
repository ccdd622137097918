import StrataFlux

/// The base, the entries after it, and the position that is shown.
///
/// A value that changes no store. *Position* n is the state after the first n entries; position 0 is
/// the base.
struct RecorderLog: Sendable {
  typealias States = [String: RecordedState]

  private(set) var base: States = [:]
  /// The stores of which the base has a commit of an entry after it, because dispatches overlapped.
  private(set) var partialBase: Set<String> = []
  private(set) var entries: [RecorderEntry] = []
  private(set) var position = 0
  private(set) var lastID = 0

  init() {}

  init(base: States, _ partialBase: Set<String>, _ entries: [RecorderEntry], position: Int) {
    self.base = base
    self.partialBase = partialBase
    self.entries = entries
    self.position = position
    lastID = entries.map(\.id).max() ?? 0
  }

  /// The states shown.
  var states: States { states(at: position) }

  /// Whether everything that was recorded is shown.
  var isAtPresent: Bool {
    position == entries.count && !entries.contains(where: \.isSkipped)
  }

  /// The states after the first entries, as shown.
  ///
  /// O(limit).
  func states(at position: Int) -> States {
    entries.prefix(position).reduce(into: base) { states, entry in
      for part in entry.parts {
        if let shown = part.shown { states[part.store] = shown }
      }
    }
  }

  /// Adds a store, as if it had always been in this state.
  mutating func add(_ store: String, _ state: RecordedState) { base[store] = state }

  mutating func remove(_ store: String) {
    base[store] = nil
    partialBase.remove(store)
    for index in entries.indices { entries[index].parts.removeAll { $0.store == store } }
  }

  /// Adds an entry at the end with the next id, shows it, and merges the oldest ones beyond the limit into
  /// the base.
  mutating func append(_ entry: RecorderEntry, limit: Int) {
    lastID += 1
    entries.append(entry)
    entries[entries.count - 1].id = lastID
    position = entries.count
    apply(limit: limit)
  }

  mutating func apply(limit: Int) {
    let excess = entries.count - limit
    guard excess > 0 else { return }
    base = states(at: excess)
    for part in entries.prefix(excess).flatMap(\.parts) where part.recorded != nil {
      if part.isWhole { partialBase.remove(part.store) } else { partialBase.insert(part.store) }
    }
    entries.removeFirst(excess)
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

  /// Makes the shown states the base and removes all entries.
  mutating func squash() {
    base = states
    (partialBase, entries, position) = ([], [], 0)
  }

  /// Removes the entries after the position, and the skipped ones.
  mutating func cut() {
    entries = entries.prefix(position).filter { !$0.isSkipped }
    var ended: Set<String> = []
    for entry in entries.indices.reversed() {
      for index in entries[entry].parts.indices {
        var part = entries[entry].parts[index]
        if part.shown !== part.recorded {
          part.revision = nil
          part.isWhole = true
        }
        part.recorded = part.shown
        part.settleFailure()
        // A dispatch that has a commit in it is among the entries that are gone.
        if part.recorded != nil, ended.insert(part.store).inserted, !part.isWhole {
          part.isWhole = true
          part.changes = [.unknown]
          part.isReduced = false
        }
        entries[entry].parts[index] = part
      }
    }
    position = entries.count
  }
}

extension RecorderLog {
  /// Skips an entry or includes it again, and finds the states without the skipped ones: the later entries
  /// are made again, one after the other, in the stores where it makes a difference.
  ///
  /// Returns the ids of the entries whose operations could have done otherwise. O(limit), and the cost of
  /// the reducers. Throws without effect.
  mutating func setSkipped(
    _ id: Int,
    _ isSkipped: Bool,
    _ stores: [String: any HubStore]
  ) throws(RecorderError) -> [Int] {
    let index = try position(after: id) - 1
    guard entries[index].isSkipped != isSkipped else { return [] }
    var log = self
    log.entries[index].isSkipped = isSkipped
    let first = try log.firstDifferences()
    var different: Set<String> = []
    var open: [Int] = []
    var refused: [String: [Int]] = [:]
    for index in log.entries.indices {
      for (store, start) in first where start == index { different.insert(store) }
      let isSkipped = log.entries[index].isSkipped
      for (place, part) in log.entries[index].parts.enumerated() {
        log.entries[index].parts[place].shown = isSkipped ? nil : part.recorded
        log.entries[index].parts[place].shownFailure = part.failure
      }
      log.entries[index].showFailures()
      if isSkipped { continue }
      let isOpen = try log.entries[index].makeAgain(
        on: log.states(at: index),
        stores,
        reducing: log.reducingStores,
        &different,
        &refused
      )
      if isOpen { open.append(log.entries[index].id) }
    }
    if let (store, entries) = refused.min(by: { ($0.value[0], $0.key) < ($1.value[0], $1.key) }) {
      throw .notReplayable(entries: entries, store: store)
    }
    self = log
    return open
  }

  /// The index of the first entry in which a store is shown otherwise than recorded.
  ///
  /// It is the first skipped entry that changed it, or an entry before that ended while its dispatch was in
  /// progress.
  private func firstDifferences() throws(RecorderError) -> [String: Int] {
    var first: [String: Int] = [:]
    for index in entries.indices where entries[index].isSkipped {
      for store in entries[index].stores {
        var start = index
        var isKnown = !partialBase.contains(store)
        for earlier in (0..<index).reversed() {
          let part = entries[earlier][store]
          if part.recorded == nil { continue }
          if part.isWhole {
            isKnown = true
            break
          }
          start = earlier
        }
        if !isKnown { throw .partOfBase(entry: entries[index].id, store: store) }
        first[store] = min(first[store] ?? start, start)
      }
    }
    return first
  }

  /// The stores that have responded to an action by `reduce`.
  private var reducingStores: Set<String> {
    Set(entries.flatMap(\.parts).filter(\.isReduced).map(\.store))
  }
}

extension RecorderEntry {
  /// Makes the entry again in the stores that are different before it, or that it reaches now and did not
  /// then, or the other way round.
  ///
  /// Returns whether an operation could have done otherwise. A part of which only the result is known is
  /// added to `refused`.
  fileprivate mutating func makeAgain(
    on before: RecorderLog.States,
    _ stores: [String: any HubStore],
    reducing: Set<String>,
    _ different: inout Set<String>,
    _ refused: inout [String: [Int]]
  ) throws(RecorderError) -> Bool {
    let differentBefore = different
    var isOpen = false
    for index in parts.indices {
      var part = parts[index]
      guard let store = stores[part.store], let state = before[part.store] else { continue }
      let cause = part.waitsFor.compactMap { self[$0].shownFailure }.first
      if let cause, part.isReached || part.isBlocked {
        part.shownFailure = OperationError.waiting(for: cause)
        part.shown = nil
        if part.recorded != nil { different.insert(part.store) }
      } else if cause == nil, part.isBlocked {
        isOpen = isOpen || !reducing.contains(part.store)
        different.insert(part.store)
        part.reduce(action, on: state, of: store)
      } else if cause == nil, part.isReached || part.recorded != nil {
        let isDifferent = different.contains(part.store)
        if !part.isReduced, isDifferent || !differentBefore.isDisjoint(with: part.waitsFor) {
          isOpen = true
        }
        if isDifferent, part.isReduced {
          part.reduce(action, on: state, of: store)
        } else if isDifferent {
          do {
            if try !part.update(with: action, on: state, of: store) {
              refused[part.store, default: []].append(id)
            }
          } catch {
            throw .replayFailed(entry: id, store: part.store, error)
          }
        }
      }
      parts[index] = part
    }
    showFailures()
    return isOpen
  }
}

extension RecorderEntry.Part {
  fileprivate mutating func reduce(
    _ action: (any FluxAction)?,
    on state: RecordedState,
    of store: any HubStore
  ) {
    do {
      shown = try action.map { RecordedState(try store.reduce(state.value, $0)) }
      shownFailure = nil
    } catch {
      (shown, shownFailure) = (nil, error)
    }
  }

  /// Makes the changes of an operation again; false if only the result of one is known.
  fileprivate mutating func update(
    with action: (any FluxAction)?,
    on state: RecordedState,
    of store: any HubStore
  ) throws -> Bool {
    var value = state.value
    for change in changes {
      switch change {
      case .reduction: value = try action.map { try store.reduce(value, $0) } ?? value
      case .update(let update): value = try update(value)
      case .unknown: return false
      }
    }
    shown = changes.isEmpty ? nil : RecordedState(value)
    return true
  }
}
