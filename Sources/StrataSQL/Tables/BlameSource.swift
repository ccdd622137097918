import StrataColumns
import StrataInspection
import StrataJournal
import StrataRecords
import StrataSQLite

/// Which commit gave each field of each entity its value: `users_blame`.
///
/// A row for each field that an entity has at the revision of the query, also from before a migration gave it its ID or
/// the table its name. A value that is older than the journal has the oldest revision that can be read, and no commit.
///
/// It holds the versions that the journal has of the entities, so its memory is about the size of their
/// records there; with a condition on the ID it is that of one entity.
final class BlameSource: TableSource {
  let name: String
  let columns: [Column]
  private let table: String
  private let entity: EntityColumns

  init(_ name: String, _ table: String, _ layouts: [Layout]) {
    self.name = name
    self.table = table
    var names = UniqueNames()
    entity = EntityColumns(layouts, names: &names)
    columns =
      [entity.columns[0], Column("field", .string), Column("value", .any)] + CommitColumns.all
  }

  var narrowing: [Int] { [0] }
  var ordering: Int? { entity.columns[0].kind.sortsAsID ? 0 : nil }

  func rows(
    _ arguments: [Value],
    _ conditions: [Condition],
    used: Set<Int>,
    in context: QueryContext
  ) throws -> any TableRows {
    let filter = EntityFilter(conditions, ofIDKind: entity.columns[0].kind)
    // A named snapshot may be older than the journal: then the origin of its values is unknown.
    let oldest = min(context.revision, context.view.oldest)
    let versions = try EntityVersions(
      of: table,
      filter,
      from: try context.state(at: oldest),
      through: context.revision,
      in: context.view,
      check: { try context.checkTime() }
    )
    return BlameRows(
      versions,
      FormerRecords(in: context.view, Self.extent(filter)),
      try context.state(at: context.revision).scan(table, filter),
      idKind: entity.columns[0].kind,
      context
    )
  }

  private static func extent(_ filter: EntityFilter) -> FormerRecords.Extent {
    if case .ids = filter { .entity } else { .table }
  }
}

private final class BlameRows: TableRows {
  private let versions: EntityVersions
  private var former: FormerRecords
  private var scan: EntityScan
  private let idKind: ColumnKind
  private let context: QueryContext
  private var id: Value = .null
  private var fields: ArraySlice<EntityVersions.FieldOrigin> = []
  private var current: EntityVersions.FieldOrigin?

  init(
    _ versions: EntityVersions,
    _ former: FormerRecords,
    _ scan: EntityScan,
    idKind: ColumnKind,
    _ context: QueryContext
  ) {
    self.versions = versions
    self.former = former
    self.scan = scan
    self.idKind = idKind
    self.context = context
  }

  func next() throws -> Bool {
    while fields.isEmpty {
      try context.checkTime()
      guard let entity = try scan.next() else { return false }
      id = try ColumnValue.value(ofID: entity.id, of: idKind)
      var origins = try former.origins(of: entity, versions)
      origins.removeAll {
        $0.name == "id" && EncodedID.bytes(of: $0.value)[...] == entity.id
      }
      fields = origins[...]
    }
    current = fields.popFirst()
    return true
  }

  func value(_ index: Int) throws -> Value {
    guard let current else { return .null }
    switch index {
    case 0: return id
    case 1: return .text(current.name)
    case 2: return ColumnValue.value(current.value, of: .any)
    default: return CommitColumns.value(index - 3, current.commit, or: versions.oldest)
    }
  }
}
