import StrataBase
import StrataSQLite

/// The snapshots of a file.
///
/// All SQL on snapshots is in this file, except that of copying them (``RowCopy``). When to take one and which to keep is decided by
/// ``SnapshotPolicy``.
struct SnapshotStore {
  let connection: Connection

  private static let columns = """
    revision, epoch, time, chain, state, chunks, entities, bytes, hash
    """

  /// Every snapshot, the newest first.
  func all() throws -> [StoredSnapshot] {
    try connection.all(
      "SELECT \(Self.columns) FROM snapshot ORDER BY revision DESC",
      [],
      Self.header
    )
  }

  /// The snapshots that were read back and verified, the newest first.
  func verified() throws -> [StoredSnapshot] {
    try all().filter { $0.header.state == .verified }
  }

  /// The verified snapshots whose rows can be read in a damaged file, the newest first.
  ///
  /// - Throws: only I/O errors.
  func readable() throws -> [StoredSnapshot] {
    var revisions: [Int64] = []
    try CorruptionError.nilIfCorrupt {
      try connection.forEach("SELECT revision FROM snapshot ORDER BY revision DESC") { row in
        revisions.append(try row.int(0))
        return .continue
      }
    }
    return try revisions.compactMap { revision in
      try CorruptionError.nilIfCorrupt {
        try connection.first(
          "SELECT \(Self.columns) FROM snapshot WHERE revision = ? AND state = 2",
          [.integer(revision)],
          Self.header
        )
      } ?? nil
    }
  }

  /// Writes the row of a snapshot, or replaces it.
  func write(_ header: SnapshotHeader, hash: Checksum) throws(SQLiteError) {
    try connection.run(
      """
      INSERT OR REPLACE INTO snapshot (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(header.revision.number), .integer(header.epoch), .integer(header.time),
        .blob(header.chain.bytes), .integer(header.state.rawValue),
        .integer(Int64(header.chunks)), .integer(Int64(header.entities)),
        .integer(Int64(header.bytes)), .blob(hash.bytes),
      ]
    )
  }

  func markVerified(_ revision: Revision) throws(SQLiteError) {
    try connection.run(
      "UPDATE snapshot SET state = 2 WHERE revision = ? AND state = 1",
      [.integer(revision.number)]
    )
  }

  func writeChunk(
    _ chunk: Int,
    of revision: Revision,
    _ body: [UInt8],
    hash: Checksum
  ) throws(SQLiteError) {
    try connection.run(
      "INSERT INTO snapshot_chunk (revision, chunk, hash, body) VALUES (?, ?, ?, ?)",
      [.integer(revision.number), .integer(Int64(chunk)), .blob(hash.bytes), .blob(body)]
    )
  }

  /// A chunk with its stored hash; nil if it is missing.
  func chunk(_ chunk: Int, of revision: Revision) throws -> (body: [UInt8], hash: Checksum)? {
    try connection.first(
      "SELECT body, hash FROM snapshot_chunk WHERE revision = ? AND chunk = ?",
      [.integer(revision.number), .integer(Int64(chunk))]
    ) { row in (try row.blob(0), try Self.checksum(row, 1)) }
  }

  /// The hashes of a snapshot's chunks, in order.
  func chunkHashes(of revision: Revision) throws -> [Checksum] {
    try connection.all(
      "SELECT hash FROM snapshot_chunk WHERE revision = ? ORDER BY chunk",
      [.integer(revision.number)]
    ) { try Self.checksum($0, 0) }
  }

  /// The names of snapshots, with their revisions.
  func names() throws -> [(name: String, revision: Revision)] {
    try connection.all("SELECT name, revision FROM snapshot_name ORDER BY revision, name", []) {
      (try $0.text(0), try $0.revision(1, "the revision of a named snapshot"))
    }
  }

  /// Names a snapshot; a name that is used already moves to it.
  func name(_ name: String, _ revision: Revision) throws(SQLiteError) {
    try connection.run(
      "INSERT OR REPLACE INTO snapshot_name (name, revision) VALUES (?, ?)",
      [.text(name), .integer(revision.number)]
    )
  }

  /// The lowest revision up to which a registered consumer has read the journal; nil if there is none.
  ///
  /// Nothing registers one yet: the table is reserved for readers that outlive a process.
  func slowestConsumer() throws -> Revision? {
    try connection.first("SELECT min(revision) FROM consumer", []) {
      try $0.optionalInt(0).map { try StoredNumber.revision($0, "the revision of a consumer") }
    } ?? nil
  }

  /// Removes the row of a snapshot; ``removeOrphans(slice:)`` removes its chunks.
  func remove(_ revision: Revision) throws(SQLiteError) {
    try connection.run("DELETE FROM snapshot WHERE revision = ?", [.integer(revision.number)])
  }

  /// Removes up to `slice` chunks that belong to no snapshot; true if none is left.
  func removeOrphans(slice: Int) throws(SQLiteError) -> Bool {
    try connection.run(
      """
      DELETE FROM snapshot_chunk WHERE rowid IN (SELECT rowid FROM snapshot_chunk
        WHERE revision NOT IN (SELECT revision FROM snapshot) LIMIT ?)
      """,
      [.integer(Int64(slice))]
    ) < slice
  }

  private static func header(
    _ row: borrowing Row
  ) throws -> StoredSnapshot {
    let revision = try row.revision(0, "the revision of a snapshot")
    func place() -> String { "snapshot \(revision)" }
    let number = try row.int(4)
    guard let state = SnapshotHeader.State(rawValue: number) else {
      throw CorruptionError("\(place()) has the unknown state \(number)")
    }
    let header = SnapshotHeader(
      revision: revision,
      epoch: try StoredNumber.epoch(try row.int(1), "the epoch of \(place())"),
      time: try StoredNumber.time(try row.int(2), "the time of \(place())"),
      chain: try checksum(row, 3),
      state: state,
      chunks: try StoredNumber.count(try row.int(5), "the count of chunks of \(place())"),
      entities: try StoredNumber.count(try row.int(6), "the count of entities of \(place())"),
      bytes: try StoredNumber.count(try row.int(7), "the size of \(place())")
    )
    return (header, try checksum(row, 8))
  }

  private static func checksum(_ row: borrowing Row, _ column: Int) throws -> Checksum {
    let stored = try row.blob(column)
    guard let checksum = Checksum(bytes: stored) else {
      throw CorruptionError("a hash of a snapshot has \(stored.count) bytes, expected 16")
    }
    return checksum
  }
}
