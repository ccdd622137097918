import StrataBase
import StrataJournal
import StrataSQLite
import StrataSchema

/// The part of a damaged file that can be verified: the snapshot and the unbroken run of deltas after it
/// that reach furthest.
///
/// Snapshots share chunks, so one damaged chunk may damage all of them. Then the part is the newest
/// snapshot whose list is intact, without the chunks that are damaged.
///
/// It does not use `ReadView`, which requires every layout and list of the file, and whose read fails at
/// the first damaged delta. Here every piece that cannot be read only counts as missing.
struct IntactHistory {
  let identity: StoreIdentity
  let catalog: LayoutCatalog
  let tables: Set<String>
  let snapshot: SnapshotHeader
  /// The chunks of the snapshot that are damaged.
  let damaged: [ListedChunk]
  /// The last delta of the run, or the snapshot itself.
  let revision: Revision
  let chain: Checksum
  /// Other sound snapshots that have a name.
  let named: [SnapshotHeader]
  /// The last revision that the file has traces of.
  let lastSeen: Revision

  /// Reads the file; nil when nothing of it can be verified.
  ///
  /// O(file · snapshots).
  ///
  /// - Throws: I/O errors only.
  init?(in connection: Connection) throws {
    guard let identity = try StoreIdentity.readable(in: connection) else { return nil }
    let catalog = try LayoutCatalog(readableIn: connection)
    let snapshots = SnapshotStore(connection: connection)
    let journal = Journal(connection: connection)
    var best: (header: SnapshotHeader, replay: JournalReplay)?
    var found = catalog.tables
    var damaged: [ListedChunk] = []
    var sound: [SnapshotHeader] = []
    func replay(after snapshot: SnapshotHeader) throws -> JournalReplay {
      var replay = JournalReplay(
        after: snapshot.revision,
        chain: snapshot.chain,
        of: identity,
        in: journal,
        catalog,
        readingAhead: 0
      )
      try CorruptionError.nilIfCorrupt {
        while let (_, blocks) = try replay.next() { found.formUnion(blocks.flatMap(\.tables)) }
      }
      return replay
    }
    let readable = try snapshots.readable()
    for snapshot in readable {
      let isSound: Void? = try CorruptionError.nilIfCorrupt {
        var cursor = try ChunkCursor(snapshot, of: identity, in: snapshots, catalog)
        found.formUnion(cursor.listing.map(\.table))
        try cursor.verifyAll()
      }
      guard isSound != nil else { continue }
      sound.append(snapshot.header)
      let replay = try replay(after: snapshot.header)
      if best.map({ $0.replay.revision < replay.revision }) ?? true {
        best = (snapshot.header, replay)
      }
    }
    if best == nil {
      for snapshot in readable where best == nil {
        let listing = try CorruptionError.nilIfCorrupt {
          try snapshots.listing(of: snapshot, identity, catalog)
        }
        guard let listing else { continue }
        found.formUnion(listing.map(\.table))
        damaged = try listing.filter { chunk in
          try CorruptionError.nilIfCorrupt {
            try snapshots.block(of: chunk, in: snapshot.header.revision, catalog)
          } == nil
        }
        guard damaged.count < listing.count else { continue }
        best = (snapshot.header.without(damaged), try replay(after: snapshot.header))
      }
    }
    guard let best else { return nil }
    self.damaged = damaged
    self.identity = identity
    self.catalog = catalog
    snapshot = best.header
    (revision, chain) = (best.replay.revision, best.replay.chain)
    let names = try HashedTable.snapshotName.values(on: connection, .leaveOut)
    let pinned = Set(names.map { $0[1] })
    named = sound.filter {
      $0.revision < best.header.revision && pinned.contains(.integer($0.revision.number))
    }
    let known = try HashedTable.entityTable.values(on: connection, .leaveOut).compactMap { row in
      if case .text(let name) = row[0] { name } else { nil }
    }
    // A table that has entities and is not in the list would be taken for a new one, and be empty until the next opening.
    tables = found.union(known)
    let last = try CorruptionError.nilIfCorrupt { try journal.last()?.header.revision } ?? nil
    lastSeen = max(revision, last ?? 0, sound.first?.revision ?? 0)
  }

  /// The snapshots to copy.
  var kept: [SnapshotHeader] { [snapshot] + named }
}
