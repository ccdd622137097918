package import StrataJournal
package import StrataRecords

extension EntityVersions {
  /// A field of an entity, and the commit that gave it its value.
  package struct FieldOrigin {
    package let name: String
    package let value: RecordValue
    /// Nil for a value that is older than the journal.
    package let commit: DeltaHeader?

    /// The same field with another commit.
    package func since(_ commit: DeltaHeader?) -> FieldOrigin {
      FieldOrigin(name: name, value: value, commit: commit)
    }
  }

  /// The fields of an entity, each with the commit that gave it its value.
  ///
  /// O(versions of the entity).
  ///
  /// - Parameter end: The revision before which the entity is looked at; nil for the last one.
  package func origins(
    of entity: StoredEntity,
    before end: Revision? = nil,
    _ catalog: LayoutCatalog
  ) throws -> [FieldOrigin] {
    let members = try catalog.members(entity.layout, entity.record, of: table)
    var origins: [String: DeltaHeader] = [:]
    var open = Set(members.map(\.name))
    var versions = versions(of: entity.id, before: end)
    versions.removeAll { if case .notPersisted = $0.content { true } else { false } }
    var current = members
    // From the newest version backwards: a field is done at the first version that differs.
    while let version = versions.popLast(), let number = version.commit, !open.isEmpty {
      var before: [RecordValue.Member] = []
      if case .put(let layout, let record)? = versions.last?.content {
        before = try catalog.members(layout, record[...], of: table)
      }
      for member in current where open.contains(member.name) {
        if before.first(where: { $0.name == member.name })?.value != member.value {
          origins[member.name] = commits[number]
          open.remove(member.name)
        }
      }
      current = before
    }
    return members.map { FieldOrigin(name: $0.name, value: $0.value, commit: origins[$0.name]) }
  }
}

extension FormerRecords {
  /// The fields of an entity with the commits that gave them their values, also before it had its key.
  ///
  /// O(versions of the entity).
  package mutating func origins(
    of entity: StoredEntity,
    _ versions: EntityVersions,
    before end: Revision? = nil
  ) throws -> [EntityVersions.FieldOrigin] {
    let origins = try versions.origins(of: entity, before: end, view.catalog)
    guard let former = try former(of: entity.id, versions, before: end) else { return origins }
    let before = try self.origins(
      of: former.entity,
      former.versions,
      before: former.commit.revision
    )
    let names = Set(origins.map(\.name))
    return origins.map { origin in
      guard origin.commit?.revision == former.commit.revision else { return origin }
      let same = before.filter { $0.value == origin.value }
      let renamed = same.filter { !names.contains($0.name) }
      let match = same.first { $0.name == origin.name } ?? (renamed.count == 1 ? renamed[0] : nil)
      return match.map { origin.since($0.commit) } ?? origin
    }
  }
}
