import Foundation
package import StrataBase
package import StrataSQLite

/// The deltas of a file, in order.
///
/// It reads and writes rows; their meaning is the subject of ``JournalReplay`` and ``DeltaEncoder``. Copying the journal
/// (`StoreCopy`) has SQL of its own.
package struct Journal {
  package let connection: Connection
  package init(connection: Connection) { self.connection = connection }

  /// The columns of a header.
  private static let columns = """
    revision, first, lineage, time, origin, trace, name, place, entities, parts, bytes, hash, context
    """
  /// The size of a delta in the file; its parameter is the size of a row without name, place, context and
  /// body.
  private static let size =
    "bytes + length(name) + length(place) + ? + coalesce(length(context), 0)"

  /// Adds a delta; fails if there is one of its revision, which is the key.
  package func append(_ header: DeltaHeader, body: [UInt8], hash: Checksum) throws(SQLiteError) {
    try connection.run(
      """
      INSERT INTO delta (revision, first, lineage, time, origin, trace, name, place, entities, parts,
        bytes, hash, context, body)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(header.revision.number), .integer(header.first.number),
        .integer(header.lineage.number),
        .integer(header.time), .integer(header.origin), .blob(orNull: header.trace),
        .text(header.name), .text(header.place), .integer(Int64(header.entities)),
        .integer(Int64(header.blocks)), .integer(Int64(header.bytes)), .blob(hash.bytes),
        .blob(orNull: header.context), .blob(body),
      ]
    )
  }

  /// Adds a block other than the first of a delta, before the delta itself.
  package func appendBlock(
    _ number: Int,
    of revision: Revision,
    _ body: [UInt8]
  ) throws(SQLiteError) {
    try connection.run(
      "INSERT INTO delta_part (revision, part, body) VALUES (?, ?, ?)",
      [.integer(revision.number), .integer(Int64(number)), .blob(body)]
    )
  }

  /// Adds the index of a run that ends with a delta, or replaces it.
  package func append(_ index: ChangeIndex) throws(SQLiteError) {
    try connection.run(
      "INSERT OR REPLACE INTO change_index (revision, body) VALUES (?, ?)",
      [.integer(index.last.number), .blob(index.body)]
    )
  }

  /// The last revision of the last run that has an index; nil if none has, or if none can be read.
  ///
  /// An index is never required, so a damaged one is no error.
  func lastIndexed() throws -> Revision? {
    try CorruptionError.nilIfCorrupt {
      try connection.first("SELECT max(revision) FROM change_index", []) {
        try $0.optionalInt(0).map { try StoredNumber.revision($0, "the revision of an index") }
      } ?? nil
    } ?? nil
  }

  /// Removes the indexes of runs that end after a revision, where no delta is.
  func removeIndexes(after last: Revision) throws(SQLiteError) {
    try connection.run("DELETE FROM change_index WHERE revision > ?", [.integer(last.number)])
  }

  /// Removes an index.
  func removeIndex(endingAt last: Revision) throws(SQLiteError) {
    try connection.run("DELETE FROM change_index WHERE revision = ?", [.integer(last.number)])
  }

  private static let orphans = "FROM delta_part WHERE revision NOT IN (SELECT revision FROM delta)"

  /// How many parts belong to no delta.
  func countOfOrphans() throws -> Int {
    try connection.first("SELECT count(*) \(Self.orphans)", []) { Int(try $0.int(0)) } ?? 0
  }

  /// Removes the parts that belong to no delta; O(parts).
  package func removeOrphans() throws(SQLiteError) {
    try connection.run("DELETE \(Self.orphans)", [])
  }

  /// Throws if a part is stored where the next delta comes, which could then not be appended.
  ///
  /// O(log parts).
  package func checkEnd(at last: Revision) throws {
    let revision = try connection.first(
      "SELECT revision FROM delta_part WHERE revision > ? LIMIT 1",
      [.integer(last.number)]
    ) { try $0.int(0) }
    guard let revision else { return }
    throw CorruptionError(
      "delta_part has a part of revision \(revision), which has no delta: the journal ends at \(last)"
    )
  }

  /// Goes through the indexes of runs that end after a revision, in order, each with the chain at its end.
  func forEachIndex(
    after revision: Revision,
    _ body: (Revision, _ chain: Checksum, _ index: UnsafeRawBufferPointer) throws ->
      Connection.RowDecision
  ) throws {
    try connection.forEach(
      """
      SELECT revision, hash, change_index.body FROM change_index JOIN delta USING (revision)
        WHERE revision > ? ORDER BY revision
      """,
      [.integer(revision.number)]
    ) { row in
      let last = try row.revision(0, "the revision of an index")
      guard let chain = try row.withBlob(1, { Checksum(stored: $0) }) else { return .continue }
      return try row.withBlob(2) { try body(last, chain, $0) }
    }
  }

  /// The first index of a run that ends after a revision, and the chain at its end; nil if there is none.
  package func index(after revision: Revision) throws -> (index: ChangeIndex, chain: Checksum)? {
    var found: (ChangeIndex, Checksum)?
    try forEachIndex(after: revision) { last, chain, body in
      found = (ChangeIndex(last: last, body: Array(body)), chain)
      return .stop
    }
    return found
  }

  /// Reads the changes of the run after a revision as an index, up to `last` if given.
  ///
  /// O(its deltas).
  package func changes(after revision: Revision, through last: Revision? = nil) throws
    -> ChangeIndex
  {
    var builder = ChangeIndexBuilder(after: revision)
    try connection.forEach(
      "SELECT revision, entities, parts, hash, body FROM delta WHERE revision > ? ORDER BY revision",
      [.integer(revision.number)]
    ) { row in
      let revision = try row.revision(0, "the revision of a delta")
      if let last, revision > last { return .stop }
      let (entities, blocks) = (try row.int(1), try row.int(2))
      let hash = try row.withBlob(3) { Checksum(stored: $0) } ?? Checksum(of: [])
      try row.withBlob(4) {
        builder.add(revision, entities: Int(entities), blocks: Int(blocks), hash: hash, $0)
      }
      if last != nil { return .continue }
      return builder.deltas < ChangeIndex.revisionsOfRun
        && builder.count < ChangeIndex.changesOfRun ? .continue : .stop
    }
    return builder.finish()
  }

  /// The header and hash of the last delta; nil if there is none.
  package func last() throws -> (header: DeltaHeader, hash: Checksum)? {
    try connection.first(
      "SELECT \(Self.columns) FROM delta ORDER BY revision DESC LIMIT 1",
      [],
      Self.header
    )
  }

  /// The last revision; 0 if there is no delta.
  func lastRevision() throws -> Revision {
    try connection.first("SELECT max(revision) FROM delta", []) {
      try StoredNumber.revision(try $0.optionalInt(0) ?? 0, "the last revision")
    } ?? 0
  }

  /// Up to `limit` headers after a revision, in order.
  package func headers(
    after revision: Revision,
    limit: Int
  ) throws -> [(header: DeltaHeader, hash: Checksum)] {
    try connection.all(
      "SELECT \(Self.columns) FROM delta WHERE revision > ? ORDER BY revision LIMIT ?",
      [.integer(revision.number), .integer(Int64(limit))],
      Self.header
    )
  }

  /// Up to `limit` headers after a revision of the deltas with a trace, which runs of migrations have written, in order.
  package func migrationHeaders(
    after revision: Revision,
    through last: Revision,
    limit: Int
  ) throws -> [(header: DeltaHeader, hash: Checksum)] {
    try connection.all(
      """
      SELECT \(Self.columns) FROM delta
        WHERE revision > ? AND revision <= ? AND trace IS NOT NULL
        ORDER BY revision LIMIT ?
      """,
      [.integer(revision.number), .integer(last.number), .integer(Int64(limit))],
      Self.header
    )
  }

  /// Up to `limit` headers before a revision, the last first.
  package func headers(
    before revision: Revision,
    limit: Int
  ) throws -> [(header: DeltaHeader, hash: Checksum)] {
    try connection.all(
      "SELECT \(Self.columns) FROM delta WHERE revision < ? ORDER BY revision DESC LIMIT ?",
      [.integer(revision.number), .integer(Int64(limit))],
      Self.header
    )
  }

  /// Throws if a damaged B-tree has deltas in another order: who reads on from the last one would not come to an end.
  private static func checkOrder(_ revision: Revision, after before: Revision) throws {
    if revision > before { return }
    throw CorruptionError("delta \(revision) comes after delta \(before)")
  }

  /// Goes through the revisions and times of the deltas after a revision, up to another one and up to `limit` of them.
  ///
  /// Throws `CorruptionError` if they are in another order.
  package func forEachTime(
    after revision: Revision,
    through last: Revision = Revision(StoredNumber.last),
    limit: Int = .max,
    _ body: (Revision, _ microseconds: Int64) -> Void
  ) throws {
    var before = revision
    try connection.forEach(
      "SELECT revision, time FROM delta WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?",
      [.integer(revision.number), .integer(last.number), .integer(Int64(limit))]
    ) { row in
      let next = try row.revision(0, "the revision of a delta")
      try Self.checkOrder(next, after: before)
      before = next
      body(next, try row.int(1))
      return .continue
    }
  }

  /// Goes through the revisions and names of the deltas after a revision, up to another one.
  ///
  /// Throws `CorruptionError` if they are in another order.
  package func forEachName(
    after revision: Revision,
    through last: Revision,
    _ body: (Revision, String) -> Void
  ) throws {
    var before = revision
    try connection.forEach(
      "SELECT revision, name FROM delta WHERE revision > ? AND revision <= ? ORDER BY revision",
      [.integer(revision.number), .integer(last.number)]
    ) { row in
      let next = try row.revision(0, "the revision of a delta")
      try Self.checkOrder(next, after: before)
      before = next
      body(next, try row.text(1))
      return .continue
    }
  }

  /// The deltas after a revision, each with its first block, up to about `limit` bytes.
  ///
  /// Returns at least one if there is one. Throws `CorruptionError` if they are in another order.
  package func deltas(after revision: Revision, upTo limit: Int) throws -> [StoredDelta] {
    var rows: [StoredDelta] = []
    var bytes = 0
    try connection.forEach(
      "SELECT \(Self.columns), body FROM delta WHERE revision > ? ORDER BY revision",
      [.integer(revision.number)]
    ) { row in
      let (header, hash) = try Self.header(row)
      try Self.checkOrder(header.revision, after: rows.last?.header.revision ?? revision)
      rows.append(StoredDelta(header: header, hash: hash, body: try row.blob(13)))
      bytes += rows[rows.count - 1].body.count + 200
      return bytes < limit ? .continue : .stop
    }
    return rows
  }

  /// Block 0, 1, 2 … of a delta.
  package func block(_ number: Int, of revision: Revision) throws -> [UInt8]? {
    if number == 0 {
      return try connection.first(
        "SELECT body FROM delta WHERE revision = ?",
        [.integer(revision.number)]
      ) { try $0.blob(0) }
    }
    return try connection.first(
      "SELECT body FROM delta_part WHERE revision = ? AND part = ?",
      [.integer(revision.number), .integer(Int64(number))]
    ) { try $0.blob(0) }
  }

  /// The approximate size in the file of the deltas after a revision.
  package func bytes(after revision: Revision) throws -> Int64 {
    try connection.first(
      """
      SELECT coalesce(sum(\(Self.size)), 0) FROM delta
        WHERE revision > ?
      """,
      [.integer(Int64(DeltaHeader.rowBytes)), .integer(revision.number)]
    ) { try StoredNumber.sum(try $0.int(0), "the size of the deltas") } ?? 0
  }

  /// The approximate size in the file of the deltas after a revision and up to another, and how many
  /// entities they changed.
  package func extent(
    after first: Revision,
    through last: Revision
  ) throws -> (bytes: Int64, changes: Int64) {
    try connection.first(
      """
      SELECT coalesce(sum(\(Self.size)), 0), coalesce(sum(entities), 0) FROM delta
        WHERE revision > ? AND revision <= ?
      """,
      [
        .integer(Int64(DeltaHeader.rowBytes)), .integer(first.number), .integer(last.number),
      ]
    ) {
      (
        try StoredNumber.sum(try $0.int(0), "the size of the deltas"),
        try StoredNumber.sum(try $0.int(1), "the count of changes")
      )
    } ?? (0, 0)
  }

  /// The approximate size in the file of the first `slice` deltas after a revision, and the last of
  /// them; nil if there is none.
  package func bytes(after revision: Revision, slice: Int) throws -> (bytes: Int64, last: Revision)?
  {
    let found = try connection.first(
      """
      SELECT sum(size), max(revision) FROM
        (SELECT revision, \(Self.size) AS size FROM delta
          WHERE revision > ? ORDER BY revision LIMIT ?)
      """,
      [
        .integer(Int64(DeltaHeader.rowBytes)), .integer(revision.number), .integer(Int64(slice)),
      ]
    ) { (try $0.optionalInt(0), try $0.optionalInt(1)) }
    guard let (bytes, last) = found, let bytes, let last else { return nil }
    return (
      try StoredNumber.sum(bytes, "the size of the deltas"),
      try StoredNumber.revision(last, "a revision")
    )
  }

  /// The first revision of the file's first delta; nil if there is none.
  package func first() throws -> Revision? {
    try connection.first("SELECT first FROM delta ORDER BY revision LIMIT 1", []) {
      try $0.revision(0, "the first revision")
    }
  }

  /// The number of deltas, the first revision and the size of all blocks.
  package func extent() throws -> (count: Int64, first: Revision?, bytes: Int64) {
    try connection.first("SELECT count(*), min(first), coalesce(sum(bytes), 0) FROM delta", []) {
      (
        try $0.int(0),
        try $0.optionalInt(1).map { try StoredNumber.revision($0, "the first revision") },
        try StoredNumber.sum(try $0.int(2), "the size of the deltas")
      )
    } ?? (0, nil, 0)
  }

  /// The number of deltas after a revision, up to another one; O(them).
  package func count(after start: Revision, through end: Revision) throws -> Int {
    let statement = "SELECT count(*) FROM delta WHERE revision > ? AND revision <= ?"
    let bounds = [Value.integer(start.number), .integer(end.number)]
    return Int(try connection.first(statement, bounds) { try $0.int(0) } ?? 0)
  }

  /// Removes up to `slice` deltas up to a revision, the oldest first, so that the rest has no gap after
  /// an interruption.
  ///
  /// Returns whether none is left, and the approximate number of bytes removed.
  package func trim(through revision: Revision, slice: Int) throws -> (isDone: Bool, bytes: Int64) {
    let last = try connection.first(
      """
      SELECT max(revision), count(*), sum(size) FROM
        (SELECT revision, \(Self.size) AS size FROM delta
          WHERE revision <= ? ORDER BY revision LIMIT ?)
      """,
      [
        .integer(Int64(DeltaHeader.rowBytes)), .integer(revision.number), .integer(Int64(slice)),
      ]
    ) { (try $0.optionalInt(0), try $0.int(1), try $0.optionalInt(2) ?? 0) }
    guard let (through, count, bytes) = last, let through else { return (true, 0) }
    _ = try StoredNumber.sum(bytes, "the size of the deltas")
    for table in ["change_index", "delta_part"] {
      try connection.run("DELETE FROM \(table) WHERE revision <= ?", [.integer(through)])
    }
    try connection.run("DELETE FROM delta WHERE revision <= ?", [.integer(through)])
    return (count < Int64(slice), bytes)
  }

  private static func header(_ row: borrowing Row) throws -> (header: DeltaHeader, hash: Checksum) {
    let revision = try row.revision(0, "the revision of a delta")
    func place() -> String { "delta \(revision)" }
    let storedHash = try row.blob(11)
    guard let hash = Checksum(bytes: storedHash) else {
      throw CorruptionError(
        "the hash of delta \(revision) has \(storedHash.count) bytes, expected 16"
      )
    }
    let header = DeltaHeader(
      revision: revision,
      first: try StoredNumber.revision(try row.int(1), "the first revision of \(place())"),
      lineage: Lineage.ID(
        try StoredNumber.lineage(try row.int(2), "the lineage of \(place())")
      ),
      time: try StoredNumber.time(try row.int(3), "the time of \(place())"),
      origin: try row.int(4),
      trace: try row.optionalBlob(5),
      name: try row.text(6),
      place: try row.text(7),
      entities: try StoredNumber.count(try row.int(8), "the count of entities of \(place())"),
      blocks: try StoredNumber.count(try row.int(9), "the count of blocks of \(place())"),
      bytes: try StoredNumber.count(try row.int(10), "the size of \(place())"),
      context: try row.optionalBlob(12)
    )
    guard header.blocks >= 1 else { throw CorruptionError("\(place()) has no blocks") }
    return (header, hash)
  }
}
