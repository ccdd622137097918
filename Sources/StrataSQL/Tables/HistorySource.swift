import StrataColumns
import StrataJournal
import StrataRecords
import StrataSQLite

/// Every version of every entity that the file still has: `users_history`.
///
/// The versions at the oldest revision that can be read come first, then the changes of the journal, in its
/// order, up to the revision of the query.
final class HistorySource: TableSource {
  let name: String
  let columns: [Column]
  private let table: String
  private let entity: EntityColumns

  init(_ name: String, _ table: String, _ layouts: [Layout]) {
    self.name = name
    self.table = table
    let commit = CommitColumns.all + [Column("op", .string)]
    var names = UniqueNames(taken: Set(commit.map(\.name)))
    entity = EntityColumns(layouts, names: &names)
    columns =
      commit + entity.columns + [Column(names.add(EntityColumns.record), .json, isHidden: true)]
  }

  private var idColumn: Int { CommitColumns.all.count + 1 }
  var narrowing: [Int] { [0, idColumn] }

  func rows(
    _ arguments: [Value],
    _ conditions: [Condition],
    used: Set<Int>,
    in context: QueryContext
  ) throws -> any TableRows {
    let idColumn = idColumn
    let filter = EntityFilter(
      conditions.filter { $0.column == idColumn },
      ofIDKind: entity.columns[0].kind
    )
    let revisions = RevisionRange(conditions.filter { $0.column == 0 })
    let oldest = context.view.oldest
    let base = revisions.contains(oldest) ? try context.state(at: oldest).scan(table, filter) : nil
    let start = max(oldest, revisions.start.previous)
    return HistoryRows(
      base: base,
      oldest: oldest,
      EntityChanges(
        of: table,
        filter,
        in: try context.changes(after: start),
        through: min(context.revision, revisions.end)
      ),
      EntityReader(entity, context.view.catalog, used: used.map { $0 - idColumn }),
      context
    )
  }
}

private final class HistoryRows: TableRows {
  private var base: EntityScan?
  private let oldest: Revision
  private var changes: EntityChanges
  private var reader: EntityReader
  private let context: QueryContext

  private var commit: DeltaHeader?
  private var operation = "base"

  init(
    base: EntityScan?,
    oldest: Revision,
    _ changes: EntityChanges,
    _ reader: EntityReader,
    _ context: QueryContext
  ) {
    self.base = base
    self.oldest = oldest
    self.changes = changes
    self.reader = reader
    self.context = context
  }

  func next() throws -> Bool {
    if let entity = try base?.next() {
      try context.checkTime()
      reader.move(to: entity)
      return true
    }
    base = nil
    while let change = try changes.next(check: { try context.checkTime() }) {
      switch change.entry.change {
      case .put(let layout, let record):
        operation = "put"
        reader.move(to: change.id, layout: layout, record: change.block.bytes[record])
      case .remove:
        operation = "remove"
        reader.move(to: change.id)
      case .notPersisted: continue
      }
      commit = change.commit
      return true
    }
    return false
  }

  func value(_ index: Int) throws -> Value {
    let commitColumns = CommitColumns.all.count
    if index < commitColumns { return CommitColumns.value(index, commit, or: oldest) }
    if index == commitColumns { return .text(operation) }
    return try reader.value(index - commitColumns - 1)
  }

  func column(_ index: Int, _ result: ColumnResult) throws {
    let first = CommitColumns.all.count + 1
    if index >= first {
      try reader.set(index - first, result)
    } else {
      result.set(try value(index))
    }
  }
}

/// The columns that say which commit a row is of.
enum CommitColumns {
  static let all = [
    Column("revision", .int64), Column("commit_time", .date), Column("commit_name", .string),
    Column("commit_place", .string),
  ]

  /// The value of a column for a commit; without one, for a version that was there at the oldest revision.
  static func value(_ index: Int, _ commit: DeltaHeader?, or oldest: Revision) -> Value {
    guard let commit else { return index == 0 ? .integer(oldest.number) : .null }
    return switch index {
    case 0: .integer(commit.revision.number)
    case 1: .text(Timestamp.text(microseconds: commit.time))
    case 2: .text(commit.name)
    default: .text(commit.place)
    }
  }
}

/// The revisions that may meet conditions on a column of revisions.
struct RevisionRange {
  private(set) var start: Revision = 0
  private(set) var end = Revision(.max)

  init(_ conditions: [Condition]) {
    for condition in conditions {
      let numbers = condition.values.compactMap { value -> Int64? in
        if case .integer(let number) = value { number } else { nil }
      }
      // SQLite may convert other values before it compares them.
      guard numbers.count == condition.values.count, let low = numbers.min(),
        let high = numbers.max()
      else { continue }
      if [.equal, .greater, .greaterOrEqual].contains(condition.comparison) {
        start = max(start, Revision(max(0, low)))
      }
      if [.equal, .less, .lessOrEqual].contains(condition.comparison) {
        end = min(end, Revision(high))
      }
    }
  }

  func contains(_ revision: Revision) -> Bool { start <= revision && revision <= end }
}
