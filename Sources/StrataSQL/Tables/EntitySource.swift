import StrataColumns
import StrataJournal
import StrataMaintaining
import StrataRecords
import StrataSQLite

/// An entity table: `users` at the revision of the query, or `users_at(REV)` at any other.
final class EntitySource: TableSource {
  enum Moment {
    case ofQuery, argument
  }

  let name: String
  let columns: [Column]
  /// The table of the store.
  let table: String
  private let entity: EntityColumns
  private let layouts: [Layout]
  /// The fields that a migration has dropped by the revision.
  let hidden: Set<String>
  private let former: Set<String>
  private let moment: Moment

  /// - Parameters:
  ///   - hidden: Fields whose columns were dropped.
  ///   - former: Fields whose columns were dropped later.
  init(
    _ name: String,
    _ table: String,
    _ layouts: [Layout],
    hiding hidden: Set<String> = [],
    naming former: Set<String> = [],
    _ moment: Moment
  ) {
    var names = UniqueNames(taken: moment == .argument ? [RevisionArgument.name] : [])
    self.name = name
    self.table = table
    self.moment = moment
    (self.layouts, self.hidden, self.former) = (layouts, hidden, former)
    entity = EntityColumns(layouts, names: &names, hiding: hidden, first: former)
    columns = entity.columns + [Column(names.add(EntityColumns.record), .json, isHidden: true)]
  }

  var arguments: [String] { moment == .argument ? [RevisionArgument.name] : [] }
  var narrowing: [Int] { [0] }

  /// The column of each field.
  var columnsOfFields: [String: Column] {
    Dictionary(
      zip(entity.fields, entity.columns.dropFirst()),
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The expression of SQL for a part of a value, by a path such as `contact.email` or `lines[0].note`; nil if no layout has
  /// one there.
  func part(at path: String) -> String? {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map { part in
      let name = part.prefix { $0 != "[" }
      let index = part.dropFirst(name.count)
      return (name: String(name), index: String(index))
    }
    let isPath = names.allSatisfy { name, index in
      !name.isEmpty && !name.contains("\"")
        && index.wholeMatch(of: /(\[[0-9]{1,9}\])*/) != nil
    }
    guard isPath, names.count > 1 || names.contains(where: { !$0.index.isEmpty }),
      let column = columnsOfFields.first(where: { $0.key == names[0].name })?.value,
      column.kind == .json || column.kind == .any
    else { return nil }
    var findings = Layout.PathFindings()
    for layout in layouts { layout.find(FieldPath(path), &findings) }
    guard findings.hasValues || findings.isOpen || !findings.ids.isEmpty else { return nil }
    let steps = names.dropFirst().map { ".\"\($0.name)\"\($0.index)" }.joined()
    let literal = "$\(names[0].index)\(steps)".replacing(scalar: "'", with: "''")
    let name = SQLName.quoted(column.name)
    // A column of any kind may hold texts that are no JSON.
    return "CASE WHEN json_valid(\(name)) THEN json_extract(\(name), '\(literal)') END"
  }

  /// The columns of a table that has every field of its records, also of those that no layout lists.
  ///
  /// - Throws: `RecordError`, for more fields than a layout may have.
  func columns(with used: FieldsInUse) throws(RecordError) -> EntityColumns {
    let listed = Set(layouts.flatMap(\.fields).map(\.name))
    let others = used.fields.filter { !listed.contains($0.name) || $0.kind == .tagged }
    var names = UniqueNames()
    return EntityColumns(
      (others.isEmpty ? [] : [try Layout(others)]) + layouts,
      names: &names,
      hiding: hidden.subtracting(used.used),
      first: former,
      most: .max
    )
  }

  var ordering: Int? { entity.columns[0].kind.sortsAsID ? 0 : nil }

  func rows(
    _ arguments: [Value],
    _ conditions: [Condition],
    used: Set<Int>,
    in context: QueryContext
  ) throws -> any TableRows {
    let revision = try arguments.first.map { try context.revision($0) } ?? context.revision
    let filter = EntityFilter(conditions, ofIDKind: entity.columns[0].kind)
    return EntityRows(
      try context.scan(table, filter, at: revision),
      EntityReader(entity, context.view.catalog, used: used),
      context
    )
  }
}

/// The argument of a table-valued function that takes a revision.
enum RevisionArgument {
  static let name = "at:revision"
}

/// The entities of one table.
private final class EntityRows: TableRows {
  private var scan: EntityScan
  private var reader: EntityReader
  private let context: QueryContext

  init(_ scan: EntityScan, _ reader: EntityReader, _ context: QueryContext) {
    self.scan = scan
    self.reader = reader
    self.context = context
  }

  func next() throws -> Bool {
    try context.checkTime()
    guard let entity = try scan.next() else { return false }
    reader.move(to: entity)
    return true
  }

  func column(_ index: Int, _ result: ColumnResult) throws { try reader.set(index, result) }

  func value(_ index: Int) throws -> Value { try reader.value(index) }
}
