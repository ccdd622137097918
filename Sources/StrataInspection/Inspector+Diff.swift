package import StrataJournal
import StrataRecords

extension Inspector {
  /// How the states at two revisions differ, entity by entity and field by field.
  ///
  /// O(the deltas between them, and those since the nearest snapshots); where a revision is older than the
  /// journal, or very many entities changed, O(entities).
  ///
  /// - Parameters:
  ///   - table: One table only.
  ///   - id: With a table: one entity only, as a person writes its ID.
  ///   - limit: How many entities are listed; the others are counted.
  ///   - depth: Whether a nested object is compared as a whole or by its members.
  /// - Throws: `.notFound` for a table that the file does not have.
  package func diff(
    _ span: RevisionSpan,
    table: String? = nil,
    id: String? = nil,
    limit: Int = .max,
    depth: FieldChange.Depth = .members
  ) throws(PersistenceError) -> StateDifference {
    try scanning { view, skipping in
      if let table, !view.allTables.contains(table) {
        throw noTable(table, among: view.allTables)
      }
      let (start, end) = (try view.revision(of: span.start), try view.revision(of: span.end))
      let changed =
        id == nil
        ? try view.changed(between: min(start, end), and: max(start, end), in: table) : nil
      let own = try table.map { try view.entities(of: $0, meantBy: id) }
      let scope = Self.scope(of: changed) ?? own?.scope ?? .everything
      func state(_ revision: Revision) throws -> ComparedState {
        ComparedState(
          view: view,
          state: try view.state(at: revision, skipping: skipping, scope: scope)
        )
      }
      let from = try state(start)
      var comparison = StateComparison(
        from: from,
        to: start == end ? from : try state(end),
        limit: limit,
        depth
      )
      for name in view.allTables.sortedAsBytes() where table.map({ $0 == name }) ?? true {
        let ids = changed.map { $0[name] ?? [] }
        if let ids, ids.isEmpty { continue }
        let filter = ids.map { .ids($0) } ?? own?.filter ?? .all
        do { try comparison.compare(name, filter) } catch let error
          as StateComparison.FirstStateError
        { throw error.cause }
      }
      return comparison.difference
    }
  }

  /// The scope of the changed entities, if they are known: then the changes of others are not held in memory.
  private static func scope(of changed: [String: Set<[UInt8]>]?) -> ReadScope? {
    changed.map { changed in
      .entities(changed.flatMap { table, ids in ids.map { EntityKey(table: table, id: $0[...]) } })
    }
  }

  /// How the state of another file differs from that of this one.
  ///
  /// O(entities of both).
  ///
  /// - Throws: `.notFound` for a table that neither file has.
  package func compare(
    with other: Inspector,
    at expression: RevisionExpression = .head(back: 0),
    table: String? = nil,
    limit: Int = .max
  ) throws(PersistenceError) -> StateDifference {
    try scanning { view, skipping in
      let scope = table.map { ReadScope.table($0) } ?? .everything
      let from = ComparedState(
        view: view,
        state: try view.state(
          at: try view.revision(of: expression),
          skipping: skipping,
          scope: scope
        )
      )
      let result = try other.scanning { otherView, otherSkipping in
        let to = ComparedState(
          view: otherView,
          state: try otherView.state(
            at: try otherView.revision(of: expression),
            skipping: otherSkipping,
            scope: scope
          )
        )
        var comparison = StateComparison(from: from, to: to, limit: limit)
        let tables = view.allTables.union(otherView.allTables)
        if let table, !tables.contains(table) { throw noTable(table, among: tables) }
        do {
          for name in tables.sortedAsBytes() where table.map({ $0 == name }) ?? true {
            try comparison.compare(name, .all)
          }
        } catch let error as StateComparison.FirstStateError {
          // The damage is in this store, so the caller reads it again, with an older snapshot.
          return Result<StateDifference, any Error>.failure(error.cause)
        }
        return .success(comparison.difference)
      }
      return try result.get()
    }
  }
}

extension Set<String> {
  /// The names in the order of snapshots.
  package func sortedAsBytes() -> [String] {
    sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

extension ReadView {
  /// The most entities that are named: their keys are held in memory.
  private static let namedLimit = 20_000

  /// The encoded IDs of the entities that deltas after a revision changed, by table, for all tables or for
  /// one; nil if the journal does not go back so far, or if there are too many.
  fileprivate func changed(
    between start: Revision,
    and end: Revision,
    in table: String?
  ) throws -> [String: Set<[UInt8]>]? {
    guard start.next >= first ?? last.revision.next else { return nil }
    var changed: [String: Set<[UInt8]>] = [:]
    var count = 0
    var changes = try changes(after: start)
    while changes.revision < end, let (_, blocks) = try changes.next() {
      for block in blocks {
        for entry in block.entries where table.map({ $0 == block.table(of: entry) }) ?? true {
          let id = Array(block.id(of: entry))
          if changed[block.table(of: entry), default: []].insert(id).inserted { count += 1 }
        }
        guard count <= Self.namedLimit else { return nil }
      }
    }
    return changed
  }
}
