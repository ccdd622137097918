import StrataBase
import StrataSQLite

/// What of a damaged file can still be proved: a snapshot and the unbroken run of deltas after it that
/// reach furthest.
struct SalvagedHistory {
  let identity: StoreIdentity
  let catalog: LayoutCatalog
  let tables: Set<String>
  let snapshot: SnapshotHeader
  /// The last delta of the run, or the snapshot itself.
  let revision: Revision
  let chain: Checksum
  /// Other whole snapshots that people named.
  let named: [SnapshotHeader]
  /// The last revision that the file shows traces of.
  let lastSeen: Revision

  /// Reads what there is; nil where nothing can be proved.
  ///
  /// O(file · snapshots).
  ///
  /// - Throws: only where the disk refuses.
  init?(in connection: Connection) throws {
    guard let identity = try CorruptionError.nilIfCorrupt({ try StoreIdentity.read(connection) })
    else {
      return nil
    }
    let catalog = try LayoutCatalog(readableIn: connection)
    let snapshots = SnapshotStore(connection: connection)
    let journal = Journal(connection: connection)
    var best: (header: SnapshotHeader, replay: JournalReplay)?
    var whole: [SnapshotHeader] = []
    for snapshot in try snapshots.readable() {
      let isWhole: Void? = try CorruptionError.nilIfCorrupt {
        var cursor = try ChunkCursor(snapshot, of: identity, in: snapshots, catalog)
        try cursor.verifyAll()
      }
      guard isWhole != nil else { continue }
      whole.append(snapshot.header)
      var replay = JournalReplay(
        after: snapshot.header.revision,
        chain: snapshot.header.chain,
        of: identity,
        in: journal,
        catalog,
        readingAhead: 0
      )
      try CorruptionError.nilIfCorrupt { while try replay.next() != nil {} }
      if best.map({ $0.replay.revision < replay.revision }) ?? true {
        best = (snapshot.header, replay)
      }
    }
    guard let best else { return nil }
    self.identity = identity
    self.catalog = catalog
    snapshot = best.header
    (revision, chain) = (best.replay.revision, best.replay.chain)
    let names = try CorruptionError.nilIfCorrupt { try snapshots.names() } ?? []
    let pinned = Set(names.map(\.revision))
    named = whole.filter { $0.revision < best.header.revision && pinned.contains($0.revision) }
    let known = try CorruptionError.nilIfCorrupt { try StoreIdentity.tables(of: connection) } ?? []
    tables = catalog.tables.union(known)
    let last = try CorruptionError.nilIfCorrupt { try journal.last()?.header.revision } ?? nil
    lastSeen = max(revision, last ?? 0, whole.first?.revision ?? 0)
  }

  /// The snapshots that go along.
  var kept: [SnapshotHeader] { [snapshot] + named }
}
