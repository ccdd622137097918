extension Recording: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.format, forKey: .format)
    try container.encode(log.position, forKey: .position)

    var base = container.nestedContainer(keyedBy: StoreKey.self, forKey: .base)
    for (store, moment) in log.base {
      try encode(moment, of: store, to: base.superEncoder(forKey: StoreKey(stringValue: store)))
    }
    var entries = container.nestedUnkeyedContainer(forKey: .entries)
    for entry in log.entries {
      var container = entries.nestedContainer(keyedBy: Key.self)
      try encode(entry, in: &container)
    }
  }

  private func encode(_ moment: StoreMoment, of store: String, to encoder: any Encoder) throws {
    try coding(of: store).encode(moment.state, to: encoder)
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
        // The stores that answered it are gone, and all that it did with them.
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
      try encode(change.moment, of: change.store, to: container.superEncoder(forKey: .state))
      if change.shown.stamp != change.moment.stamp {
        try encode(change.shown, of: change.store, to: container.superEncoder(forKey: .shown))
      }
    }
  }
}
