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
    let base = try moment(in: container, forKey: .base, &stamps)
    var list = try container.nestedUnkeyedContainer(forKey: .entries)
    var entries: [RecorderEntry] = []
    var worked: [RecorderLog.Moment] = []
    while !list.isAtEnd {
      let container = try list.nestedContainer(keyedBy: Key.self)
      entries.append(try entry(in: container, &stamps))
      worked.append(try moment(in: container, forKey: .shown, &stamps))
    }
    try check(entries, worked, in: base)
    log = RecorderLog(base: base, entries: entries, worked: worked)
    try log.jump(to: container.decode(Int.self, forKey: .position))
  }

  /// Numbers the states in the order of reading.
  private struct Stamps {
    private var last = 0

    mutating func moment(_ state: any StateType) -> StoreMoment {
      last += 1
      return StoreMoment(state: state, stamp: last)
    }
  }

  private func moment(
    in container: KeyedDecodingContainer<Key>,
    forKey key: Key,
    _ stamps: inout Stamps
  ) throws -> RecorderLog.Moment {
    let container = try container.nestedContainer(keyedBy: StoreKey.self, forKey: key)
    var moment: RecorderLog.Moment = [:]
    for key in container.allKeys {
      let coding = try coding(of: key.stringValue)
      let state = try coding.decodeState(from: container.superDecoder(forKey: key))
      moment[key.stringValue] = stamps.moment(state)
    }
    return moment
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
      let moment = stamps.moment(state)
      changes.append(RecordedChange(store: store, moment: moment, mutation: mutation))
    }
    return changes
  }

  private func check(
    _ entries: [RecorderEntry],
    _ worked: [RecorderLog.Moment],
    in base: RecorderLog.Moment
  ) throws(RecorderError) {
    var ids: Set<Int> = []
    for (entry, worked) in zip(entries, worked) {
      if !ids.insert(entry.id).inserted {
        throw .unreadable("Two entries have the id \(entry.id).")
      }
      for store in entry.stores + worked.keys where base[store] == nil {
        throw .unreadable("Entry \(entry.id) changes \"\(store)\", which its base does not have.")
      }
    }
  }
}
