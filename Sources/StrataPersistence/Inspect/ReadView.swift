import StrataBase
import StrataSQLite

/// What a file says at one moment: enough to read it further, a statement at a time, while a writer
/// goes on behind it.
struct ReadView {
  let identity: StoreIdentity
  let catalog: LayoutCatalog
  /// The newest first.
  let snapshots: [(header: SnapshotHeader, hash: Checksum)]
  /// Nothing after this is read, though it may be there by then.
  let last: (revision: Revision, chain: Checksum)
  /// What people called snapshots.
  let names: [(name: String, revision: Revision)]
  /// The first revision of the journal; the ones before it were trimmed.
  let first: Revision?
  private let store: SnapshotStore
  let journal: Journal

  /// Reads in one short transaction.
  init(_ connection: Connection) throws {
    let store = SnapshotStore(connection: connection)
    let journal = Journal(connection: connection)
    (identity, catalog, snapshots, last, first, names) = try connection.readTransaction {
      let snapshots = try store.all()
      guard let newest = snapshots.first(where: { $0.header.state == .verified })?.header else {
        throw DamageFound("it has no snapshot")
      }
      let last = try journal.last()
      return (
        try StoreIdentity.read(connection),
        try LayoutCatalog(reading: connection),
        snapshots,
        last.map { ($0.header.revision, $0.hash) } ?? (newest.revision, newest.chain),
        try journal.first(),
        try store.names()
      )
    }
    self.store = store
    self.journal = journal
  }

  var verified: [(header: SnapshotHeader, hash: Checksum)] {
    snapshots.filter { $0.header.state == .verified }
  }

  /// The verified snapshots that the journal goes on from, the newest first.
  ///
  /// A named snapshot outlives the deltas after it: it then stands alone.
  var anchors: [(header: SnapshotHeader, hash: Checksum)] {
    verified.filter { $0.header.revision.next >= first ?? last.revision.next }
  }

  /// Whether the writer has removed something since `earlier` was read.
  func lacksPart(of earlier: ReadView) -> Bool {
    let revisions = Set(verified.map(\.header.revision))
    return first != earlier.first
      || !earlier.verified.allSatisfy { revisions.contains($0.header.revision) }
  }

  func cursor(_ snapshot: (header: SnapshotHeader, hash: Checksum)) throws -> ChunkCursor {
    try ChunkCursor(snapshot, of: identity, in: store, catalog)
  }

  func replay(after snapshot: SnapshotHeader) -> JournalReplay {
    JournalReplay(
      after: snapshot.revision,
      chain: snapshot.chain,
      of: identity,
      in: journal,
      catalog
    )
  }

  /// The database at the last revision of this view, from the newest whole snapshot.
  func fold() throws -> Fold {
    var failure: DamageFound?
    for snapshot in verified {
      do {
        var overlay = Overlay()
        var replay = replay(after: snapshot.header)
        try replay.replay(into: &overlay, through: last.revision)
        return Fold(try cursor(snapshot), overlay)
      } catch let error as DamageFound {
        failure = failure ?? error
      }
    }
    throw failure ?? DamageFound("it has no snapshot")
  }
}
