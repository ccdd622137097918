/// The last change of every entity that a run of deltas touched.
///
/// It holds the parts of the deltas whole, so its memory is about their bytes.
struct Overlay {
  private enum Slot {
    case put(part: Int, entry: Int)
    case remove
  }

  private var parts: [Part] = []
  private var slots: [EntityKey: Slot] = [:]

  var isEmpty: Bool { slots.isEmpty }

  /// Lays a part over what was there.
  ///
  /// What could not be persisted leaves what was there. O(entries).
  mutating func add(_ part: Part) {
    for (index, entry) in part.entries.enumerated() {
      let key = EntityKey(table: part.table(of: entry), id: part.id(of: entry))
      switch entry.change {
      case .put: slots[key] = .put(part: parts.count, entry: index)
      case .remove: slots[key] = .remove
      case .notPersisted: continue
      }
    }
    parts.append(part)
  }

  /// Every entity that was touched, in the order of a snapshot; nil for one that was removed.
  func sorted() -> [(key: EntityKey, entity: StoredEntity?)] {
    slots.sorted { $0.key < $1.key }.map { key, slot in (key, entity(slot, key)) }
  }

  private func entity(_ slot: Slot, _ key: EntityKey) -> StoredEntity? {
    guard case .put(let part, let entry) = slot,
      case .put(let layout, let record) = parts[part].entries[entry].change
    else { return nil }
    let bytes = parts[part].bytes
    return StoredEntity(table: key.table, id: key.id, layout: layout, record: bytes[record])
  }
}
