/// The entities whose last change is in memory alone, as their `encode(to:)` refused it.
///
/// An entity leaves when it is put again and encoded, or removed.
package struct UnpersistedEntities: Sendable {
  private struct Key: Hashable {
    let table: String
    let id: String
  }

  private struct Refused {
    let entity: NotPersisted
    let revisions: ClosedRange<Revision>
  }

  private var byKey: [Key: Refused] = [:]

  var isEmpty: Bool { byKey.isEmpty }

  /// In the order of tables and IDs.
  package var entities: [NotPersisted] {
    byKey.values.map(\.entity).sorted { ($0.table, $0.id) < ($1.table, $1.id) }
  }

  /// Those of them that a commit changed.
  package func entities(of revision: Revision) -> [NotPersisted] {
    guard !byKey.isEmpty else { return [] }
    return byKey.values.filter { $0.revisions.contains(revision) }.map(\.entity)
      .sorted { ($0.table, $0.id) < ($1.table, $1.id) }
  }

  /// Takes note of a group that was written.
  ///
  /// Free while nothing was ever refused, else O(changes).
  mutating func note(_ group: [PendingDelta], refused: [UnpersistedChange]) {
    guard !byKey.isEmpty || !refused.isEmpty else { return }
    for delta in group {
      if !byKey.isEmpty {
        delta.changes.forEachEntity { table, id in byKey[Key(table: table, id: id)] = nil }
      }
      for refusal in refused where refusal.revision == delta.revision {
        let key = Key(table: refusal.entity.table, id: refusal.entity.id)
        byKey[key] = Refused(entity: refusal.entity, revisions: delta.first...delta.revision)
      }
    }
  }

}

/// An entity that could not be encoded, and the delta that lacks it.
struct UnpersistedChange {
  let entity: NotPersisted
  let revision: Revision
}
