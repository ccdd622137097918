import StrataBase
package import StrataJournal

/// The entities whose last change is in memory alone, because their `encode(to:)` threw.
///
/// An entity is dropped from here when it is put again and encoded, or removed.
package struct UnpersistedEntities: Sendable {
  private struct Key: Hashable {
    let table: String
    let id: String
  }

  private struct Unpersisted {
    let entity: NotPersisted
    let revisions: ClosedRange<Revision>
  }

  private var byKey: [Key: Unpersisted] = [:]

  var isEmpty: Bool { byKey.isEmpty }

  /// All of them, ordered by table and ID.
  package var entities: [NotPersisted] {
    entities { _ in true }
  }

  /// Those that a commit changed, ordered by table and ID.
  package func entities(of revision: Revision) -> [NotPersisted] {
    entities { $0.revisions.contains(revision) }
  }

  private func entities(_ isWanted: (Unpersisted) -> Bool) -> [NotPersisted] {
    guard !byKey.isEmpty else { return [] }
    return byKey.values.filter(isWanted).map(\.entity)
      .inOrder { ($0.table, $0.id) < ($1.table, $1.id) }
  }

  /// Notes a group that was written.
  ///
  /// O(1) while there are none, else O(changes).
  mutating func note(_ group: [PendingDelta], refused: [UnpersistedChange]) {
    guard !byKey.isEmpty || !refused.isEmpty else { return }
    for delta in group {
      if !byKey.isEmpty {
        delta.changes.forEachEntity { table, id in byKey[Key(table: table, id: id)] = nil }
      }
      for change in refused where change.revision == delta.revision {
        let key = Key(table: change.entity.table, id: change.entity.id)
        byKey[key] = Unpersisted(entity: change.entity, revisions: delta.first...delta.revision)
      }
    }
  }
}

/// An entity that could not be encoded, and the delta that lacks it.
package struct UnpersistedChange {
  let entity: NotPersisted
  let revision: Revision
}
