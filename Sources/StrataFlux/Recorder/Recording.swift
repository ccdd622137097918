/// An exported recording: a JSON object.
///
/// ```
/// { "format": 2, "position": 2,
///   "base":    { "<store>": <state>, … },
///   "entries": [ { "id": 1, "skipped": false,
///                  "action": { "store": "<a store that it reached>", "value": <action> },
///                  "changes": [ { "store": "<store>", "order": 1, "state": <state>,
///                                 "shown": <state>, "reduced": true }, … ] },
///                { "id": 2, "skipped": false, "commit": "<name>", "changes": […] }, … ] }
/// ```
///
/// An entry has one of `action`, `commit` and `pause` (true). `order` increases in the order of the
/// commits, which can differ from that of the entries; 0 is a commit that the base includes. `shown`
/// is the state after the commit where it differs from the recorded one because an earlier entry is
/// skipped. `reduced` means that the state is what the store's reducer makes of the action, so it
/// can be recomputed.
struct Recording {
  /// Format 1 had no `order`.
  private static let format = 2
  /// The maximum of ids and orders, so that there is always a next one.
  private static let lastNumber = 1 << 53

  private(set) var log: RecorderLog
  private let codings: [String: any StoreCoding]

  init(log: RecorderLog, codings: [String: any StoreCoding]) {
    self.log = log
    self.codings = codings
  }

  private enum Key: String, CodingKey {
    case format, position, base, entries
    case id, skipped, action, commit, pause, changes, shown
    case store, value, order, state, reduced
  }

  /// The identifier of a store as a key.
  private struct StoreKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private func coding(of store: String) throws(RecorderError) -> any StoreCoding {
    guard let coding = codings[store] else {
      throw .unreadable(
        "It contains the store \"\(store)\", which is not registered. Register it first."
      )
    }
    return coding
  }
}

extension CodingUserInfoKey {
  /// The codings of the stores by identifier, for decoding a ``Recording``.
  static let storeCodings: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "StrataFlux.storeCodings") else {
      fatalError("The user info key of StrataFlux is invalid. Use another raw value.")
    }
    return key
  }()
}

extension Recording: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.format, forKey: .format)
    try container.encode(log.position, forKey: .position)

    var base = container.nestedContainer(keyedBy: StoreKey.self, forKey: .base)
    for (store, state) in log.base {
      try encode(state, of: store, to: base.superEncoder(forKey: StoreKey(stringValue: store)))
    }
    var entries = container.nestedUnkeyedContainer(forKey: .entries)
    for entry in log.entries {
      var container = entries.nestedContainer(keyedBy: Key.self)
      try encode(entry, in: &container)
    }
  }

  private func encode(_ state: RecordedState, of store: String, to encoder: any Encoder) throws {
    try coding(of: store).encode(state.state, to: encoder)
  }

  private func encode(
    _ entry: RecorderEntry,
    in container: inout KeyedEncodingContainer<Key>
  ) throws {
    try container.encode(entry.id, forKey: .id)
    try container.encode(entry.isSkipped, forKey: .skipped)
    switch entry.origin {
    case .commit(let name): try container.encode(name, forKey: .commit)
    case .pause: try container.encode(true, forKey: .pause)
    case .action(let action):
      // Any store of its action type can encode it, and decode it later.
      let responding = codings.keys.sorted().first { codings[$0]?.reduction(of: action) != nil }
      guard let store = responding else {
        // The stores that responded were unregistered, and with them all changes of the action.
        try container.encode("\(action)", forKey: .commit)
        break
      }
      var container = container.nestedContainer(keyedBy: Key.self, forKey: .action)
      try container.encode(store, forKey: .store)
      try coding(of: store).encode(action, to: container.superEncoder(forKey: .value))
    }
    var changes = container.nestedUnkeyedContainer(forKey: .changes)
    for change in entry.changes {
      var container = changes.nestedContainer(keyedBy: Key.self)
      try container.encode(change.store, forKey: .store)
      try container.encode(log.isInBase(change) ? 0 : change.order, forKey: .order)
      try container.encode(change.mutation?.isReduction == true, forKey: .reduced)
      try encode(change.recorded, of: change.store, to: container.superEncoder(forKey: .state))
      if change.shown.id != change.recorded.id {
        try encode(change.shown, of: change.store, to: container.superEncoder(forKey: .shown))
      }
    }
  }
}

extension Recording: Decodable {
  init(from decoder: any Decoder) throws {
    guard let codings = decoder.userInfo[.storeCodings] as? [String: any StoreCoding] else {
      fatalError("A Recording cannot be decoded without the codings of its stores. Set userInfo.")
    }
    self.init(log: RecorderLog(), codings: codings)

    let container = try decoder.container(keyedBy: Key.self)
    let format = try container.decode(Int.self, forKey: .format)
    guard format == Self.format else {
      throw RecorderError.unreadable(
        "Its format is \(format); this version reads format \(Self.format)."
      )
    }
    var numbers = StateNumbers()
    let base = try base(in: container, &numbers)
    var list = try container.nestedUnkeyedContainer(forKey: .entries)
    var entries: [RecorderEntry] = []
    while !list.isAtEnd {
      entries.append(try entry(in: list.nestedContainer(keyedBy: Key.self), &numbers))
    }
    try check(entries, in: base)
    log = RecorderLog(base: base, entries: entries)
    try log.jump(to: container.decode(Int.self, forKey: .position))
  }

  /// Numbers the states in the order of decoding.
  private struct StateNumbers {
    private var last = 0

    mutating func recordedState(_ state: any StateType, order: Int) -> RecordedState {
      last += 1
      return RecordedState(state: state, id: last, order: order)
    }
  }

  private func base(
    in container: KeyedDecodingContainer<Key>,
    _ numbers: inout StateNumbers
  ) throws -> RecorderLog.States {
    let container = try container.nestedContainer(keyedBy: StoreKey.self, forKey: .base)
    var base: RecorderLog.States = [:]
    for key in container.allKeys {
      let coding = try coding(of: key.stringValue)
      let state = try coding.decodeState(from: container.superDecoder(forKey: key))
      base[key.stringValue] = numbers.recordedState(state, order: 0)
    }
    return base
  }

  private func entry(
    in container: KeyedDecodingContainer<Key>,
    _ numbers: inout StateNumbers
  ) throws -> RecorderEntry {
    let origin = try origin(in: container)
    var entry = RecorderEntry(
      id: try container.decode(Int.self, forKey: .id),
      origin: origin,
      changes: try changes(in: container, of: origin, &numbers)
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
    _ numbers: inout StateNumbers
  ) throws -> [RecordedChange] {
    var list = try container.nestedUnkeyedContainer(forKey: .changes)
    var changes: [RecordedChange] = []
    while !list.isAtEnd {
      let container = try list.nestedContainer(keyedBy: Key.self)
      let store = try container.decode(String.self, forKey: .store)
      let coding = try coding(of: store)
      let state = try coding.decodeState(from: container.superDecoder(forKey: .state))
      var mutation: ReplayableMutation?
      if case .action(let action) = origin, try container.decode(Bool.self, forKey: .reduced) {
        mutation = coding.reduction(of: action)
      }
      let order = try container.decode(Int.self, forKey: .order)
      let recorded = numbers.recordedState(state, order: order)
      var change = RecordedChange(store: store, state: recorded, mutation: mutation)
      if container.contains(.shown) {
        let shown = try coding.decodeState(from: container.superDecoder(forKey: .shown))
        change.shown = numbers.recordedState(shown, order: order)
      }
      changes.append(change)
    }
    return changes
  }

  private func check(
    _ entries: [RecorderEntry],
    in base: RecorderLog.States
  ) throws(RecorderError) {
    var ids: Set<Int> = []
    var orders: Set<Int> = []
    for entry in entries {
      guard (1...Self.lastNumber).contains(entry.id) else {
        throw .unreadable("The entry id \(entry.id) is not from 1 to \(Self.lastNumber).")
      }
      guard ids.insert(entry.id).inserted else {
        throw .unreadable("Two entries have the id \(entry.id).")
      }
      for change in entry.changes {
        guard base[change.store] != nil else {
          throw .unreadable(
            "Entry \(entry.id) changes the store \"\(change.store)\", which the base does not contain."
          )
        }
        guard (0...Self.lastNumber).contains(change.order) else {
          throw .unreadable(
            "Entry \(entry.id) has the commit order \(change.order), which is not from 0 to "
              + "\(Self.lastNumber)."
          )
        }
        guard change.order == 0 || orders.insert(change.order).inserted else {
          throw .unreadable("Two commits have the order \(change.order).")
        }
      }
    }
  }
}
