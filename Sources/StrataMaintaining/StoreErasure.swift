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
  private var spans: [(start: Revision, entities: ErasedEntities)] = []
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

  init(
    store: OwnedStore,
    entities: ErasedEntities,
    presence: Presence,
    references: ReferencePolicy
  ) {
    self.store = store
    self.entities = entities
    self.presence = presence
    self.references = references
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
    let (path, disk) = (store.path, store.configuration.disk)
    try checkPresence(view)
    try checkReferences(view)
    let file = NewFile(replacing: path, for: .erasing, on: disk)
    do {
      let rewritten = try write(file, from: source, view)
      try file.verify()
      let copies = try copies(of: view.identity.id)
      let unfollowed = try view.snapshotsBeforeTrimmedMigrations()
      let isArchived = try LeadershipRecord.read(source) > 0
      source.checkpointsOnClose = .automatic
      try source.close()
      try file.replaceStore()
      didReplace(rewritten.position)
      try disk.sync(path.directory)
      try HeadFile.write(rewritten.position, for: path, on: disk)
      return ErasureReport(
        position: rewritten.position,
        entities: rewritten.entities,
        changes: rewritten.changes,
        rewritten: rewritten.deltas,
        copies: copies,
        unfollowedSnapshots: unfollowed,
        isArchived: isArchived
      )
    } catch {
      file.removeLeftovers()
      throw error
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

  /// What was written.
  private struct Rewritten {
    var position: Position
    var entities: [String: Int]
    var changes: Int
    var deltas: ClosedRange<Revision>?
  }

  private func write(
    _ file: NewFile,
    from source: Connection,
    _ view: ReadView
  ) throws -> Rewritten {
    var identity = view.identity
    let time = store.configuration.now()
    let end = HeadRecord.Mark(revision: view.last.revision, chain: view.last.chain)
    identity.branch(.erased, after: end, at: time)
    let now = time.microseconds
    var result: Rewritten?
    try file.createStore(now: now) { connection in
      try identity.write(to: connection)
      try RowCopy(source: source, destination: connection).allButHistory(of: view)
      let (rewriter, seen) = try copy(view, identity, from: source, to: connection)
      try note(seen, rewriter, identity, now: now, on: connection)
      result = Rewritten(
        position: Position(
          storeID: identity.id,
          lineage: identity.lineage,
          revision: view.last.revision,
          chain: rewriter.chain
        ),
        entities: Dictionary(grouping: seen, by: \.table).mapValues(\.count),
        changes: rewriter.changes,
        deltas: rewriter.firstRewritten.map { $0...view.last.revision }
      )
    }
    guard let result else { throw CorruptionError("nothing was written") }
    return result
  }

  /// The entities by the keys that they had at a revision, and since when.
  private func span(at revision: Revision) -> (start: Revision, entities: ErasedEntities) {
    spans.last { $0.start <= revision } ?? (0, entities)
  }

  private func entities(at revision: Revision) -> ErasedEntities { span(at: revision).entities }

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

    /// What to do with a change of a delta, by the entities that are erased before it and after it.
    mutating func change(
      _ block: ChangeBlock,
      _ entry: ChangeBlock.Entry,
      _ before: ErasedEntities,
      _ after: ErasedEntities
    ) -> RewrittenChange {
      let (table, id) = (block.table(of: entry), block.id(of: entry))
      // What is removed had its key before.
      if entry.change == .remove { return isErased(table, id, before) ? .removed : .kept }
      if isErased(table, id, after) {
        // The key of an entity that moves away with this delta, which it leaves to the erased one.
        return before.contains(table, id) ? .removed : .replacedByRemoval
      }
      let former = block.former(of: entry)
      return former.map { isErased($0.table, $0.id, before) } ?? false ? .detached : .kept
    }
  }

  /// Copies deltas and snapshots; returns the entities that were met.
  private func copy(
    _ view: ReadView,
    _ identity: StoreIdentity,
    from source: Connection,
    to connection: Connection
  ) throws -> (DeltaRewriter, Set<EntityKey>) {
    var seen = Seen()
    // A trim that was interrupted may have left deltas before it, from which nothing can be read.
    guard let oldest = view.anchors.last?.header else {
      throw CorruptionError("no snapshot reaches up to the journal")
    }
    var replay = view.replay(after: oldest)
    var rewriter = DeltaRewriter(
      to: Journal(connection: connection),
      of: identity,
      after: oldest.revision,
      chain: oldest.chain,
      stored: oldest.chain,
      .removedFromChanged
    )
    // The chain at the revisions of snapshots and of the last leadership.
    var chains = [oldest.revision: oldest.chain]
    var leadership = try LeadershipRecord.last(source)
    var wanted = Set(view.verified.map(\.header.revision))
    if let leadership { wanted.insert(leadership.mark.revision) }
    while replay.revision < view.last.revision, let (header, blocks) = try replay.next() {
      let (before, after) = (entities(at: header.first.previous), entities(at: header.revision))
      try rewriter.append(
        header,
        blocks,
        hash: replay.chain,
        layouts: { try view.catalog.hashes(of: $0) }
      ) { block, entry in
        seen.change(block, entry, before, after)
      }
      if wanted.contains(rewriter.revision) { chains[rewriter.revision] = rewriter.chain }
    }
    guard replay.revision == view.last.revision else {
      throw CorruptionError(
        "the journal ends at revision \(replay.revision), before \(view.last.revision)"
      )
    }
    try copySnapshots(view, identity, chains, &seen, from: source, to: connection)
    if let chain = leadership.flatMap({ chains[$0.mark.revision] }) {
      leadership?.mark.chain = chain
    }
    if let leadership {
      try LeadershipRecord.write(leadership.epoch, after: leadership.mark, to: connection)
    }
    return (rewriter, seen.keys)
  }

  private func copySnapshots(
    _ view: ReadView,
    _ identity: StoreIdentity,
    _ chains: [Revision: Checksum],
    _ seen: inout Seen,
    from source: Connection,
    to connection: Connection
  ) throws {
    let snapshots = SnapshotStore(connection: connection)
    var copies = SnapshotRewriter(
      from: SnapshotStore(connection: source),
      to: snapshots,
      of: identity,
      view.catalog
    )
    var start: Revision?
    for snapshot in view.verified.reversed() {
      let span = span(at: snapshot.header.revision)
      if let start, start != span.start { copies.startOthers() }
      start = span.start
      let chain = chains[snapshot.header.revision] ?? snapshot.header.chain
      try copies.append(
        snapshot,
        chain: chain,
        without: { table, id in
          seen.isErased(table, id, span.entities)
        }
      )
      for (name, revision) in view.names where revision == snapshot.header.revision {
        try snapshots.name(name, revision)
      }
    }
  }

  /// Adds what was erased to the ledger; refuses an entity that left no trace in the file.
  private func note(
    _ seen: Set<EntityKey>,
    _ rewriter: DeltaRewriter,
    _ identity: StoreIdentity,
    now: Int64,
    on connection: Connection
  ) throws {
    let known = try ErasureLedger.entries(on: connection)
    for entity in entities.entities {
      // An entity that was erased before is accepted: a caller may not know how far the last call came.
      let isSeen = entity.candidates.contains { id in
        let key = EntityKey(table: entity.table, id: id[...])
        if seen.contains(key) { return true }
        let mark = key.erasureMark(in: identity.id)
        return known.contains { $0.table == key.table && $0.entity == mark }
      }
      guard isSeen else {
        throw PersistenceError.Reason.notFound("entity \(entity.id) in \(entity.table)")
      }
    }
    let last = rewriter.revision
    var number = known.last?.number ?? 0
    for key in seen.sorted() {
      number += 1
      try ErasureLedger.append(
        ErasureLedger.Entry(
          number: number,
          table: key.table,
          entity: key.erasureMark(in: identity.id),
          time: now,
          revision: last.number,
          rewritten: rewriter.firstRewritten.map { $0.number...last.number }
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
