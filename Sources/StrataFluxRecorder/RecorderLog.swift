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
    entries.prefix(position).reduce(into: base) { $1.apply(to: &$0) }
  }

  /// Adds a store, as if it had always been in this state.
  mutating func add(_ store: String, _ state: RecordedState) { base[store] = state }

  mutating func remove(_ store: String) {
    base[store] = nil
    partialBase.remove(store)
    for index in entries.indices { entries[index].parts.removeAll { $0.store == store } }
  }

  /// Adds an entry at the end with the next id, and shows it.
  mutating func append(_ entry: RecorderEntry, limit: Int) {
    lastID += 1
    entries.append(entry)
    entries[entries.count - 1].id = lastID
    position = entries.count
    merge(limit: limit)
  }

  /// Merges the oldest entries beyond the limit into the base.
  mutating func merge(limit: Int) {
    let excess = entries.count - limit
    guard excess > 0 else { return }
    base = states(at: excess)
    for part in entries.prefix(excess).flatMap(\.parts) where part.recorded.state != nil {
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

  /// Moves the position; returns false, without effect, if there is none at this distance.
  mutating func step(by distance: Int) -> Bool {
    guard (0...entries.count).contains(position + distance) else { return false }
    position += distance
    return true
  }

  /// The position after an entry, or of the base for id 0.
  func position(after id: Int) throws(RecorderError) -> Int {
    if id == 0 { return 0 }
    guard let index = entries.firstIndex(where: { $0.id == id }) else { throw .noSuchEntry(id) }
    return index + 1
  }

  /// Makes the shown states the base and removes all entries.
  mutating func squash() { (base, partialBase, entries, position) = (states, [], [], 0) }

  /// Removes the entries after the position, and the skipped ones.
  mutating func cut() {
    entries = entries.prefix(position).filter { !$0.isSkipped }
    position = entries.count
    var seen: Set<String> = []
    for entry in entries.indices.reversed() {
      for index in entries[entry].parts.indices {
        var part = entries[entry].parts[index]
        part.settle()
        // A dispatch that has a commit in it is among the entries that are gone.
        if part.recorded.state != nil, seen.insert(part.store).inserted, !part.isWhole {
          (part.isWhole, part.isReduced, part.changes) = (true, false, [.unknown])
        }
        entries[entry].parts[index] = part
      }
    }
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
    guard let index = entries.firstIndex(where: { $0.id == id }) else { throw .noSuchEntry(id) }
    guard entries[index].isSkipped != isSkipped else { return [] }
    var log = self
    log.entries[index].isSkipped = isSkipped
    let first = try log.firstDifferences()
    let reducing = Set(entries.flatMap(\.parts).filter(\.isReduced).map(\.store))
    var (states, different, open) = (base, Set<String>(), [Int]())
    var refused: [(entry: Int, store: String)] = []
    for (index, var entry) in log.entries.enumerated() {
      different.formUnion(first.filter { $0.value == index }.keys)
      for index in entry.parts.indices {
        entry.parts[index].shown = entry.parts[index].recorded
        if entry.isSkipped { entry.parts[index].shown.state = nil }
      }
      if !entry.isSkipped {
        let isOpen = try entry.makeAgain(on: states, stores, reducing, &different, &refused)
        if isOpen { open.append(entry.id) }
      }
      entry.apply(to: &states)
      log.entries[index] = entry
    }
    if let store = refused.first?.store {
      let entries = refused.filter { $0.store == store }.map(\.entry)
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
        let earlier = entries[..<index].indices.reversed()
          .filter { entries[$0][store].recorded.state != nil }
        let partial = earlier.prefix { !entries[$0][store].isWhole }
        if partial.count == earlier.count, partialBase.contains(store) {
          throw .partOfBase(entry: entries[index].id, store: store)
        }
        first[store] = min(first[store] ?? index, partial.last ?? index)
      }
    }
    return first
  }
}

extension RecorderEntry {
  /// Puts the states that it shows in the place of those before it.
  fileprivate func apply(to states: inout RecorderLog.States) {
    for part in parts { states[part.store] = part.shown.state ?? states[part.store] }
  }

  /// Makes the entry again in the stores that are different before it, or that it reaches now and did not
  /// then, or the other way round.
  ///
  /// Returns whether an operation could have done otherwise. A part of which only the result is known is
  /// added to `refused`.
  fileprivate mutating func makeAgain(
    on states: RecorderLog.States,
    _ stores: [String: any HubStore],
    _ reducing: Set<String>,
    _ different: inout Set<String>,
    _ refused: inout [(entry: Int, store: String)]
  ) throws(RecorderError) -> Bool {
    let differentBefore = different
    var isOpen = false
    for index in parts.indices {
      var part = parts[index]
      guard let store = stores[part.store], let state = states[part.store]?.value else { continue }
      let isDifferent = different.contains(part.store)
      if let cause = part.waitsFor.compactMap({ self[$0].shown.failure }).first {
        guard part.isReached || part.isBlocked else { continue }
        part.shown = Outcome(failure: OperationError.waiting(for: cause))
        if part.recorded.state != nil { different.insert(part.store) }
      } else if part.isBlocked {
        isOpen = isOpen || !reducing.contains(part.store)
        different.insert(part.store)
        part.reduce(action, on: state, of: store)
      } else if isDifferent, part.isReduced {
        part.reduce(action, on: state, of: store)
      } else if part.isReached || part.recorded.state != nil, !part.isReduced {
        isOpen = isOpen || isDifferent || !differentBefore.isDisjoint(with: part.waitsFor)
        do {
          if isDifferent, try !part.update(with: action, on: state, of: store) {
            refused.append((id, part.store))
          }
        } catch {
          throw .replayFailed(entry: id, store: part.store, error)
        }
      }
      parts[index] = part
    }
    return isOpen
  }
}

extension RecorderEntry.Part {
  mutating func reduce(
    _ action: (any FluxAction)?,
    on state: any StateType,
    of store: any HubStore
  ) {
    do {
      shown = .init(state: try action.map { RecordedState(try store.reduce(state, $0)) })
    } catch {
      shown = .init(failure: error)
    }
  }

  /// Makes the changes of an operation again; false if only the result of one is known.
  fileprivate mutating func update(
    with action: (any FluxAction)?,
    on state: any StateType,
    of store: any HubStore
  ) throws -> Bool {
    var value = state
    for change in changes {
      switch change {
      case .reduction: value = try action.map { try store.reduce(value, $0) } ?? value
      case .update(let update): value = try update(value)
      case .unknown: return false
      }
    }
    shown.state = changes.isEmpty ? nil : RecordedState(value)
    return true
  }
}
