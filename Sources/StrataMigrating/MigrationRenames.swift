/// What a step has given other names: a value that is under the new name of its field is not lost.
struct MigrationRenames {
  /// The names that tables had before the step, by those that they have now.
  private(set) var tables: [String: String] = [:]
  /// The names that a field has now, by its table and its name before; records may differ in it.
  private var fields: [String: [String: Set<String>]] = [:]

  /// The fields that a change of IDs has rewritten, by table: their references lead where they led.
  private var followed: [String: Set<String>] = [:]

  /// Whether the records that a table had before the step are under another name.
  func isAway(_ table: String) -> Bool { tables.values.contains(table) }

  mutating func renameTable(_ table: String, to name: String) {
    let original = tables.removeValue(forKey: table) ?? table
    tables[name] = original == name ? nil : original
    fields[name] = fields.removeValue(forKey: table)
    followed[name] = followed.removeValue(forKey: table)
  }

  mutating func renameField(_ field: String, to name: String, in table: String) {
    fields[table, default: [:]][field, default: []].insert(name)
  }

  /// Notes that the references in a field follow a change of IDs.
  mutating func noteFollowed(_ field: String, of table: String) {
    followed[table, default: []].insert(field)
  }

  /// Whether the references in a field follow a change of IDs.
  func isFollowed(_ field: String, of table: String) -> Bool {
    followed[table]?.contains(field) ?? false
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
