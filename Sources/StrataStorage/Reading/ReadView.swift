package import StrataBase
package import StrataSQLite

/// What a file says at one moment: enough to read it further, one statement at a time, while a writer
/// continues behind it.
///
/// Everything that reads entities goes through ``read(at:from:extent:_:_:)``: opening, history, the
/// command's answers and their fallback to an older snapshot are one piece of code.
package struct ReadView {
  package let identity: StoreIdentity
  package let catalog: LayoutCatalog
  /// The newest first.
  let snapshots: [StoredSnapshot]
  /// Nothing after this is read, though it may be there by then.
  package let last: (revision: Revision, chain: Checksum)
  /// The names that were given to snapshots.
  let names: [(name: String, revision: Revision)]
  /// The first revision of the journal; the ones before it were trimmed.
  let first: Revision?
  /// The tables the file lists.
  package let tables: Set<String>
  private let store: SnapshotStore
  let journal: Journal

  /// Reads in one short transaction.
  package init(_ connection: Connection) throws {
    let store = SnapshotStore(connection: connection)
    let journal = Journal(connection: connection)
    (identity, catalog, snapshots, last, first, names, tables) = try connection.readTransaction {
      let identity = try StoreIdentity.read(connection)
      let catalog = try LayoutCatalog(reading: connection)
      let snapshots = try store.all()
      guard let newest = snapshots.first(where: { $0.header.state == .verified })?.header else {
        throw CorruptionError("it has no snapshot")
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
        Set(try StoreIdentity.tables(of: connection))
      )
    }
    self.store = store
    self.journal = journal
  }

  /// The snapshots that were read back and verified, the newest first.
  package var verified: [StoredSnapshot] {
    snapshots.filter { $0.header.state == .verified }
  }

  /// The verified snapshots that the journal continues from, the newest first.
  ///
  /// A named snapshot outlives the deltas after it: it then stands alone.
  package var anchors: [StoredSnapshot] {
    verified.filter { $0.header.revision.next >= first ?? last.revision.next }
  }

  /// Whether the writer has removed something since `earlier` was read.
  func lacksPart(of earlier: ReadView) -> Bool {
    let revisions = Set(verified.map(\.header.revision))
    return first != earlier.first
      || !earlier.verified.allSatisfy { revisions.contains($0.header.revision) }
  }

  package func cursor(_ snapshot: StoredSnapshot) throws -> ChunkCursor {
    try ChunkCursor(snapshot, of: identity, in: store, catalog)
  }

  package func replay(after snapshot: SnapshotHeader) -> JournalReplay {
    replay(after: snapshot.revision, chain: snapshot.chain)
  }

  /// Continues after a delta whose chain is known.
  package func replay(after revision: Revision, chain: Checksum) -> JournalReplay {
    JournalReplay(after: revision, chain: chain, of: identity, in: journal, catalog)
  }
}
