/// What a step has given other names: a value that is under the new name of its field is not lost.
struct MigrationRenames {
  /// The names that tables had before the step, by those that they have now.
  private(set) var tables: [String: String] = [:]
  /// The names that a field has now, by its table and its name before; records may differ in it.
  private var fields: [String: [String: Set<String>]] = [:]

  /// The names that a field has now in every record, by its table and its name before.
  private var columns: [String: [String: String]] = [:]
  /// The fields whose values are gone, by table.
  private var dropped: [String: Set<String>] = [:]

  /// Whether the records that a table had before the step are under another name.
  func isAway(_ table: String) -> Bool { tables.values.contains(table) }

  mutating func renameTables(_ names: [String: String]) {
    let before = self
    for table in names.keys {
      tables[table] = nil
      fields[table] = nil
      dropped[table] = nil
      columns[table] = nil
    }
    for (table, name) in names {
      let original = before.tables[table] ?? table
      tables[name] = original == name ? nil : original
      fields[name] = before.fields[table]
      dropped[name] = before.dropped[table]
      columns[name] = before.columns[table]
    }
  }

  /// Notes that a field has another name in every record, where another one may have its name.
  mutating func renameColumn(_ field: String, to name: String, in table: String) {
    renameField(field, to: name, in: table)
    columns[table, default: [:]][field] = name
  }

  /// The name that the value of a field has now; nil if it is gone.
  func name(of field: String, in table: String) -> String? {
    if let name = columns[table]?[field] { return name }
    return dropped[table]?.contains(field) ?? false ? nil : field
  }

  /// Whether fields of a table were dropped, or have other names in every record.
  func hasOtherColumns(in table: String) -> Bool { columns[table] != nil || dropped[table] != nil }

  /// Notes that the values of a field are gone.
  mutating func dropField(_ field: String, of table: String) {
    dropped[table, default: []].insert(field)
  }

  /// The fields of a table whose values are gone, also where there are fields of their names again.
  func dropped(of table: String) -> Set<String> { dropped[table] ?? [] }

  mutating func renameField(_ field: String, to name: String, in table: String) {
    fields[table, default: [:]][field, default: []].insert(name)
  }

  /// The fields of a table that some record has under another name now.
  func fields(of table: String) -> Set<String> { Set((fields[table] ?? [:]).keys) }

  /// The other names that the value of a field may have now; O(names).
  func names(of field: String, in table: String) -> Set<String> {
    guard let renamed = fields[table] else { return [] }
    var names: Set<String> = []
    var open = renamed[field] ?? []
    while let name = open.popFirst() {
      if names.insert(name).inserted { open.formUnion(renamed[name] ?? []) }
    }
    names.remove(field)
    return names
  }
}
