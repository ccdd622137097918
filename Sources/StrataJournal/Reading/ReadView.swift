package import StrataBase
package import StrataRecords
package import StrataSQLite

/// A view of a file at one moment, from which the file can be read further, one statement at a time, while
/// a writer appends to it.
///
/// Everything that reads entities goes through ``read(at:from:extent:scope:_:_:)``: opening, history and the
/// `strata` command share its fallback to an older snapshot.
package struct ReadView {
  package let identity: StoreIdentity
  package private(set) var catalog: LayoutCatalog
  /// All snapshots, the newest first.
  package let snapshots: [StoredSnapshot]
  /// The last delta when the view was made; later ones are not read.
  package let last: (revision: Revision, chain: Checksum)
  /// The names of snapshots.
  package let names: [(name: String, revision: Revision)]
  /// The first revision of the journal, as earlier ones were trimmed; nil if the journal is empty.
  package let first: Revision?
  /// The tables that the file lists, and that no migration has renamed or dropped.
  package private(set) var tables: Set<String>
  /// Every table that the file lists, by name, also those that have ended.
  package let listed: [ListedTable]
  /// What the file knows of columns beside the layouts, by table and in the order of the table.
  package let columns: [DeclaredColumn]
  private let store: SnapshotStore
  package let journal: Journal

  /// Reads everything above in one short transaction.
  package init(_ connection: Connection) throws {
    let store = SnapshotStore(connection: connection)
    let journal = Journal(connection: connection)
    (identity, catalog, snapshots, last, first, names, listed, columns) =
      try connection.readTransaction {
        let identity = try StoreIdentity.read(connection)
        let catalog = try LayoutCatalog(reading: connection)
        let snapshots = try store.all()
        guard let newest = snapshots.first(where: { $0.header.state == .verified })?.header else {
          throw CorruptionError("no verified snapshot among \(snapshots.count)")
        }
        // A journal that lost its tail ends before a snapshot that is intact.
        let last = try journal.last().flatMap { $0.header.revision < newest.revision ? nil : $0 }
        return (
          identity,
          catalog,
          snapshots,
          last.map { ($0.header.revision, $0.hash) } ?? (newest.revision, newest.chain),
          try journal.first(),
          try store.names(),
          try ListedTable.all(in: connection),
          try DeclaredColumn.all(in: connection)
        )
      }
    tables = Set(listed.filter { $0.until == nil }.map(\.name))
    self.store = store
    self.journal = journal
  }

  /// Where the file ended when the view was made.
  package var position: Position { identity.position(at: end) }

  /// The same within its lineage.
  package var end: HeadRecord.Mark {
    HeadRecord.Mark(revision: last.revision, chain: last.chain)
  }

  /// The view with the tables and layouts that a transaction has added to the file since.
  package func adding(_ tables: Set<String>, _ catalog: LayoutCatalog) -> ReadView {
    var view = self
    (view.tables, view.catalog) = (tables, catalog)
    return view
  }

  /// The view with other values shown in place of some.
  package func masked(by mask: RecordMask?) -> ReadView {
    var view = self
    view.catalog.mask = mask
    return view
  }

  /// The tables that have a history: those that are there, and those that have ended.
  package var allTables: Set<String> { tables.union(listed.map(\.name)) }

  /// The columns that scripts have declared.
  package var declared: [DeclaredColumn] { columns.filter { !$0.isDropped } }

  /// The columns that migrations have dropped or renamed.
  package var dropped: [DeclaredColumn] { columns.filter(\.isDropped) }

  /// The layouts that determine the columns of a table in a query: the columns that a script has declared and
  /// no layout has, then the layouts, the oldest first.
  package func layoutsOfColumns(of table: String) throws -> [Layout] {
    let layouts = catalog.layouts(of: table)
    return try columns.filter { $0.table == table }.layout(besides: layouts).map { [$0] + layouts }
      ?? layouts
  }

  /// The columns of a table that were dropped by a revision and have had no value since.
  package func droppedColumns(of table: String, at revision: Revision) -> Set<String> {
    Set(dropped.filter { $0.table == table && $0.since <= revision }.map(\.name))
  }

  /// The tables that were not renamed or dropped by a revision.
  package func tables(at revision: Revision) -> Set<String> {
    tables.union(listed.filter { $0.until.map { $0 > revision } ?? false }.map(\.name))
  }

  /// Checks that the file lists these tables.
  ///
  /// An unlisted table would be taken for a new one and get its contents from the initial state.
  package func checkListed(_ found: Set<String>) throws(CorruptionError) {
    guard let table = found.subtracting(allTables).min() else { return }
    throw CorruptionError("the table \(table.shortened(to: 60)) is not in the list of tables")
  }

  /// The snapshots that were read back and verified, the newest first.
  package var verified: [StoredSnapshot] {
    snapshots.filter { $0.header.state == .verified }
  }

  /// The verified snapshots that the journal continues, the newest first.
  ///
  /// A named snapshot may be older than the journal; it is no anchor then.
  package var anchors: [StoredSnapshot] {
    verified.filter { $0.header.revision.next >= first ?? last.revision.next }
  }

  /// The last revision whose delta was removed; nil if there is none.
  package var trimmed: Revision? {
    let last = first?.previous ?? last.revision
    return last > 0 ? last : nil
  }

  /// How many of the entities of a snapshot are persisted values; O(chunks).
  package func countOfValues(in revision: Revision) throws -> Int {
    try store.countOfValues(in: revision)
  }

  /// Whether the writer has removed deltas or snapshots, or rewritten them, since `earlier` was read.
  package func wasTrimmed(since earlier: ReadView) -> Bool {
    let revisions = Set(verified.map(\.header.revision))
    return first != earlier.first || identity.lineage != earlier.identity.lineage
      || !earlier.verified.allSatisfy { revisions.contains($0.header.revision) }
  }

  /// How many rows are left of missing deltas and snapshots, by table.
  ///
  /// O(parts, and chunks of all snapshots).
  package func orphans() throws -> [(table: String, count: Int)] {
    [
      ("delta_part", try journal.countOfOrphans()), ("listing", try store.countOfOrphans()),
    ]
  }

  package func cursor(
    _ snapshot: StoredSnapshot,
    _ scope: ReadScope = .everything
  ) throws -> ChunkCursor {
    try ChunkCursor(snapshot, of: identity, in: store, catalog, scope)
  }

  package func replay(after snapshot: SnapshotHeader) -> JournalReplay {
    replay(after: snapshot.revision, chain: snapshot.chain)
  }

  /// Replays the deltas after a revision whose chain is known.
  package func replay(
    after revision: Revision,
    chain: Checksum,
    readingAhead readAhead: Int = 1 << 20
  ) -> JournalReplay {
    JournalReplay(
      after: revision,
      chain: chain,
      of: identity,
      in: journal,
      catalog,
      readingAhead: readAhead
    )
  }
}
