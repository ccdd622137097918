import StrataColumns
import StrataInspection
import StrataJournal
import StrataRecords

/// The tables that queries of a store can read, by their names in SQL.
///
/// For each entity table `users`: `users`, `users_at(REV)`, `users_history`, `users_diff(A, B)` and
/// `users_blame`; and `strata_log`. Names are compared without case. Where two are equal, the tables that were there at
/// the revision come first, in the order of their names, and the other has `:2` behind its name; a name that SQLite
/// reserves has `:` before it. A table that a migration has renamed or dropped by the revision has only those of its
/// history, and so has a column in a table. A column that was dropped later comes before one of an equal name.
struct StoreTables {
  private(set) var sources: [any TableSource] = []

  /// - Parameter revision: The revision that queries read; nil for the last one.
  init(_ view: ReadView, at revision: Revision? = nil) throws {
    var names = UniqueNames()
    let revision = revision ?? view.last.revision
    let present = view.tables(at: revision)
    let later = present.subtracting(
      view.listed.filter { $0.since <= revision }.map(\.name)
    )
    let tables =
      present.subtracting(later).sortedAsBytes() + later.sortedAsBytes()
      + view.allTables.subtracting(present).sortedAsBytes()
    let layouts = try tables.map { try view.layoutsOfColumns(of: $0) }
    let own = tables.map { names.add(table: $0) }
    let former = try DeclaredColumn.dropped(after: revision, in: view.journal.connection)
    for (index, table) in tables.enumerated() where present.contains(table) {
      let dropped = view.droppedColumns(of: table, at: revision)
      sources.append(
        EntitySource(
          own[index],
          table,
          layouts[index],
          hiding: dropped,
          naming: former[table] ?? [],
          .ofQuery
        )
      )
    }
    for (index, table) in tables.enumerated() where StoredValues.name(ofTable: table) == nil {
      let name = own[index]
      sources += [
        EntitySource(names.add("\(name)_at"), table, layouts[index], .argument),
        HistorySource(names.add("\(name)_history"), table, layouts[index]),
        DiffSource(names.add("\(name)_diff"), table, layouts[index]),
        BlameSource(names.add("\(name)_blame"), table, layouts[index]),
      ]
    }
    sources.append(LogSource(names.add("strata_log")))
  }
}

extension ColumnKind {
  /// Whether values of an ID of this kind sort in SQL as its bytes do.
  var sortsAsID: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .string, .uuid: true
    default: false
    }
  }
}
