import Foundation
import StrataBase
import StrataRecords
import StrataSQLite
import StrataSchema

/// The result of verifying a file: a list of checks, each with what it found.
package struct Verification: Codable, Sendable, Equatable {
  package struct Check: Codable, Sendable, Equatable {
    package var name: String
    package var passed: Bool
    /// Whether the finding is not damage, but still worth a look.
    package var isNote = false
    package var detail: String
  }

  package var path: String
  package var checks: [Check] = []

  package init(path: String) { self.path = path }

  /// Whether every check passed.
  package var isSound: Bool { checks.allSatisfy(\.passed) }
}

extension Verification {
  /// Runs a check that returns what it found, or throws what is wrong.
  package mutating func run(_ name: String, _ check: () throws -> String) {
    runNoting(name) { (try check(), isNote: false) }
  }

  /// Runs a check whose finding may not be damage, but still worth a look.
  mutating func runNoting(_ name: String, _ check: () throws -> (detail: String, isNote: Bool)) {
    do {
      let (detail, isNote) = try check()
      checks.append(Check(name: name, passed: true, isNote: isNote, detail: detail))
    } catch {
      let sentence = (error as? PersistenceError.Reason)?.sentence
      checks.append(Check(name: name, passed: false, detail: sentence ?? "\(error)"))
    }
  }
}

extension Inspector {
  /// Verifies everything in the file: every page, every SQLite index, every hash, every record, and that each
  /// snapshot equals the one before it merged with the deltas in between.
  ///
  /// O(file), several times over.
  ///
  /// A writer at work may trim what is being read; then all of it is read again. SQLite's pages are not
  /// checked meanwhile, because that would delay the writer.
  ///
  /// Throws only when the file could not be checked: `.busy` if the writer trims faster than this can read.
  /// What is wrong with the file is in the result.
  package func verify() throws(PersistenceError) -> Verification {
    do {
      for _ in 0..<Self.attempts {
        let (verification, view) = runChecks()
        guard !verification.isSound, let view, try wasTrimmed(since: view) else {
          return verification
        }
      }
    } catch {
      throw PersistenceError(.inspecting, path: path.file, wrapping: error)
    }
    throw busy
  }

  private func runChecks() -> (Verification, ReadView?) {
    var verification = Verification(path: path.file)
    verification.run("schema") { try verifySchema() }
    verification.run("pages") { try verifyPages() }
    let view: ReadView
    do {
      view = try ReadView(access.connection)
    } catch {
      verification.run("identity") { throw error }
      return (verification, nil)
    }
    verification.run("identity") { "store \(view.identity.id), lineage \(view.identity.lineage)" }
    verification.run("rows") { try verifyRows(view) }
    verification.run("tables") {
      try view.checkListed(view.catalog.tables)
      return Measures.count(view.tables.count, "table", "tables")
    }
    for snapshot in view.verified.reversed() {
      verification.run("snapshot \(snapshot.header.revision)") { try verify(snapshot, view) }
    }
    verification.run("journal") { try verifyJournal(view) }
    // A short journal has no indexes.
    if view.mayHaveIndexes { verification.run("index") { try verifyIndexes(view) } }
    for (newer, older) in zip(view.anchors, view.anchors.dropFirst()) {
      verification.run("merge \(older.header.revision)…\(newer.header.revision)") {
        try verifyMerge(from: older, to: newer, view)
      }
    }
    verification.runNoting("head") { try verifyHead(view) }
    return (verification, view)
  }

  private func verifyPages() throws -> String {
    if access.mode == .live { return "not checked, because a writer is at work" }
    try access.connection.checkWriteVersion()
    let problems = try access.connection.integrityCheck()
    guard problems.isEmpty else { throw CorruptionError(problems.joined(separator: "; ")) }
    return "\(try access.connection.pageCount()) pages"
  }

  /// Compares the schema with that of the migrations again: verifying may start long after the opening.
  private func verifySchema() throws -> String {
    try RestoredFile.check(access.connection, path, .inspecting)
    let ledger = try MigrationLedger.entries(on: access.connection)
    guard ledger.last?.version == StoreFormat.known else {
      throw CorruptionError("its list of migrations lacks the one that made its schema")
    }
    return "format \(StoreFormat.known)"
  }

  /// Verifies every row that has a hash of its own, that each name belongs to a snapshot, and that no row is
  /// left of a missing delta or snapshot.
  private func verifyRows(_ view: ReadView) throws -> String {
    var count = 0
    for table in HashedTable.all { count += try table.verify(access.connection) }
    try MigrationTrace.checkListed(
      DataLedger.entries(on: access.connection),
      in: access.connection
    )
    let snapshots = Set(view.verified.map(\.header.revision))
    for (name, revision) in view.names where !snapshots.contains(revision) {
      throw CorruptionError(
        "the snapshot named “\(name.shortened(to: 60))” is not there: it has no revision \(revision)"
      )
    }
    for (table, orphans) in try view.orphans() where orphans > 0 {
      throw CorruptionError(
        """
        \(Measures.count(orphans, "row", "rows")) of \(table) belong to nothing; the next opening for writing \
        removes them
        """
      )
    }
    return Measures.count(count, "row", "rows")
  }

  private func verify(_ snapshot: StoredSnapshot, _ view: ReadView) throws -> String {
    var cursor = try view.cursor(snapshot)
    try view.checkListed(Set(cursor.listing.map(\.table)))
    var count = 0
    var last: EntityKey?
    while let entity = try cursor.next() {
      try verify(entity, view)
      guard last.map({ $0 < entity.key }) ?? true else {
        throw CorruptionError("its entities are out of order")
      }
      last = entity.key
      count += 1
    }
    guard count == snapshot.header.entities else {
      throw CorruptionError(
        "it has \(count) entities, but its row states \(snapshot.header.entities)"
      )
    }
    return Measures.count(count, "entity", "entities")
  }

  private func verify(_ entity: StoredEntity, _ view: ReadView) throws {
    let layout = try view.catalog.layout(entity.layout)
    do {
      _ = try RecordValue(record: entity.record, layout: layout)
    } catch {
      throw CorruptionError(
        "the record \(EncodedID.text(of: entity.id)) of \(entity.table) cannot be read: \(error)"
      )
    }
  }

  /// Verifies every delta after the oldest snapshot that the journal reaches back to, and its records.
  private func verifyJournal(_ view: ReadView) throws -> String {
    guard let oldest = view.anchors.last else {
      throw CorruptionError(
        "it starts at revision \(view.first ?? 1), and no snapshot reaches up to it"
      )
    }
    var replay = view.replay(after: oldest.header)
    var entities = 0
    while replay.revision < view.last.revision, let (header, blocks) = try replay.next() {
      for block in blocks {
        try view.checkListed(Set(block.tables))
        try verify(block, view)
      }
      _ = try header.contexts()
      let count = blocks.reduce(0) { $0 + $1.entries.count }
      let bytes = blocks.reduce(0) { $0 + $1.bytes.count }
      guard count == header.entities, bytes == header.bytes else {
        throw CorruptionError(
          """
          the delta at revision \(header.revision) has \(count) changes in \(bytes) bytes, but its row \
          states \(header.entities) in \(header.bytes)
          """
        )
      }
      for snapshot in view.verified where snapshot.header.revision == replay.revision {
        guard snapshot.header.chain == replay.chain else {
          throw CorruptionError(
            "the snapshot at revision \(replay.revision) belongs to another history"
          )
        }
      }
      entities += count
    }
    guard replay.revision == view.last.revision, replay.chain == view.last.chain else {
      throw CorruptionError("the journal ends at \(replay.revision), before \(view.last.revision)")
    }
    return "\(replay.deltas) deltas, \(entities) changes, up to revision \(replay.revision)"
  }

  /// Verifies that each index agrees with the deltas of its run.
  private func verifyIndexes(_ view: ReadView) throws -> String {
    let start = view.startOfJournal
    var after = start
    var count = 0
    while let (index, chain) = try view.journal.index(after: after),
      index.last <= view.last.revision
    {
      let place = "the index up to revision \(index.last)"
      guard index.isSound(at: chain) else { throw CorruptionError("\(place) is damaged") }
      // The first deltas of its run may have been trimmed.
      let stored = try index.contents(after: start)
      let expected = try view.journal
        .changes(after: max(stored.first.previous, start), through: index.last)
        .contents(after: start)
      guard stored.large == expected.large, stored.changes == expected.changes else {
        throw CorruptionError("\(place) does not say what the deltas say")
      }
      after = index.last
      count += 1
    }
    return "\(Measures.count(count, "index", "indexes")), up to revision \(after)"
  }

  private func verify(_ block: ChangeBlock, _ view: ReadView) throws {
    for entry in block.entries {
      guard case .put(let layout, let record) = entry.change else { continue }
      try verify(
        StoredEntity(
          table: block.table(of: entry),
          id: block.id(of: entry),
          layout: layout,
          record: block.bytes[record]
        ),
        view
      )
    }
  }

  /// Verifies that the older snapshot, merged with the deltas up to the newer one, equals the newer one.
  private func verifyMerge(
    from older: StoredSnapshot,
    to newer: StoredSnapshot,
    _ view: ReadView
  ) throws -> String {
    var overlay = Overlay()
    var replay = view.replay(after: older.header)
    try replay.replay(into: &overlay, through: newer.header.revision)
    var merged = MergeIterator(try view.cursor(older), overlay)
    var stored = try view.cursor(newer)
    while true {
      let (expected, found) = (try merged.next(), try stored.next())
      guard expected == found else {
        let key = (expected ?? found)?.key
        throw CorruptionError(
          "they differ at \(key.map { "\($0.table) \(EncodedID.text(of: $0.id))" } ?? "the end")"
        )
      }
      if expected == nil { return "\(newer.header.entities) entities match" }
    }
  }

  package func verifyHead(_ view: ReadView) throws -> (detail: String, isNote: Bool) {
    switch access.checkHead(of: view.position, view.identity.lineages, bootID: BootID.current()) {
    case nil: return ("not checked, because a writer is at work", false)
    case .consistent: return ("matches the file", false)
    case .note(let note): return (note, true)
    case .damage(let detail): throw CorruptionError(detail)
    case .endMissing(let last, let written):
      throw PersistenceError.Reason.endMissing(last: last, written: written)
    }
  }
}
