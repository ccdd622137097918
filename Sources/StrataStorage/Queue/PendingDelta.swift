package import StrataBase
package import StrataJournal
package import StrataRecords

/// A commit on its way to the file: its changes, and what its delta will state about it.
package struct PendingDelta: Sendable {
  package var first: Revision
  package var revision: Revision
  /// Microseconds since 1970.
  package var time: Int64
  /// The commit's name; empty when it has none.
  package var commitName: String
  package var place: CommitPlace
  package var changes: any PendingChanges
  var contexts: PendingContexts

  package init(
    first: Revision,
    revision: Revision,
    time: Int64,
    commitName: String,
    place: CommitPlace,
    changes: any PendingChanges,
    context: (any PendingContext)? = nil
  ) {
    self.first = first
    self.revision = revision
    self.time = time
    self.commitName = commitName
    self.place = place
    self.changes = changes
    contexts = PendingContexts(context, of: revision)
  }

  /// The commit's name, or how many commits this delta stands for.
  package var name: String {
    first == revision ? commitName : "\(revision.number - first.number + 1) commits merged"
  }

  /// Merges a run of deltas into one that covers the revisions of all; nil for an empty run.
  ///
  /// O(changes · log deltas).
  static func merging(_ deltas: ArraySlice<PendingDelta>) -> PendingDelta? {
    guard deltas.count > 1 else { return deltas.first }
    let middle = deltas.startIndex + deltas.count / 2
    guard let earlier = merging(deltas[..<middle]), let later = merging(deltas[middle...]) else {
      return nil
    }
    var merged = later
    merged.first = earlier.first
    merged.changes = earlier.changes.merging(later.changes)
    merged.contexts = earlier.contexts.merging(later.contexts)
    return merged
  }
}

/// The changes of one commit on their way to the file, not encoded yet.
///
/// Storage knows no entity types. `StrataPersistence` passes the changed entities in this form, and the
/// writer calls ``encode(into:_:)`` on its own thread.
package protocol PendingChanges: Sendable {
  /// How many entities changed.
  var count: Int { get }

  /// Merges these changes with the `later` ones of the same store. Of two changes of an entity the later
  /// one stays.
  ///
  /// O(changes of both).
  func merging(_ later: any PendingChanges) -> any PendingChanges

  /// Adds every change to a delta.
  func encode(into delta: inout DeltaEncoder, _ encoder: inout EntityEncoder) throws

  /// Calls `body` with the table of every changed entity, and its ID as text.
  func forEachEntity(_ body: (_ table: String, _ id: String) -> Void)
}

/// What opening adds to the file before the first commit: tables that are new to it, with their initial
/// entities, and records that the table options want stored differently.
package struct OpeningAdditions {
  /// The tables that the file does not list yet.
  package var newTables: [String]
  /// The deltas to append, each with the name that the log shows.
  package var deltas: [(name: String, changes: any PendingChanges)]

  /// The fields whose types refer to other entities, by table.
  package var references: [String: Set<Layout.Field>]

  /// The names of the checks and unique keys of each table that the build stores, sorted.
  package var rules: [String: [String]]

  package init(
    newTables: [String] = [],
    deltas: [(name: String, changes: any PendingChanges)] = [],
    references: [String: Set<Layout.Field>] = [:],
    rules: [String: [String]] = [:]
  ) {
    self.newTables = newTables
    self.deltas = deltas
    self.references = references
    self.rules = rules
  }

  /// Whether nothing is added to the data.
  var isEmpty: Bool { newTables.isEmpty && deltas.isEmpty }
}
