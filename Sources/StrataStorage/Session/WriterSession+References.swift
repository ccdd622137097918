import StrataBase
import StrataJournal
package import StrataRecords

extension WriterSession {
  /// Notes which fields hold IDs of other entities, as the types of a build say, where the file does not say so yet.
  ///
  /// A build that writes a record notes it in the layout; so does one that only opens the file, and a change of IDs
  /// follows whether or not a record was written. What a script says of a column holds. O(layouts); writes nothing
  /// where the layouts say it already.
  package func note(_ references: [String: Set<Layout.Field>]) throws {
    let new = try references.mapValues { fields in
      try fields.inOrder { $0.name < $1.name }.map { ($0, try Layout([$0]).references) }
    }.compactMap { table, fields in
      let known = Set(catalog.layouts(of: table).flatMap(\.references))
      let unknown = fields.filter { !known.isSuperset(of: $0.1) }
      return unknown.isEmpty ? nil : (table, unknown)
    }
    if new.isEmpty { return }
    let all = Dictionary(grouping: try DeclaredColumn.all(in: connection), by: \.table)
    var changed: [String: [DeclaredColumn]] = [:]
    for (table, fields) in new {
      var columns = all[table] ?? []
      for (field, places) in fields {
        guard let index = columns.firstIndex(where: { $0.name == field.name }) else {
          let place = columns.firstIndex(where: \.isDropped) ?? columns.endIndex
          columns.insert(DeclaredColumn(table: table, field: field), at: place)
          continue
        }
        // A build that has a field which was dropped since is an older one.
        if columns[index].isDropped { continue }
        let known = Set(try Layout([columns[index].field]).references)
        if columns[index].field.references != nil || known.isSuperset(of: places) { continue }
        columns[index] = columns[index].with(field)
      }
      if columns != all[table] ?? [] { changed[table] = columns }
    }
    if changed.isEmpty { return }
    try transaction {
      for (table, columns) in changed {
        try DeclaredColumn.replace(columns, of: table, at: written.revision, in: connection)
      }
    }
  }
  /// Notes the names of the checks and unique keys of tables, as a build declares them, where the file says otherwise.
  ///
  /// O(tables); writes nothing where the file says the same.
  func note(rules: [String: [String]]) throws {
    let changed = try ListedTable.all(in: connection).compactMap { table in
      rules[table.name].map { table.with(rules: $0) }.flatMap { $0 == table ? nil : $0 }
    }
    if changed.isEmpty { return }
    try transaction {
      for table in changed { try table.write(to: connection) }
    }
  }
}
