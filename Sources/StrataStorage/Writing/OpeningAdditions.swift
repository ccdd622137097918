package import StrataRecords

/// What opening adds to the file before the first commit: tables that are new to it, with their initial
/// entities, and records that the table options want stored differently.
package struct OpeningAdditions {
  /// The tables that the file does not list yet.
  package var newTables: [String]
  /// The deltas to append, each with the name that the log shows.
  package var deltas: [(name: String, changes: any PendingChanges)]

  /// The fields whose types refer to other entities, by table.
  package var references: [String: Set<Layout.Field>]

  package init(
    newTables: [String] = [],
    deltas: [(name: String, changes: any PendingChanges)] = [],
    references: [String: Set<Layout.Field>] = [:]
  ) {
    self.newTables = newTables
    self.deltas = deltas
    self.references = references
  }

  /// Whether nothing is added to the data.
  var isEmpty: Bool { newTables.isEmpty && deltas.isEmpty }
}
