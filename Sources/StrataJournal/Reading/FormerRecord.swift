import StrataBase
import StrataRecords

/// Reads what entities were before migrations gave them other IDs, or their tables other names.
package struct FormerRecords {
  /// How much is read of a table at the first question about it.
  package enum Extent {
    /// The entity that is asked for.
    case entity
    /// All that have changed.
    case table
  }

  /// An entity before it got another key.
  package struct Former {
    package let entity: StoredEntity
    /// The delta that gave it the other key.
    package let commit: DeltaHeader
    /// Its versions, and later ones.
    package let versions: EntityVersions
  }

  package let view: ReadView
  private let extent: Extent
  private let skipping: Int
  private var tables: [String: EntityVersions] = [:]

  package init(in view: ReadView, _ extent: Extent, skipping: Int = 0) {
    (self.view, self.extent, self.skipping) = (view, extent, skipping)
  }

  /// What an entity was before; nil if it was new with its key, or has had it since the oldest revision.
  ///
  /// O(versions of the entity), or those of its former table at the first question about that.
  ///
  /// - Parameter end: The revision before which the entity is looked at; nil for the last one.
  package mutating func former(
    of id: ArraySlice<UInt8>,
    _ versions: EntityVersions,
    before end: Revision? = nil
  ) throws -> Former? {
    guard let (commit, former) = versions.move(of: id, before: end) else { return nil }
    let earlier = try self.versions(of: former, before: commit)
    guard let entity = earlier.entity(former.id, before: commit.revision) else {
      throw CorruptionError(
        "delta \(commit.revision) moves \(former.table) \(EncodedID.text(of: former.id)), which was not there"
      )
    }
    return Former(entity: entity, commit: commit, versions: earlier)
  }

  private mutating func versions(
    of key: EntityKey,
    before commit: DeltaHeader
  ) throws -> EntityVersions {
    switch extent {
    case .entity:
      let end = commit.first.previous
      return try EntityVersions(
        of: key.table,
        .ids([Array(key.id)]),
        from: view.state(
          at: min(end, view.oldest),
          skipping: skipping,
          scope: .entities([key])
        ),
        through: end,
        in: view
      )
    case .table:
      if let known = tables[key.table] { return known }
      let versions = try EntityVersions(
        of: key.table,
        .all,
        from: view.state(at: view.oldest, skipping: skipping),
        through: view.last.revision,
        in: view
      )
      tables[key.table] = versions
      return versions
    }
  }
}
