package import StrataBase
package import StrataSQLite
import StrataSchema

/// The snapshots of a file.
///
/// All SQL on snapshots is in this file, except that of copying them (`StoreCopy`).
/// ``SnapshotPolicy`` decides when to take one and which to keep.
package struct SnapshotStore {
  let connection: Connection

  package init(connection: Connection) { self.connection = connection }

  private static let columns = """
    revision, lineage, time, chain, state, chunks, entities, bytes, hash
    """

  /// Every snapshot, the newest first.
  package func all() throws -> [StoredSnapshot] {
    try connection.all(
      "SELECT \(Self.columns) FROM snapshot ORDER BY revision DESC",
      [],
      Self.header
    )
  }

  /// The snapshots that were read back and verified, the newest first.
  package func verified() throws -> [StoredSnapshot] {
    try all().filter { $0.header.state == .verified }
  }

  /// The verified snapshots whose rows can be read in a damaged file, the newest first.
  ///
  /// - Throws: only I/O errors.
  package func readable() throws -> [StoredSnapshot] {
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
  package func write(_ header: SnapshotHeader, hash: Checksum) throws(SQLiteError) {
    try connection.run(
      """
      INSERT OR REPLACE INTO snapshot (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(header.revision.number), .integer(header.lineage.number), .integer(header.time),
        .blob(header.chain.bytes), .integer(header.state.rawValue),
        .integer(Int64(header.chunks)), .integer(Int64(header.entities)),
        .integer(Int64(header.bytes)), .blob(hash.bytes),
      ]
    )
  }

  package func markVerified(_ revision: Revision) throws(SQLiteError) {
    try connection.run(
      "UPDATE snapshot SET state = 2 WHERE revision = ? AND state = 1",
      [.integer(revision.number)]
    )
  }

  /// The chunk with this body: one that the file has, or a new one.
  ///
  /// It is found by its hash and confirmed by its bytes: the hash is not cryptographic, so different bodies
  /// may have the same one.
  package func chunk(with body: [UInt8], hash: Checksum) throws -> Int64 {
    var found: Int64?
    try connection.forEach("SELECT id, body FROM chunk WHERE hash = ?", [.blob(hash.bytes)]) {
      row in
      guard try row.blob(1) == body else { return .continue }
      found = try row.int(0)
      return .stop
    }
    if let found { return found }
    try connection.run(
      "INSERT INTO chunk (hash, body) VALUES (?, ?)",
      [.blob(hash.bytes), .blob(body)]
    )
    return try connection.first("SELECT last_insert_rowid()", []) { try $0.int(0) } ?? 0
  }

  /// Writes the list of a snapshot's chunks.
  package func write(_ listing: [ListedChunk], of revision: Revision) throws(SQLiteError) {
    for chunk in listing {
      try connection.run(
        """
        INSERT INTO listing (revision, entity_table, first, count, bytes, chunk)
          VALUES (?, ?, ?, ?, ?, ?)
        """,
        [
          .integer(revision.number), .text(chunk.table), .blob(chunk.first),
          .integer(Int64(chunk.count)), .integer(Int64(chunk.bytes)), .integer(chunk.id),
        ]
      )
    }
  }

  /// The chunks of a snapshot, in the order of tables and encoded IDs.
  ///
  /// O(chunks); no body is read.
  ///
  /// - Throws: `CorruptionError` if they are not the ones that the snapshot's hash covers.
  package func listing(
    of snapshot: StoredSnapshot,
    _ identity: StoreIdentity,
    _ catalog: LayoutCatalog
  ) throws -> [ListedChunk] {
    let header = snapshot.header
    func place() -> String { "the list of snapshot \(header.revision)" }
    let listing = try connection.all(
      """
      SELECT entity_table, first, count, bytes, chunk, hash, length(body)
        FROM listing LEFT JOIN chunk ON chunk.id = listing.chunk
        WHERE revision = ? ORDER BY entity_table, first
      """,
      [.integer(header.revision.number)]
    ) { row in
      let (table, id) = (try row.text(0), try row.int(4))
      guard let hash = try row.optionalBlob(5), let size = try row.optionalInt(6) else {
        throw CorruptionError("chunk \(id) of snapshot \(header.revision) is missing")
      }
      return ListedChunk(
        id: id,
        table: table,
        first: try row.blob(1),
        count: try StoredNumber.count(try row.int(2), "a count of entities in \(place())"),
        bytes: try StoredNumber.count(try row.int(3), "a size in \(place())"),
        size: try StoredNumber.count(size, "the size of a chunk in \(place())"),
        hash: try Self.checksum(hash)
      )
    }
    guard listing.count == header.chunks else {
      throw CorruptionError(
        "snapshot \(header.revision) has \(listing.count) chunks, its row says \(header.chunks)"
      )
    }
    let entities = listing.reduce(0) { $0 + $1.count }
    guard entities == header.entities else {
      throw CorruptionError(
        "snapshot \(header.revision) has \(entities) entities, its row says \(header.entities)"
      )
    }
    try Self.check(header.hash(storeID: identity.id, listing: listing), of: snapshot)
    return try listing.linked(header.revision)
  }

  /// How many of the entities of a snapshot are persisted values.
  ///
  /// O(chunks); nothing is verified.
  func countOfValues(in revision: Revision) throws -> Int {
    let range = [StoredValues.prefix, StoredValues.prefix + "\u{10FFFF}"]
    return try connection.first(
      """
      SELECT coalesce(sum(count), 0) FROM listing
        WHERE revision = ? AND entity_table >= ? AND entity_table < ?
      """,
      [.integer(revision.number), .text(range[0]), .text(range[1])]
    ) { try StoredNumber.count(try $0.int(0), "a count of entities in snapshot \(revision)") } ?? 0
  }

  static func check(_ computed: Checksum, of snapshot: StoredSnapshot) throws(CorruptionError) {
    guard computed == snapshot.hash else {
      throw CorruptionError.hashMismatch(
        in: "snapshot \(snapshot.header.revision)",
        stored: snapshot.hash,
        computed: computed
      )
    }
  }

  /// The entities of a chunk, verified: puts of its table, and what the list says of them.
  package func block(
    of chunk: ListedChunk,
    in revision: Revision,
    _ catalog: LayoutCatalog
  ) throws -> ChangeBlock {
    try stored(chunk, in: revision).block(catalog)
  }

  /// A chunk as read from the file, which is not verified yet.
  func stored(_ chunk: ListedChunk, in revision: Revision) throws -> StoredChunk {
    let place = "chunk \(chunk.id) of snapshot \(revision)"
    let body = try connection.first("SELECT body FROM chunk WHERE id = ?", [.integer(chunk.id)]) {
      try $0.blob(0)
    }
    guard let body else { throw CorruptionError("\(place) is missing") }
    return StoredChunk(listed: chunk, body: body, place: place)
  }

  /// The size of all chunks in the file.
  package func chunkBytes() throws -> Int64 {
    try connection.first("SELECT coalesce(sum(length(body)), 0) FROM chunk", []) {
      try StoredNumber.sum(try $0.int(0), "the size of the chunks")
    } ?? 0
  }

  /// Writes a snapshot into another file, with what a closure makes of its chunks; nil leaves one out.
  ///
  /// O(chunks), and what the closure costs.
  ///
  /// - Parameters:
  ///   - identity: That of the file that is read.
  ///   - chain: The chain there in the other file.
  ///   - lineage: The lineage of a snapshot that becomes another one.
  package func copy(
    _ snapshot: StoredSnapshot,
    of identity: StoreIdentity,
    _ catalog: LayoutCatalog,
    to other: SnapshotStore,
    chain: Checksum,
    in lineage: Lineage.ID,
    _ write: (ListedChunk) throws -> ListedChunk?
  ) throws {
    let before = try listing(of: snapshot, identity, catalog)
    let listing = try before.compactMap(write)
    var header = snapshot.header
    header.chain = chain
    header.chunks = listing.count
    header.entities = listing.reduce(0) { $0 + $1.count }
    header.bytes = listing.reduce(0) { $0 + $1.size }
    if header != snapshot.header || listing.map(\.hash) != before.map(\.hash) {
      header.lineage = lineage
    }
    try other.write(listing, of: header.revision)
    try other.write(header, hash: header.hash(storeID: identity.id, listing: listing))
  }

  /// The names of snapshots, with their revisions.
  package func names() throws -> [(name: String, revision: Revision)] {
    try HashedTable.snapshotName.rows("ORDER BY revision, name", on: connection) {
      (try $0.text(0), try $0.revision(1, "the revision of a named snapshot"))
    }
  }

  /// Names a snapshot; a name that is used already moves to it.
  package func name(_ name: String, _ revision: Revision) throws(SQLiteError) {
    try HashedTable.snapshotName.insert(
      [.text(name), .integer(revision.number)],
      on: connection,
      .replace
    )
  }

  /// Gives a named snapshot another name, which is not taken.
  package func rename(_ name: String, to newName: String) throws {
    for (known, revision) in try names() where known == name {
      try remove(name: name)
      try self.name(newName, revision)
    }
  }

  /// Removes a name; its snapshot stays.
  package func remove(name: String) throws(SQLiteError) {
    try connection.run("DELETE FROM snapshot_name WHERE name = ?", [.text(name)])
  }

  /// Removes the row of a snapshot and its list; ``removeOrphans(slice:)`` removes its chunks.
  package func remove(_ revision: Revision) throws(SQLiteError) {
    try connection.run("DELETE FROM snapshot WHERE revision = ?", [.integer(revision.number)])
    try connection.run("DELETE FROM listing WHERE revision = ?", [.integer(revision.number)])
  }

  private static let orphans = "FROM listing WHERE revision NOT IN (SELECT revision FROM snapshot)"

  /// How many rows of lists belong to no snapshot.
  func countOfOrphans() throws -> Int {
    try connection.first("SELECT count(*) \(Self.orphans)", []) { Int(try $0.int(0)) } ?? 0
  }

  /// Removes the rows of lists that belong to no snapshot; O(chunks of all snapshots).
  package func removeOrphanedLists() throws(SQLiteError) {
    try connection.run("DELETE \(Self.orphans)", [])
  }

  /// Removes up to `slice` chunks that no snapshot lists; true if none is left.
  package func removeOrphans(slice: Int) throws(SQLiteError) -> Bool {
    try connection.run(
      """
      DELETE FROM chunk WHERE id IN
        (SELECT id FROM chunk WHERE id NOT IN (SELECT chunk FROM listing) LIMIT ?)
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
      lineage: Lineage.ID(
        try StoredNumber.lineage(try row.int(1), "the lineage of \(place())")
      ),
      time: try StoredNumber.time(try row.int(2), "the time of \(place())"),
      chain: try checksum(try row.blob(3)),
      state: state,
      chunks: try StoredNumber.count(try row.int(5), "the count of chunks of \(place())"),
      entities: try StoredNumber.count(try row.int(6), "the count of entities of \(place())"),
      bytes: try StoredNumber.count(try row.int(7), "the size of \(place())")
    )
    return (header, try checksum(try row.blob(8)))
  }

  static func checksum(_ stored: [UInt8]) throws(CorruptionError) -> Checksum {
    guard let checksum = Checksum(bytes: stored) else {
      throw CorruptionError("a hash of a snapshot has \(stored.count) bytes, expected 16")
    }
    return checksum
  }
}
