import StrataJournal
import StrataStorage

/// What a run of migrations has made of a store, to be decoded before it takes effect.
///
/// One part is in memory at a time, whatever the run has changed.
final class MigrationResult: EntitySource {
  private let workspace: MigrationWorkspace
  private let catalog: LayoutCatalog
  private var tables: ArraySlice<String>
  private var current: (table: String, scan: Peekable<StoredEntity>)?

  /// How many entities one part has.
  private static let partSize = 2_048

  init(_ workspace: MigrationWorkspace) {
    self.workspace = workspace
    catalog = workspace.session.catalog
    tables = workspace.tables.sorted()[...]
    expectedCount = workspace.expectedCount
  }

  let expectedCount: Int

  func nextPart() throws -> MergePart? {
    while true {
      if current == nil {
        guard let table = tables.popFirst() else { return nil }
        current = (table, workspace.scan(table))
      }
      guard let table = current?.table else { return nil }
      var entities: [StoredEntity] = []
      while entities.count < Self.partSize, let entity = try current?.scan.next() {
        entities.append(entity)
      }
      if !entities.isEmpty { return MergePart(entities, of: table, catalog) }
      current = nil
    }
  }

  func counts() throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for table in workspace.tables {
      var scan = workspace.scan(table)
      while try scan.next() != nil { counts[table, default: 0] += 1 }
    }
    return counts
  }
}
