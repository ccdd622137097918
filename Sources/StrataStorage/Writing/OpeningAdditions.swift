/// What an opening adds to the file before the first commit: tables that are new to it, with what they
/// start from, and records that the build's options want stored differently.
package struct OpeningAdditions {
  /// The tables the file does not list yet.
  package var newTables: [String]
  /// The deltas to append, each under a name that shows in the log.
  package var deltas: [(name: String, changes: any PendingChanges)]

  package init(
    newTables: [String] = [],
    deltas: [(name: String, changes: any PendingChanges)] = []
  ) {
    self.newTables = newTables
    self.deltas = deltas
  }

  var isEmpty: Bool { newTables.isEmpty && deltas.isEmpty }
}
