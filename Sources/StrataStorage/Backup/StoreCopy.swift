import StrataBase
package import StrataJournal
package import StrataSQLite
package import StrataSchema

/// A store's file that is made from another file of the store; ``NewFile`` gives it its place.
///
/// A copy of pages (``NewFile/createCopy(of:)``) is the same file again. A copy of rows has the rows that are named, so nothing
/// else is in its bytes. Rows are unchanged, but for what they say of a time after the end of the copy.
///
/// ```swift
/// try file.createStore(now: now) { connection in
///   let copy = StoreCopy(from: source, to: connection, through: revision)
///   try copy.allButHistory(of: view, as: identity)
///   try copy.history(of: view)
/// }
/// ```
///
/// CONTRIBUTING has a table of all kinds of copies. All SQL of copying is here.
package struct StoreCopy {
  private let source: Connection
  private let destination: Connection
  /// Where the copy ends; nil for the end of the file.
  private let end: Revision?
  /// What to do with rows whose hash does not match, where leaving a row out causes no further damage.
  private let damaged: HashedTable.Damaged

  package init(
    from source: Connection,
    to destination: Connection,
    through end: Revision? = nil,
    _ damaged: HashedTable.Damaged = .refuse
  ) {
    (self.source, self.destination) = (source, destination)
    (self.end, self.damaged) = (end, damaged)
  }

  /// Completes a file that was made from another one and closes it; returns its position.
  ///
  /// - Parameters:
  ///   - reason: Why it is in another lineage, which starts where the file ends; nil if it is in the same one.
  ///   - epoch: The epoch that it has at least.
  package static func finish(
    _ connection: Connection,
    _ reason: Lineage.Reason?,
    raisingEpochTo epoch: Int64 = 0
  ) throws -> Position {
    let view = try ReadView(connection)
    var identity = view.identity
    identity.epoch = max(identity.epoch, epoch)
    if let reason { identity.branch(reason, after: view.end, at: Scheduling.date) }
    try connection.transaction {
      try identity.replace(in: connection)
      if reason != nil { try LeadershipRecord.noteTakenBack(to: view.end, in: connection) }
    }
    try connection.checkpoint(.truncate)
    try connection.close()
    return identity.position(at: view.end)
  }
}

/// What stands beside deltas and snapshots.
extension StoreCopy {
  /// All but deltas and snapshots: identity, tables, layouts, origins, and the notes on migrations and erasures.
  ///
  /// - Parameters:
  ///   - identity: That of the copy, with its lineages.
  ///   - scripts: Whether the scripts of migrations, which may have values of entities, are copied.
  ///   - hasDefault: Whether the DEFAULT of a column, by the names of its table and itself, is copied.
  package func allButHistory(
    of view: ReadView,
    as identity: StoreIdentity,
    scripts: Bool = true,
    defaults hasDefault: (_ table: String, _ column: String) -> Bool = { _, _ in true }
  ) throws {
    try identity.write(to: destination)
    try tables(defaults: hasDefault)
    // The copy keeps later layouts of tables that it has, as no remaining record uses them.
    let later = Set(view.listed.filter { $0.since > end ?? $0.since }.map(\.name))
    for number in view.catalog.allNumbers {
      if let table = view.catalog.table(of: number), later.contains(table) { continue }
      try layout(number)
    }
    try origins()
    try dataMigrations(through: end ?? view.last.revision, scripts: scripts)
    try erasures()
  }

  /// The features and tables where the copy ends, and their declared columns, in place of those that it has.
  package func tables(
    defaults hasDefault: (_ table: String, _ column: String) -> Bool = { _, _ in true }
  ) throws {
    let last = end?.number ?? .max
    try rows(of: .feature, "WHERE since <= ?", [.integer(last)], damaged, .replace)
    try destination.execute("DELETE FROM declared_column")
    try rows(of: .entityTable, "WHERE since <= ?", [.integer(last)], damaged, .replace) {
      HashedTable.entityTable.removeEnd(after: last, from: &$0)
    }
    try rows(of: .declaredColumn, "WHERE since <= ?", [.integer(last)], damaged, .replace) {
      HashedTable.declaredColumn.removeEnd(after: last, from: &$0)
      if case .text(let table) = $0[0], case .text(let name) = $0[1], !hasDefault(table, name) {
        $0[5] = .null
      }
    }
  }

  /// Rows of a table, which get new hashes.
  private func rows(
    of table: HashedTable,
    _ rest: String,
    _ values: [Value] = [],
    _ damaged: HashedTable.Damaged,
    _ existing: HashedTable.Existing = .refuse,
    _ change: (inout [Value]) -> Void = { _ in }
  ) throws {
    for var row in try table.values(rest, values, on: source, damaged) {
      change(&row)
      try table.insert(row, on: destination, existing)
    }
  }

  func layout(_ number: Int64) throws {
    try copy(
      "SELECT id, entity_table, hash, body FROM layout WHERE id = ?",
      [.integer(number)],
      "INSERT INTO layout (id, entity_table, hash, body) VALUES (?, ?, ?, ?)"
    )
  }

  /// A damaged one is kept: deltas name it.
  func origins() throws {
    try rows(of: .origin, "ORDER BY id", [], damaged == .refuse ? .refuse : .keep)
  }

  /// The migrations of the user's data up to a revision.
  ///
  /// A damaged row is kept: without it the list would have a gap.
  ///
  /// - Parameter scripts: Whether their scripts, which may have values of entities, are copied.
  package func dataMigrations(through last: Revision, scripts: Bool = true) throws {
    try rows(
      of: .migration,
      "WHERE kind = 1 AND revision <= ? ORDER BY version, revision",
      [.integer(last.number)],
      damaged == .refuse ? .refuse : .keep
    ) { values in
      if !scripts { values[8] = .null }
      HashedTable.migration.removeEnd(after: last.number, from: &values)
    }
  }

  /// The entities that were erased.
  package func erasures() throws { try rows(of: .erasure, "ORDER BY number", [], damaged) }

  private func copy(_ query: String, _ values: [Value], _ insertion: String) throws {
    try source.forEach(query, values) { row in
      try destination.run(insertion, try (0..<row.count).map { try row.value($0) })
      return .continue
    }
  }
}

/// Deltas and snapshots.
extension StoreCopy {
  /// The snapshots and deltas up to the end of the copy, and the indexes of their changes.
  package func history(of view: ReadView) throws {
    let last = end ?? view.last.revision
    for snapshot in view.verified where snapshot.header.revision <= last {
      try self.snapshot(snapshot.header.revision)
    }
    try deltas(after: view.startOfJournal, through: last)
    try copy(
      "SELECT revision, body FROM change_index WHERE revision > ? AND revision <= ?",
      [.integer(view.startOfJournal.number), .integer(last.number)],
      "INSERT INTO change_index (revision, body) VALUES (?, ?)"
    )
  }

  /// A snapshot with its names, without its damaged chunks.
  func snapshot(
    _ revision: Revision,
    of identity: StoreIdentity,
    _ catalog: LayoutCatalog,
    without damaged: [ListedChunk]
  ) throws {
    if damaged.isEmpty { return try snapshot(revision) }
    let (snapshots, copies) = (
      SnapshotStore(connection: source), SnapshotStore(connection: destination)
    )
    for snapshot in try snapshots.readable() where snapshot.header.revision == revision {
      let (chain, lineage) = (snapshot.header.chain, snapshot.header.lineage)
      try snapshots.copy(snapshot, of: identity, catalog, to: copies, chain: chain, in: lineage) {
        var chunk = $0
        if damaged.contains(chunk) { return nil }
        let block = try snapshots.block(of: chunk, in: revision, catalog)
        chunk.id = try copies.chunk(with: block.bytes, hash: chunk.hash)
        return chunk
      }
    }
    try names(of: revision)
  }

  /// What a copy has of the chunks of a snapshot.
  package enum Chunks: String {
    case whole = "body"
    /// Their hashes, with an empty body.
    case hashes = "x''"
  }

  /// A snapshot with the list of its chunks and its names.
  package func snapshot(_ revision: Revision, _ chunks: Chunks = .whole) throws {
    try copy(
      """
      SELECT revision, lineage, time, chain, state, chunks, entities, bytes, hash FROM snapshot
        WHERE revision = ?
      """,
      [.integer(revision.number)],
      """
      INSERT INTO snapshot (revision, lineage, time, chain, state, chunks, entities, bytes, hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    )
    try copy(
      """
      SELECT revision, entity_table, first, count, bytes, chunk FROM listing WHERE revision = ?
      """,
      [.integer(revision.number)],
      """
      INSERT INTO listing (revision, entity_table, first, count, bytes, chunk)
        VALUES (?, ?, ?, ?, ?, ?)
      """
    )
    // Snapshots share chunks: one that was copied for another is there already.
    try copy(
      """
      SELECT id, hash, \(chunks.rawValue) FROM chunk
        WHERE id IN (SELECT chunk FROM listing WHERE revision = ?)
      """,
      [.integer(revision.number)],
      "INSERT OR IGNORE INTO chunk (id, hash, body) VALUES (?, ?, ?)"
    )
    try names(of: revision)
  }

  private func names(of revision: Revision) throws {
    try rows(of: .snapshotName, "WHERE revision = ?", [.integer(revision.number)], damaged)
  }

  /// The deltas after a revision up to another, and their blocks.
  ///
  /// SQLite assumes that keys are in order. Where one is damaged, the range may include a row from outside;
  /// the conditions on `first` exclude it.
  func deltas(after first: Revision, through last: Revision) throws {
    let range: [Value] = [.integer(first.number), .integer(last.number)]
    try copy(
      """
      SELECT revision, first, lineage, time, origin, trace, name, place, entities, parts, bytes, body,
        hash, context FROM delta WHERE revision > ? AND revision <= ? AND first > ? AND first <= revision
        AND first <= ? ORDER BY revision
      """,
      range + range,
      """
      INSERT INTO delta (revision, first, lineage, time, origin, trace, name, place, entities, parts,
        bytes, body, hash, context) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    )
    // Most deltas have one block, so an unreadable table may not be needed. Whether the copy has all that is
    // needed is verified afterwards. The next writer makes the indexes again.
    try CorruptionError.nilIfCorrupt {
      try copy(
        """
        SELECT revision, part, body FROM delta_part WHERE revision > ? AND revision <= ?
          AND revision IN (SELECT revision FROM delta) ORDER BY revision, part
        """,
        range,
        "INSERT INTO delta_part (revision, part, body) VALUES (?, ?, ?)"
      )
    }
  }
}
