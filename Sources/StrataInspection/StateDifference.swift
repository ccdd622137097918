package import StrataJournal
package import StrataRecords

/// How many entities of a table differ between two states.
package struct TableDifference: Codable, Sendable, Equatable {
  package var table: String
  package var added = 0
  package var removed = 0
  package var changed = 0

  package init(table: String) { self.table = table }

  package var count: Int { added + removed + changed }
}

/// How two states differ.
package struct StateDifference: Sendable {
  /// An entity, or a persisted value, that differs between two states.
  package struct Entity: Sendable {
    package enum Kind: String, Sendable {
      case added, removed, changed
    }

    package let table: String
    /// Nil for a persisted value, which has no ID.
    package let id: RecordValue?
    package let kind: Kind
    /// The fields that differ; all of them if only one side has the entity.
    package let fields: [FieldChange]
  }

  /// The revisions.
  package let from: Revision
  package let to: Revision
  /// The tables that differ, in the order of their names.
  package var tables: [TableDifference] = []
  /// The entities that differ, in the order of tables and IDs, up to a limit.
  package var entities: [Entity] = []

  /// How many entities differ.
  package var count: Int { tables.reduce(0) { $0 + $1.count } }
  /// How many of them are not listed.
  package var unlisted: Int { count - entities.count }
}

/// A state that is compared, and how its records are read.
struct ComparedState {
  let view: ReadView
  let state: EntityState

  /// The entity as fields.
  func members(_ entity: StoredEntity) throws -> [RecordValue.Member] {
    try view.catalog.members(entity.layout, entity.record, of: entity.table)
  }
}

/// Compares two states table by table, each in the order of its IDs.
struct StateComparison {
  let from: ComparedState
  let to: ComparedState
  /// How many entities are listed; the others are counted.
  let limit: Int
  let depth: FieldChange.Depth
  private(set) var difference: StateDifference
  /// Pairs of layout numbers that mean the same.
  private var equalLayouts: [Pair: Bool] = [:]

  /// An error from reading the first state.
  struct FirstStateError: Error {
    let cause: any Error
  }

  private struct Pair: Hashable {
    let from: Int64
    let to: Int64
  }

  init(
    from: ComparedState,
    to: ComparedState,
    limit: Int,
    _ depth: FieldChange.Depth = .members
  ) {
    self.from = from
    self.to = to
    self.limit = limit
    self.depth = depth
    difference = StateDifference(from: from.state.revision, to: to.state.revision)
  }

  /// Compares the entities of a table that pass a filter; O(entities).
  mutating func compare(_ table: String, _ filter: EntityFilter) throws {
    var oldScan = from.state.scan(table, filter)
    var newScan = to.state.scan(table, filter)
    var heads = (from: try readingFirst { try oldScan.next() }, to: try newScan.next())
    var counts = TableDifference(table: table)
    while heads.from != nil || heads.to != nil {
      let isFirst: Bool =
        if let from = heads.from, let to = heads.to { from.key <= to.key } else {
          heads.from != nil
        }
      let isSecond: Bool =
        if let from = heads.from, let to = heads.to { to.key <= from.key } else { heads.to != nil }
      let (old, new) = (isFirst ? heads.from : nil, isSecond ? heads.to : nil)
      if isFirst { heads.from = try readingFirst { try oldScan.next() } }
      if isSecond { heads.to = try newScan.next() }
      if let old, let new, try areSame(old, new) { continue }
      let fields = FieldChange.changes(
        from: try readingFirst { try old.map(from.members) ?? [] },
        to: try new.map(to.members) ?? [],
        depth
      )
      let kind: StateDifference.Entity.Kind = old == nil ? .added : new == nil ? .removed : .changed
      switch kind {
      case .added: counts.added += 1
      case .removed: counts.removed += 1
      case .changed where fields.isEmpty: continue
      case .changed: counts.changed += 1
      }
      guard difference.entities.count < limit, let id = (old ?? new)?.id else { continue }
      let isValue = StoredValues.name(ofTable: table) != nil
      difference.entities.append(
        StateDifference.Entity(
          table: table,
          id: isValue ? nil : try EncodedID.value(of: Array(id)),
          kind: kind,
          fields: fields
        )
      )
    }
    if counts.count > 0 { difference.tables.append(counts) }
  }

  private func readingFirst<R>(_ read: () throws -> R) throws(FirstStateError) -> R {
    do { return try read() } catch { throw FirstStateError(cause: error) }
  }

  /// Whether two records have the same bytes under the same layout.
  private mutating func areSame(_ old: StoredEntity, _ new: StoredEntity) throws -> Bool {
    guard old.record == new.record else { return false }
    let pair = Pair(from: old.layout, to: new.layout)
    if let known = equalLayouts[pair] { return known }
    let first = try readingFirst { try from.view.catalog.layout(old.layout).id }
    let areEqual = try first == to.view.catalog.layout(new.layout).id
    equalLayouts[pair] = areEqual
    return areEqual
  }
}

extension StateDifference {
  /// A row for each field that differs.
  package var rows: RowText {
    RowText(
      [.init("table"), .init("id"), .init("change"), .init("field"), .init("from"), .init("to")],
      entities.flatMap { entity in
        entity.fields.map { field in
          [
            .text(entity.table), entity.id.map { .value($0) } ?? .none,
            .text(entity.kind.rawValue), .text(field.field), field.from.map { .value($0) } ?? .none,
            field.to.map { .value($0) } ?? .none,
          ]
        }
      }
    )
  }
}
