import StrataColumns
import StrataJournal
import StrataRecords
import StrataSQLite

/// Every version of every entity that the file still has: `users_history`.
///
/// The versions at the oldest revision that can be read come first, then the changes of the journal, in its
/// order, up to the revision of the query. What an entity was before a migration gave it its ID, or the table its name,
/// is under the ID that it has in the end.
final class HistorySource: TableSource {
  let name: String
  let columns: [Column]
  private let table: String
  private let entity: EntityColumns

  /// The columns before those of the entity.
  fileprivate static let ofCommit =
    CommitColumns.all + [Column("op", .string), Column("former", .string)]

  init(_ name: String, _ table: String, _ layouts: [Layout]) {
    self.name = name
    self.table = table
    var names = UniqueNames(taken: Set(Self.ofCommit.map(\.name)))
    entity = EntityColumns(layouts, names: &names)
    columns =
      Self.ofCommit + entity.columns
      + [Column(names.add(EntityColumns.record), .json, isHidden: true)]
  }

  private var idColumn: Int { Self.ofCommit.count }
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
    let start = max(oldest, revisions.start.previous)
    let end = min(context.revision, revisions.end)
    let moves = try EntityMoves(
      into: table,
      in: context.view,
      after: oldest,
      through: context.revision
    )
    let filters = filters(filter, moves)
    return HistoryRows(
      of: table,
      moves,
      bases: revisions.contains(oldest)
        ? try filters.map { try context.state(at: oldest).scan($0.table, $0.filter) } : [],
      oldest: oldest,
      changes: try filters.map { table, filter in
        EntityChanges(of: table, filter, in: try context.changes(after: start), through: end)
      },
      EntityReader(entity, context.view.catalog, used: used.map { $0 - idColumn }),
      context
    )
  }

  /// What is read of the table, and of those that its entities were in.
  private func filters(
    _ filter: EntityFilter,
    _ moves: EntityMoves
  ) -> [(table: String, filter: EntityFilter)] {
    if moves.isEmpty { return [(table, filter)] }
    let tables = [table] + moves.formerTables.sorted()
    guard case .ids(let ids) = filter else { return tables.map { ($0, .all) } }
    let keys = moves.formerKeys(of: Set(ids.map { EntityKey(table: table, id: $0[...]) }))
    let byTable = Dictionary(grouping: keys, by: \.table)
    return tables.map { ($0, .ids(Set((byTable[$0] ?? []).map { Array($0.id) }))) }
  }
}

private final class HistoryRows: TableRows {
  private let table: String
  private let moves: EntityMoves
  private var bases: [EntityScan]
  private let oldest: Revision
  private var changes: [EntityChanges]
  /// The next change of each of them.
  private var upcoming: [EntityChanges.Change?] = []
  private var reader: EntityReader
  private let context: QueryContext

  private var commit: DeltaHeader?
  private var operation = "base"
  /// The key that the entity had then; nil if it has that one in the end.
  private var former: EntityKey?

  init(
    of table: String,
    _ moves: EntityMoves,
    bases: [EntityScan],
    oldest: Revision,
    changes: [EntityChanges],
    _ reader: EntityReader,
    _ context: QueryContext
  ) {
    (self.table, self.moves, self.bases, self.oldest) = (table, moves, bases, oldest)
    (self.changes, self.reader, self.context) = (changes, reader, context)
  }

  func next() throws -> Bool {
    while !bases.isEmpty {
      try context.checkTime()
      guard let entity = try bases[0].next() else {
        bases.removeFirst()
        continue
      }
      guard let id = end(of: entity.key, at: oldest) else { continue }
      reader.move(to: id, layout: entity.layout, record: entity.record)
      return true
    }
    while let change = try nextChange() {
      let key = change.block.key(of: change.entry)
      let revision = change.commit.revision
      guard let id = end(of: key, at: revision) else { continue }
      switch change.entry.change {
      case .put(let layout, let record):
        operation = change.block.former(of: change.entry) == nil ? "put" : "move"
        reader.move(to: id, layout: layout, record: change.block.bytes[record])
      case .remove:
        // The entity has only left the key.
        if moves.isMoved(key, at: revision) { continue }
        operation = "remove"
        reader.move(to: id)
      case .notPersisted: continue
      }
      commit = change.commit
      return true
    }
    return false
  }

  /// The ID that an entity has in the end; nil if it never was in the table.
  private func end(of key: EntityKey, at revision: Revision) -> ArraySlice<UInt8>? {
    let end = moves.key(of: key, at: revision)
    former = end == key ? nil : key
    if end.table == table { return end.id }
    former = nil
    return key.table == table ? key.id : nil
  }

  /// The next change of any of the tables, in the order of the journal.
  private func nextChange() throws -> EntityChanges.Change? {
    if upcoming.isEmpty {
      for index in changes.indices { upcoming.append(try next(index)) }
    }
    let first = upcoming.indices.filter { upcoming[$0] != nil }.min { a, b in
      guard let a = upcoming[a], let b = upcoming[b] else { return false }
      return a.commit.revision < b.commit.revision
    }
    guard let first, let change = upcoming[first] else { return nil }
    upcoming[first] = try next(first)
    return change
  }

  private func next(_ index: Int) throws -> EntityChanges.Change? {
    try changes[index].next(check: { try context.checkTime() })
  }

  func value(_ index: Int) throws -> Value {
    let commitColumns = CommitColumns.all.count
    switch index {
    case ..<commitColumns: return CommitColumns.value(index, commit, or: oldest)
    case commitColumns: return .text(operation)
    case commitColumns + 1:
      return former.map { .text("\($0.table) \(EncodedID.text(of: $0.id))") } ?? .null
    default: return try reader.value(index - HistorySource.ofCommit.count)
    }
  }

  func column(_ index: Int, _ result: ColumnResult) throws {
    let first = HistorySource.ofCommit.count
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
