extension Recording: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.format, forKey: .format)
    try container.encode(log.position, forKey: .position)

    try encode(log.base, in: &container, forKey: .base)
    var entries = container.nestedUnkeyedContainer(forKey: .entries)
    for (entry, worked) in zip(log.entries, log.worked) {
      var container = entries.nestedContainer(keyedBy: Key.self)
      try encode(entry, in: &container)
      try encode(worked, in: &container, forKey: .shown)
    }
  }

  private func encode(
    _ moment: RecorderLog.Moment,
    in container: inout KeyedEncodingContainer<Key>,
    forKey key: Key
  ) throws {
    var container = container.nestedContainer(keyedBy: StoreKey.self, forKey: key)
    for (store, moment) in moment {
      let key = StoreKey(stringValue: store)
      try coding(of: store).encode(moment.state, to: container.superEncoder(forKey: key))
    }
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
      // Any store that answers it can write it, and read it again.
      let answering = codings.keys.sorted().first { codings[$0]?.reduction(of: action) != nil }
      guard let store = answering else {
        throw RecorderError.notCodable(store: "", type: "\(type(of: action))")
      }
      var container = container.nestedContainer(keyedBy: Key.self, forKey: .action)
      try container.encode(store, forKey: .store)
      try coding(of: store).encode(action, to: container.superEncoder(forKey: .value))
    }
    var changes = container.nestedUnkeyedContainer(forKey: .changes)
    for change in entry.changes {
      var container = changes.nestedContainer(keyedBy: Key.self)
      try container.encode(change.store, forKey: .store)
      try container.encode(change.mutation?.isReduction == true, forKey: .reduced)
      try coding(of: change.store)
        .encode(change.moment.state, to: container.superEncoder(forKey: .state))
    }
  }
}
