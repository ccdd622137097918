extension Recording: Decodable {
  init(from decoder: any Decoder) throws {
    guard let codings = decoder.userInfo[.storeCodings] as? [String: any StoreCoding] else {
      fatalError("A Recording is decoded without the codings of its stores. Set userInfo.")
    }
    self.init(log: RecorderLog(), codings: codings)

    let container = try decoder.container(keyedBy: Key.self)
    let format = try container.decode(Int.self, forKey: .format)
    guard format == Self.format else {
      throw RecorderError.unreadable("Its format is \(format), this version reads \(Self.format).")
    }
    var stamps = Stamps()
    let base = try base(in: container, &stamps)
    var list = try container.nestedUnkeyedContainer(forKey: .entries)
    var entries: [RecorderEntry] = []
    while !list.isAtEnd {
      entries.append(try entry(in: list.nestedContainer(keyedBy: Key.self), &stamps))
    }
    try check(entries, in: base)
    log = RecorderLog(base: base, entries: entries)
    try log.jump(to: container.decode(Int.self, forKey: .position))
  }

  /// Numbers the states in the order of reading.
  private struct Stamps {
    private var last = 0

    mutating func moment(_ state: any StateType, order: Int) -> StoreMoment {
      last += 1
      return StoreMoment(state: state, stamp: last, order: order)
    }
  }

  private func base(
    in container: KeyedDecodingContainer<Key>,
    _ stamps: inout Stamps
  ) throws -> RecorderLog.Moment {
    let container = try container.nestedContainer(keyedBy: StoreKey.self, forKey: .base)
    var base: RecorderLog.Moment = [:]
    for key in container.allKeys {
      let coding = try coding(of: key.stringValue)
      let state = try coding.decodeState(from: container.superDecoder(forKey: key))
      base[key.stringValue] = stamps.moment(state, order: 0)
    }
    return base
  }

  private func entry(
    in container: KeyedDecodingContainer<Key>,
    _ stamps: inout Stamps
  ) throws -> RecorderEntry {
    let origin = try origin(in: container)
    var entry = RecorderEntry(
      id: try container.decode(Int.self, forKey: .id),
      origin: origin,
      changes: try changes(in: container, of: origin, &stamps)
    )
    entry.isSkipped = try container.decode(Bool.self, forKey: .skipped)
    return entry
  }

  private func origin(
    in container: KeyedDecodingContainer<Key>
  ) throws -> RecorderEntry.Origin {
    if let name = try container.decodeIfPresent(String.self, forKey: .commit) {
      return .commit(name)
    }
    if container.contains(.pause) { return .pause }
    let action = try container.nestedContainer(keyedBy: Key.self, forKey: .action)
    let coding = try coding(of: action.decode(String.self, forKey: .store))
    return .action(try coding.decodeAction(from: action.superDecoder(forKey: .value)))
  }

  private func changes(
    in container: KeyedDecodingContainer<Key>,
    of origin: RecorderEntry.Origin,
    _ stamps: inout Stamps
  ) throws -> [RecordedChange] {
    var list = try container.nestedUnkeyedContainer(forKey: .changes)
    var changes: [RecordedChange] = []
    while !list.isAtEnd {
      let container = try list.nestedContainer(keyedBy: Key.self)
      let store = try container.decode(String.self, forKey: .store)
      let coding = try coding(of: store)
      let state = try coding.decodeState(from: container.superDecoder(forKey: .state))
      var mutation: TapedMutation?
      if case .action(let action) = origin, try container.decode(Bool.self, forKey: .reduced) {
        mutation = coding.reduction(of: action)
      }
      let order = try container.decode(Int.self, forKey: .order)
      let moment = stamps.moment(state, order: order)
      var change = RecordedChange(store: store, moment: moment, mutation: mutation)
      if container.contains(.shown) {
        let shown = try coding.decodeState(from: container.superDecoder(forKey: .shown))
        change.shown = stamps.moment(shown, order: order)
      }
      changes.append(change)
    }
    return changes
  }

  private func check(
    _ entries: [RecorderEntry],
    in base: RecorderLog.Moment
  ) throws(RecorderError) {
    var ids: Set<Int> = []
    var orders: Set<Int> = []
    for entry in entries {
      guard (1...Self.lastNumber).contains(entry.id), ids.insert(entry.id).inserted else {
        throw .unreadable("Two entries have the id \(entry.id), or it is no id.")
      }
      for change in entry.changes {
        guard base[change.store] != nil else {
          throw .unreadable(
            "Entry \(entry.id) changes \"\(change.store)\", which its base does not have."
          )
        }
        guard
          (0...Self.lastNumber).contains(change.order),
          change.order == 0 || orders.insert(change.order).inserted
        else {
          throw .unreadable("Two commits have the order \(change.order), or it is no order.")
        }
      }
    }
  }
}
