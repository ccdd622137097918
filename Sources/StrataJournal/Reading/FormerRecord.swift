import StrataRecords

/// What an entity was before a delta gave it another ID, or its table another name.
package struct FormerRecord {
  package let entity: StoredEntity
  /// The delta that gave it another ID or table.
  package let commit: DeltaHeader
  package let versions: EntityVersions

  /// Looks through the blocks of the delta that added an entity.
  ///
  /// Among the records that the delta removed, the former one is the record with the same values except for
  /// the ID. Nil if the delta has no such record or several, or if history starts with it. O(entities that
  /// the delta removes).
  package init?(
    of key: EntityKey,
    _ versions: EntityVersions,
    in view: ReadView,
    skipping: Int = 0
  ) throws {
    guard let commit = versions.insertion(of: key.id), commit.first > view.oldest else {
      return nil
    }
    var replay = try view.changes(after: commit.first.previous)
    guard let (header, blocks) = try replay.next(), header.revision == commit.revision else {
      return nil
    }
    var added: [RecordValue.Member]?
    var removed: Set<EntityKey> = []
    for block in blocks {
      for entry in block.entries {
        switch entry.change {
        case .put(let layout, let record) where block.key(of: entry) == key:
          added = try view.catalog.members(layout, block.bytes[record], of: key.table)
        case .remove where block.table(of: entry) == key.table || block.id(of: entry) == key.id:
          removed.insert(block.key(of: entry))
        default: break
        }
      }
    }
    guard let added, !removed.isEmpty else { return nil }
    let before = commit.first.previous
    let state = try view.state(
      at: before,
      skipping: skipping,
      scope: .entities(Array(removed))
    )
    let wanted = Self.values(added)
    var found: [StoredEntity] = []
    for (table, keys) in Dictionary(grouping: removed, by: \.table) {
      var scan = state.scan(table, .ids(Set(keys.map { Array($0.id) })))
      while let entity = try scan.next() {
        let members = try view.catalog.members(entity.layout, entity.record, of: table)
        if Self.values(members) == wanted { found.append(entity) }
      }
    }
    // A table that was renamed keeps the ID.
    let sameID = found.filter { $0.id == key.id }
    guard let former = sameID.count == 1 ? sameID[0] : found.count == 1 ? found[0] : nil else {
      return nil
    }
    let base = min(before, view.oldest)
    self.entity = former
    self.commit = commit
    self.versions = try EntityVersions(
      of: former.table,
      .ids([Array(former.id)]),
      from: view.state(
        at: base,
        skipping: skipping,
        scope: .entities([former.key])
      ),
      through: before,
      in: view
    )
  }

  /// The values of a record besides its ID, in a canonical order: a field may have got another name.
  private static func values(_ members: [RecordValue.Member]) -> [String] {
    members.filter { $0.name != "id" && $0.value != .null }.map { $0.value.json() }.sorted()
  }
}

extension EntityVersions {
  /// The commit that last added an entity; nil if the entity was there at the oldest revision.
  package func insertion(of id: ArraySlice<UInt8>) -> DeltaHeader? {
    var insertion: Int?
    for version in (versions[Array(id)] ?? []).reversed() {
      switch version.content {
      case .notPersisted: continue
      case .removed: return insertion.map { commits[$0] }
      case .put:
        guard let commit = version.commit else { return nil }
        insertion = commit
      }
    }
    return insertion.map { commits[$0] }
  }
}
