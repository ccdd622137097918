import StrataBase
package import StrataJournal
import StrataMigrations
package import StrataSQLite

/// Copies rows of the file's tables unchanged from one file into another of the newest format.
///
/// The snapshots of format 1 are written as the newest format has them.
///
/// All SQL of copying is here.
package struct RowCopy {
  let source: Connection
  let destination: Connection

  package init(source: Connection, destination: Connection) {
    self.source = source
    self.destination = destination
  }

  /// What is neither delta nor snapshot: tables, layouts, origins, and what is noted of migrations and erasures.
  ///
  /// - Parameter scripts: Whether the scripts of migrations, which may have values of entities, are copied.
  package func allButHistory(of view: ReadView, scripts: Bool = true) throws {
    for table in view.tables.sorted() {
      let since = try StoreIdentity.since(table, in: source) ?? 0
      try StoreIdentity.addTable(table, since: since, to: destination)
    }
    for number in view.catalog.allNumbers { try layout(number) }
    try origins()
    try dataMigrations(through: view.last.revision, scripts: scripts)
    try erasures()
  }

  /// The tables that there are at a revision, and are not in the copy yet.
  package func tables(through last: Revision) throws {
    try copy(
      "SELECT name, since FROM entity_table WHERE since <= ? ORDER BY name",
      [.integer(last.number)],
      "INSERT OR IGNORE INTO entity_table (name, since) VALUES (?, ?)"
    )
  }

  func layout(_ number: Int64) throws {
    try copy(
      "SELECT id, entity_table, hash, body FROM layout WHERE id = ?",
      [.integer(number)],
      "INSERT INTO layout (id, entity_table, hash, body) VALUES (?, ?, ?, ?)"
    )
  }

  func origins() throws {
    try copy(
      "SELECT id, uuid, opened FROM origin ORDER BY id",
      [],
      "INSERT INTO origin (id, uuid, opened) VALUES (?, ?, ?)"
    )
  }

  /// - Parameter damaged: chunks to leave out.
  func snapshot(
    _ revision: Revision,
    of identity: StoreIdentity,
    _ catalog: LayoutCatalog,
    without damaged: [ListedChunk]
  ) throws {
    let old = try SnapshotStore(connection: source)
    if old.isOfFormat1 || !damaged.isEmpty {
      let new = try SnapshotStore(connection: destination)
      for snapshot in try old.readable() where snapshot.header.revision == revision {
        try old.convert(snapshot, identity, catalog, without: damaged, to: new)
      }
      try names(of: revision)
    } else {
      try copySnapshot(revision)
    }
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
      SELECT revision, epoch, time, chain, state, chunks, entities, bytes, hash FROM snapshot
        WHERE revision = ?
      """,
      [.integer(revision.number)],
      """
      INSERT INTO snapshot (revision, epoch, time, chain, state, chunks, entities, bytes, hash)
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
    try CorruptionError.nilIfCorrupt {
      try copy(
        "SELECT name, revision FROM snapshot_name WHERE revision = ?",
        [.integer(revision.number)],
        "INSERT INTO snapshot_name (name, revision) VALUES (?, ?)"
      )
    }
  }

  /// The deltas after a revision up to another, and their blocks.
  ///
  /// SQLite assumes that keys are in order. Where one is damaged, the range may include a row from outside;
  /// the conditions on `first` exclude it.
  func deltas(after first: Revision, through last: Revision) throws {
    let context = try StoreFormat.isFirst(source) ? "NULL" : "context"
    let range: [Value] = [.integer(first.number), .integer(last.number)]
    try copy(
      """
      SELECT revision, first, epoch, time, origin, key, name, place, entities, parts, bytes, body,
        hash, \(context) FROM delta WHERE revision > ? AND revision <= ? AND first > ? AND first <= revision
        AND first <= ? ORDER BY revision
      """,
      range + range,
      """
      INSERT INTO delta (revision, first, epoch, time, origin, key, name, place, entities, parts,
        bytes, body, hash, context) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    )
    // Most deltas have one block, so the table may be unreadable and not needed. Whether the copy has all
    // that is needed is verified afterwards. Indexes are made again by the next writer.
    try CorruptionError.nilIfCorrupt {
      try copy(
        """
        SELECT revision, part, body FROM delta_part WHERE revision > ? AND revision <= ? AND part > 0
          ORDER BY revision, part
        """,
        range,
        "INSERT INTO delta_part (revision, part, body) VALUES (?, ?, ?)"
      )
    }
  }

  /// The migrations of the user's data up to a revision.
  ///
  /// - Parameter scripts: Whether their scripts, which may have values of entities, are copied.
  package func dataMigrations(through last: Revision, scripts: Bool = true) throws {
    if try StoreFormat.isFirst(source) { return }
    let columns = """
      kind, version, name, checksum, applied, duration, form, script, revision, layout,
        replaces_first, replaces_last
      """
    try copy(
      """
      SELECT \(scripts ? columns : columns.replacing("script", with: "NULL")) FROM migration
      WHERE kind = 1 AND revision <= ? ORDER BY version
      """,
      [.integer(last.number)],
      "INSERT INTO migration (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
  }

  /// The entities that were erased.
  package func erasures() throws {
    for entry in try ErasureLedger.entries(on: source) {
      try ErasureLedger.append(entry, on: destination)
    }
  }

  /// How far the readers of the journal have come.
  ///
  /// - Parameter chain: The chain at a revision in the new file.
  func consumers(_ chain: (Revision) -> Checksum?) throws {
    try source.forEach("SELECT name, revision, chain FROM consumer", []) { row in
      let revision = try row.revision(1, "the revision of a consumer")
      var bytes = try row.blob(2)
      if let known = chain(revision) { bytes = known.bytes }
      try destination.run(
        "INSERT INTO consumer (name, revision, chain) VALUES (?, ?, ?)",
        [.text(try row.text(0)), .integer(revision.number), .blob(bytes)]
      )
      return .continue
    }
  }

  private func copy(_ query: String, _ values: [Value], _ insertion: String) throws {
    try source.forEach(query, values) { row in
      try destination.run(insertion, try (0..<row.count).map { try row.value($0) })
      return .continue
    }
  }
}
