import StrataBase
package import StrataJournal
package import StrataSQLite
package import StrataSchema

/// Copies rows of the file's tables unchanged from one file into another.
///
/// All SQL of copying is here.
package struct RowCopy {
  let source: Connection
  let destination: Connection
  /// What to do with rows whose hash does not match, where leaving a row out causes no further damage.
  private let damaged: HashedTable.Damaged

  package init(
    source: Connection,
    destination: Connection,
    _ damaged: HashedTable.Damaged = .refuse
  ) {
    self.source = source
    self.destination = destination
    self.damaged = damaged
  }

  /// All but deltas and snapshots: tables, layouts, origins, and the notes on migrations and erasures.
  ///
  /// - Parameters:
  ///   - scripts: Whether the scripts of migrations, which may have values of entities, are copied.
  ///   - hasDefault: Whether the DEFAULT of a column, by the names of its table and itself, is copied.
  package func allButHistory(
    of view: ReadView,
    scripts: Bool = true,
    defaults hasDefault: (_ table: String, _ column: String) -> Bool = { _, _ in true }
  ) throws {
    try tables(defaults: hasDefault)
    for number in view.catalog.allNumbers { try layout(number) }
    try origins()
    try dataMigrations(through: view.last.revision, scripts: scripts)
    try erasures()
  }

  /// The features and tables at a revision, and their declared columns, in place of those that the copy has.
  ///
  /// - Parameter last: nil for all of them.
  package func tables(
    through last: Revision? = nil,
    defaults hasDefault: (_ table: String, _ column: String) -> Bool = { _, _ in true }
  ) throws {
    let last = last?.number ?? .max
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

  /// - Parameter damaged: chunks to leave out.
  func snapshot(
    _ revision: Revision,
    of identity: StoreIdentity,
    _ catalog: LayoutCatalog,
    without damaged: [ListedChunk]
  ) throws {
    if damaged.isEmpty { return try copySnapshot(revision) }
    let snapshots = SnapshotStore(connection: source)
    for snapshot in try snapshots.readable() where snapshot.header.revision == revision {
      try snapshots.copy(
        snapshot,
        identity,
        catalog,
        without: damaged,
        to: SnapshotStore(connection: destination)
      )
    }
    try names(of: revision)
  }

  private func copySnapshot(_ revision: Revision) throws {
    try snapshotWithoutChunks(revision)
    // Snapshots share chunks: one that was copied for another is there already.
    try copy(
      """
      SELECT id, hash, body FROM chunk WHERE id IN (SELECT chunk FROM listing WHERE revision = ?)
      """,
      [.integer(revision.number)],
      "INSERT OR IGNORE INTO chunk (id, hash, body) VALUES (?, ?, ?)"
    )
  }

  /// The row of a snapshot, the list of its chunks, and its names.
  package func snapshotWithoutChunks(_ revision: Revision) throws {
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
