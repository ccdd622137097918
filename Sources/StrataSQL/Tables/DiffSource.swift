import StrataColumns
import StrataJournal
import StrataRecords
import StrataSQLite

/// The entities that differ between two revisions: `users_diff('HEAD~10', 'HEAD')`.
final class DiffSource: TableSource {
  let name: String
  let columns: [Column]
  private let table: String
  private let entity: EntityColumns
  /// How many fields have their two columns.
  private let fields: Int

  /// SQLite's tables have at most 2,000 columns.
  private static let mostFields = 990

  init(_ name: String, _ table: String, _ layouts: [Layout]) {
    self.name = name
    self.table = table
    var own = UniqueNames()
    entity = EntityColumns(layouts, names: &own)
    fields = min(entity.fields.count, Self.mostFields)
    var names = UniqueNames(taken: Set(arguments))
    var columns = [
      Column(names.add("id"), entity.columns[0].kind, .composed),
      Column(names.add("change"), .string),
    ]
    for side in ["from", "to"] {
      for column in entity.columns.dropFirst().prefix(fields) {
        columns.append(Column(names.add("\(side)_\(column.name)"), column.kind, column.spelling))
      }
    }
    self.columns = columns
  }

  let arguments = ["from:revision", "to:revision"]
  var narrowing: [Int] { [0] }
  var ordering: Int? { entity.columns[0].kind.sortsAsID ? 0 : nil }

  func rows(
    _ arguments: [Value],
    _ conditions: [Condition],
    used: Set<Int>,
    in context: QueryContext
  ) throws -> any TableRows {
    let filter = EntityFilter(conditions, ofIDKind: entity.columns[0].kind)
    let states = try arguments.map { try context.state(at: try context.revision($0)) }
    let fields = fields
    return DiffRows(
      states.map { $0.scan(table, filter) },
      [2, 2 + fields].map { first in
        let own = used.filter { $0 >= first && $0 < first + fields }.map { $0 - first + 1 }
        return EntityReader(entity, context.view.catalog, used: own)
      },
      fields: fields,
      context
    )
  }
}

private final class DiffRows: TableRows {
  private var scans: [EntityScan]
  private var readers: [EntityReader]
  private var heads: [StoredEntity?] = [nil, nil]
  private let fields: Int
  private let context: QueryContext
  private var isStarted = false
  private var change = ""

  init(_ scans: [EntityScan], _ readers: [EntityReader], fields: Int, _ context: QueryContext) {
    self.scans = scans
    self.readers = readers
    self.fields = fields
    self.context = context
  }

  func next() throws -> Bool {
    if !isStarted {
      isStarted = true
      for side in 0...1 { heads[side] = try scans[side].next() }
    }
    while true {
      try context.checkTime()
      let (from, to) = (heads[0], heads[1])
      let hasFrom = from.map { from in to.map { from.key <= $0.key } ?? true } ?? false
      let hasTo = to.map { to in from.map { to.key <= $0.key } ?? true } ?? false
      guard hasFrom || hasTo else { return false }
      if hasFrom { heads[0] = try scans[0].next() }
      if hasTo { heads[1] = try scans[1].next() }
      readers[0].move(to: from?.id)
      readers[1].move(to: to?.id)
      switch (hasFrom ? from : nil, hasTo ? to : nil) {
      case (let from?, let to?):
        if try context.areEqual(from, to) { continue }
        change = "changed"
        readers[0].move(to: from)
        readers[1].move(to: to)
      case (let from?, nil):
        change = "removed"
        readers[0].move(to: from)
        readers[1].move(to: from.id)
      case (nil, let to?):
        change = "added"
        readers[0].move(to: to.id)
        readers[1].move(to: to)
      case (nil, nil): return false
      }
      return true
    }
  }

  func value(_ index: Int) throws -> Value {
    switch index {
    case 0: return try readers[0].value(0)
    case 1: return .text(change)
    default:
      let side = index - 2 < fields ? 0 : 1
      return try readers[side].value(index - 2 - side * fields + 1)
    }
  }
}
