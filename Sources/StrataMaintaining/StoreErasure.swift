import Foundation
import StrataBase
import StrataInspection
package import StrataJournal
import StrataRecords
import StrataSQLite
import StrataSchema
package import StrataStorage

/// Removes every trace of entities from a store: writes all else into a new file, which takes the place of
/// the old one.
///
/// The caller holds the writer's lock, and no connection of this process is open. When it throws, the store
/// is as it was, unless the new file is in place already.
package struct StoreErasure {
  /// What to do about entities that are in the database.
  enum Presence {
    case erase
    case refuse
  }

  let store: OwnedStore
  private(set) var entities: ErasedEntities
  /// The same by the keys that they had at each revision, the first first; that of now is the last.
  private(set) var spans: [(start: Revision, entities: ErasedEntities)] = []
  let presence: Presence
  let references: ReferencePolicy

  /// Erases entities from a store that no program has open, also from its last revision.
  package static func run(
    at path: String,
    _ entities: ErasedEntities,
    _ references: ReferencePolicy,
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) throws(PersistenceError) -> ErasureReport {
    let path = try StorePath(path, for: .erasing)
    return try OwnedStore.hold(path, for: .erasing, configuration) { store in
      try StoreErasure(
        store: store,
        entities: entities,
        presence: .erase,
        references: references
      ).run()
    }
  }

  /// - Parameter didReplace: Called once the new file is in place.
  func run(_ didReplace: (Position) -> Void = { _ in }) throws -> ErasureReport {
    let source = try openSource()
    guard try source.checkpoint(.truncate).isComplete else {
      throw PersistenceError.Reason.busy("a reader keeps SQLite's WAL from being emptied")
    }
    let view = try ReadView(source)
    for table in entities.tables.sorted() where !view.allTables.contains(table) {
      throw PersistenceError.Reason.notFound("table \(table)")
    }
    var erasure = self
    let moves = try EntityMoves(into: nil, in: view, after: 0, through: view.last.revision)
    erasure.entities = try entities.known(in: view, moves)
    erasure.spans = erasure.entities.spans(moves)
    return try erasure.replaceStore(source, view, didReplace)
  }

  private func replaceStore(
    _ source: Connection,
    _ view: ReadView,
    _ didReplace: (Position) -> Void
  ) throws -> ErasureReport {
    try checkPresence(view)
    try checkReferences(view)
    let file = NewFile(replacing: store.path, for: .erasing, on: store.configuration.disk)
    return try file.make {
      let (rewriter, erased, position) = try write(file, view)
      try file.verify()
      let report = ErasureReport(
        position: position,
        entities: Dictionary(grouping: erased, by: \.table).mapValues(\.count),
        changes: rewriter.changes,
        rewritten: rewriter.firstRewritten.map { $0...position.revision },
        copies: try copies(of: position.storeID),
        unfollowedSnapshots: try view.snapshotsBeforeTrimmedMigrations(),
        isArchived: try LeadershipRecord.read(source) > 0
      )
      try file.replaceStore(closing: source, at: position, didReplace)
      return report
    }
  }

  /// The file that is copied.
  private func openSource() throws -> Connection {
    var file = try store.restore()
    try file.prepareForWriting(application: store.configuration.application)
    return file.connection
  }

  private func checkPresence(_ view: ReadView) throws {
    guard presence == .refuse else { return }
    let state = try view.state(at: view.last.revision, scope: .entities(entities.all))
    for table in entities.tables.sorted() {
      var scan = state.scan(table, .ids(entities.ids(in: table)))
      if let entity = try scan.next() {
        throw MaintenanceError.stillPresent(
          table: table,
          id: EncodedID.text(of: entity.id)
        )
      }
    }
  }

  /// Refuses entities that others refer to at the last revision.
  private func checkReferences(_ view: ReadView) throws {
    guard references == .refuse else { return }
    var found: (table: String, id: String, by: String)?
    var count = 0
    let ids = entities.tables.map { ($0, entities.ids(in: $0)) }
    try view.forEachEntity(referringTo: Dictionary(uniqueKeysWithValues: ids)) { key, table, id in
      if entities.contains(key.table, key.id) { return true }
      count += 1
      let by =
        "\(EncodedID.text(of: key.id)) of \(StoredValues.title(ofTable: key.table))"
      found = found ?? (table, EncodedID.text(of: id[...]), by)
      return true
    }
    guard let found else { return }
    throw MaintenanceError.stillReferenced(
      table: found.table,
      id: found.id,
      by: found.by,
      count: count
    )
  }

  /// Writes the new file; returns what was rewritten, which entities were met, and the position.
  private func write(
    _ file: NewFile,
    _ view: ReadView
  ) throws -> (HistoryRewriter, Set<EntityKey>, Position) {
    var identity = view.identity
    let time = store.configuration.now()
    identity.branch(.erased, after: view.end, at: time)
    return try file.createStore(now: time.microseconds) { connection in
      try StoreCopy(from: view.journal.connection, to: connection)
        .allButHistory(of: view, as: identity)
      let (rewriter, seen) = try rewrite(view, identity, to: connection)
      let end = HeadRecord.Mark(revision: view.last.revision, chain: rewriter.chain)
      let position = identity.position(at: end)
      try note(seen, rewriter.firstRewritten, position, now: time.microseconds, on: connection)
      return (rewriter, seen, position)
    }
  }

  /// The entities by the keys that they had at a revision, and since when.
  private func span(at revision: Revision) -> (start: Revision, entities: ErasedEntities) {
    spans.last { $0.start <= revision } ?? (0, entities)
  }

  /// The entities that were met.
  private struct Seen {
    private(set) var keys: Set<EntityKey> = []

    mutating func isErased(
      _ table: String,
      _ id: ArraySlice<UInt8>,
      _ entities: ErasedEntities
    ) -> Bool {
      guard entities.contains(table, id) else { return false }
      keys.insert(EntityKey(table: table, id: Array(id)[...]))
      return true
    }

    /// Adds what is left of a change, by the entities that are erased before its delta and after it; false if it is kept.
    mutating func replace(
      _ entry: ChangeBlock.Entry,
      of block: ChangeBlock,
      in builder: inout ChangeBlockBuilder,
      _ before: ErasedEntities,
      _ after: ErasedEntities
    ) -> Bool {
      let (table, id) = (block.table(of: entry), block.id(of: entry))
      // What is removed had its key before.
      if entry.change == .remove { return isErased(table, id, before) }
      if isErased(table, id, after) {
        // The key of an entity that moves away with this delta, which it leaves to the erased one.
        if !before.contains(table, id) { builder.remove(id, from: table) }
        return true
      }
      guard case .put(let layout, let record) = entry.change,
        let former = block.former(of: entry), isErased(former.table, former.id, before)
      else { return false }
      builder.put(id, in: table, layout: layout, record: block.bytes[record])
      return true
    }
  }

  /// Writes deltas, snapshots and the last leadership; returns the entities that were met.
  private func rewrite(
    _ view: ReadView,
    _ identity: StoreIdentity,
    to connection: Connection
  ) throws -> (HistoryRewriter, Set<EntityKey>) {
    var seen = Seen()
    // A trim that was interrupted may have left deltas before it, from which nothing can be read.
    guard let oldest = view.anchors.last?.header else {
      throw CorruptionError("no snapshot reaches up to the journal")
    }
    var rewriter = HistoryRewriter(
      view,
      view.replay(after: oldest),
      to: connection,
      of: identity,
      .removedFromChanged
    )
    try rewriter.rewriteDeltas(layouts: view.catalog.hashes) { builder, header, block, entry in
      let (before, after) = (span(at: header.first.previous), span(at: header.revision))
      return seen.replace(entry, of: block, in: &builder, before.entities, after.entities)
    }
    for snapshot in view.verified.reversed() {
      let span = span(at: snapshot.header.revision)
      try rewriter.rewrite(snapshot, group: span.start) { seen.isErased($0, $1, span.entities) }
    }
    if let (epoch, mark) = try LeadershipRecord.last(view.journal.connection) {
      let mark = HeadRecord.Mark(revision: mark.revision, chain: try rewriter.chain(at: mark))
      try LeadershipRecord.write(epoch, after: mark, to: connection)
    }
    return (rewriter, seen.keys)
  }

  /// Adds what was erased to the ledger; refuses an entity that left no trace in the file.
  private func note(
    _ seen: Set<EntityKey>,
    _ firstRewritten: Revision?,
    _ position: Position,
    now: Int64,
    on connection: Connection
  ) throws {
    let (id, last) = (position.storeID, position.revision)
    let known = try ErasureLedger.entries(on: connection)
    for entity in entities.entities {
      // An entity that was erased before is accepted: a caller may not know how far the last call came.
      let isSeen = entity.candidates.contains { candidate in
        let key = EntityKey(table: entity.table, id: candidate[...])
        if seen.contains(key) { return true }
        let mark = key.erasureMark(in: id)
        return known.contains { $0.table == key.table && $0.entity == mark }
      }
      guard isSeen else {
        throw PersistenceError.Reason.notFound("entity \(entity.id) in \(entity.table)")
      }
    }
    var number = known.last?.number ?? 0
    for key in seen.sorted() {
      number += 1
      try ErasureLedger.append(
        ErasureLedger.Entry(
          number: number,
          table: key.table,
          entity: key.erasureMark(in: id),
          time: now,
          revision: last.number,
          rewritten: firstRewritten.map { $0.number...last.number }
        ),
        on: connection
      )
    }
  }
}

/// Copies of a store.
extension StoreErasure {
  /// The copies in the directory of the store that still hold some of the entities.
  ///
  /// O(files in the directory, and the size of those that are copies).
  private func copies(of id: UUID) throws -> [ErasureReport.Copy] {
    let path = store.path
    // A copy may be from before a move.
    let entities = ErasedEntities(spans.flatMap(\.entities.entities))
    let own = Set(path.companions + [path.lock])
    let beside = try path.namesInDirectory().map { path.directory + "/" + $0 }
    let quarantined = try Quarantine.all(besideStoreAt: path.file).map { set in
      set.directory + "/" + QuarantineMove.name(path.file)
    }
    return (beside + quarantined).filter { !own.contains($0) }.sorted().compactMap { name in
      finding(at: name, of: id, entities).map { ErasureReport.Copy(path: name, finding: $0) }
    }
  }

  private func finding(
    at name: String,
    of id: UUID,
    _ entities: ErasedEntities
  ) -> ErasureReport.Copy.Finding? {
    let isCompanion = ["-wal", "-shm", "-journal", ".lock", ".head"].contains(where: name.hasSuffix)
    guard !isCompanion, FileIdentity.exists(name),
      FileIdentity.kind(ifNotRegularAt: name) == nil
    else { return nil }
    do throws(PersistenceError) {
      let holds = try Inspector(path: name, on: store.configuration.disk).query { view in
        try view.identity.id == id && view.mentions(entities)
      }
      return holds ? .holdsEntities : nil
    } catch {
      switch error.reason {
      // Another file, not a store.
      case .notADatabase, .foreign, .empty, .missing, .notAFile: return nil
      default:
        // An unreadable file counts as a copy if its name says so.
        let isAside = StorePath.QuarantineCause.allCases.contains { name.contains($0.infix) }
        return name.hasPrefix(store.path.file) || isAside
          ? .unreadable(error.reason.sentence) : nil
      }
    }
  }
}

extension ReadView {
  /// The snapshots from before a migration whose delta was trimmed: what it has moved is not known any more.
  fileprivate func snapshotsBeforeTrimmedMigrations() throws -> [Revision] {
    let boundaries = try MigrationBoundaries(in: journal.connection)
    return verified.map(\.header.revision).reversed().filter { revision in
      boundaries.after(revision).contains { $0.revision <= startOfJournal }
    }
  }
}

extension JournalWriter {
  /// Erases entities that are not in the database any more.
  package func erase(
    _ entities: ErasedEntities,
    _ references: ReferencePolicy
  ) throws(PersistenceError) -> ErasureReport {
    try flush(through: queue.lastRevision)
    _ = try requireSession(for: .erasing)
    do {
      return try replaceFile { store, didReplace in
        try StoreErasure(
          store: store,
          entities: entities,
          presence: .refuse,
          references: references
        ).run(didReplace)
      }
    } catch {
      throw PersistenceError(.erasing, path: path.file, wrapping: error)
    }
  }
}
