package import StrataJournal
package import StrataRecords

/// Whether a question about an entity continues with the entity that it was before a change of its ID or
/// table.
package enum Following: Sendable {
  case moves
  case nothing
}

/// An entity with the commits that gave its fields their values.
package struct BlamedEntity: Sendable {
  package struct Field: Sendable {
    package let name: String
    package let value: RecordValue
    /// Nil for a value that is older than the journal.
    package let commit: CommitSummary?
    /// Whether the entity no longer has the field: the commit is the one that removed it.
    package var isRemoved = false
  }

  /// Nil for a persisted value, which has no ID.
  package let id: RecordValue?
  package var fields: [Field]
}

/// The entities of a table with the commits that gave their fields their values.
package struct BlamePage: Sendable {
  package var entities: [BlamedEntity] = []
  /// The revision of the values.
  package let revision: Revision
  /// The oldest revision that can be read: a value without a commit is at least as old.
  package let oldest: Revision
  /// Whether the table has more entities than these.
  package var isCut = false
}

extension Inspector {
  /// The commits that gave the fields of entities the values that they have at a revision.
  ///
  /// The fields that an entity no longer has follow, with the commits that removed them.
  ///
  /// O(journal), and for a whole table O(snapshot); for one entity, one chunk of it is read. The versions of
  /// the returned entities are in memory.
  ///
  /// - Parameters:
  ///   - id: The ID of one entity, as a person writes it.
  ///   - field: One field only.
  ///   - limit: The most entities.
  ///   - following: Whether entities are followed back through a change of their ID or a rename of their table.
  /// - Throws: `.notFound` for a table or an entity that does not exist at the revision, and for a field that
  ///   no entity has had since the start of the journal.
  package func blame(
    table: String,
    id: String? = nil,
    field: String? = nil,
    at expression: RevisionExpression = .head(back: 0),
    limit: Int = .max,
    following: Following = .moves
  ) throws(PersistenceError) -> BlamePage {
    let page = try scanning { view, skipping in
      guard view.allTables.contains(table) else { throw noTable(table, among: view.allTables) }
      let revision = try view.revision(of: expression)
      let (scope, filter) = try view.entities(of: table, meantBy: id)
      let state = try view.state(at: revision, skipping: skipping, scope: scope)
      var entities: [StoredEntity] = []
      var scan = state.scan(table, filter)
      while entities.count <= limit, let entity = try scan.next() { entities.append(entity) }
      // A named snapshot may be older than the journal: then the origin of its values is unknown.
      let base = min(revision, view.oldest)
      let versions = try EntityVersions(
        of: table,
        .ids(Set(entities.prefix(limit).map { Array($0.id) })),
        from: base == revision ? state : try view.state(at: base, skipping: skipping, scope: scope),
        through: revision,
        in: view
      )
      var former = FormerRecords(in: view, id == nil ? .table : .entity, skipping: skipping)
      var page = BlamePage(revision: revision, oldest: base)
      page.isCut = entities.count > limit
      for entity in entities.prefix(limit) {
        let origins =
          following == .moves
          ? try former.origins(of: entity, versions)
          : try versions.origins(of: entity, view.catalog)
        let blamed = try BlamedEntity(entity, versions, origins, view.catalog, field)
        if !blamed.fields.isEmpty { page.entities.append(blamed) }
      }
      return page
    }
    guard page.entities.isEmpty else { return page }
    if let field {
      throw notFound("field \(field)\(id.map { " in entity \($0)" } ?? "") of \(table)")
    }
    if let id { throw try missing(id, in: table) }
    return page
  }
}

extension BlamedEntity {
  fileprivate init(
    _ entity: StoredEntity,
    _ versions: EntityVersions,
    _ origins: [EntityVersions.FieldOrigin],
    _ catalog: LayoutCatalog,
    _ field: String?
  ) throws {
    let isValue = StoredValues.name(ofTable: entity.table) != nil
    id = isValue ? nil : try EncodedID.value(of: Array(entity.id))
    fields = try origins.compactMap { origin in
      // The ID is left out unless it is asked for: it never changes.
      let isID = origin.name == "id" && EncodedID.bytes(of: origin.value)[...] == entity.id
      guard field.map({ $0 == origin.name }) ?? !isID else { return nil }
      return Field(
        name: origin.name,
        value: origin.value,
        commit: try origin.commit.map { try CommitSummary($0) }
      )
    }
    let present = Set(origins.map(\.name))
    for (name, removal) in try versions.removals(from: entity, present, catalog)
    where field.map({ $0 == name }) ?? true {
      fields.append(
        Field(name: name, value: .null, commit: try CommitSummary(removal), isRemoved: true)
      )
    }
  }
}

extension EntityVersions {
  /// The fields that an entity had and lacks now, each with the last commit that removed it.
  ///
  /// O(versions of the entity) if a layout of its table has a field that it lacks, else O(1).
  fileprivate func removals(
    from entity: StoredEntity,
    _ present: Set<String>,
    _ catalog: LayoutCatalog
  ) throws -> [(field: String, commit: DeltaHeader)] {
    let layouts = catalog.layouts(of: entity.table)
    guard layouts.contains(where: { $0.fields.contains { !present.contains($0.name) } }) else {
      return []
    }
    var removals: [(field: String, commit: DeltaHeader)] = []
    var known = present
    // The commit of the version after the one that is looked at.
    var removal: DeltaHeader?
    for version in versions(of: entity.id).reversed() {
      switch version.content {
      case .notPersisted: continue
      case .removed: return removals
      case .put(let layout, let record):
        for member in try catalog.members(layout, record[...], of: entity.table)
        where known.insert(member.name).inserted {
          if let removal { removals.append((member.name, removal)) }
        }
        removal = version.commit.map { commits[$0] }
      }
    }
    return removals
  }
}

extension BlamePage {
  /// A row for each field of each entity.
  ///
  /// - Parameter place: Whether the IDs are also in a table for people.
  package func rows(withIDs place: RowText.Column.Place = .everywhere) -> RowText {
    RowText(
      [.init("id", .whole, place), .init("field"), .init("value")] + CommitText.columns,
      entities.flatMap { entity in
        entity.fields.map { field in
          [
            entity.id.map { .value($0) } ?? .none, .text(field.name),
            field.isRemoved ? .none : .value(field.value),
          ] + CommitText.cells(field.commit, orAt: oldest)
        }
      }
    )
  }
}
