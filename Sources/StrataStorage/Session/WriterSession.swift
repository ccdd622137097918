import Foundation
import StrataBase
package import StrataJournal
package import StrataRecords
package import StrataSQLite

/// Everything the writer has open while the disk works: the connection and what was read through it.
///
/// After an error the writer discards the session and opens another one.
package final class WriterSession {
  let path: StorePath
  package private(set) var identity: StoreIdentity
  package let connection: Connection
  let journal: Journal
  package let snapshots: SnapshotStore
  private var indexer: ChangeIndexer
  private var origin: WriterOrigin
  private var encoder: EntityEncoder
  private var places = PlaceCache()
  private let traces: CommitTraces
  private var medium: Medium
  private var dataVersion: Int64
  /// Whether a transaction failed for the disk.
  ///
  /// SQLite may then forget the pages that it has read, and count that as a change of the file (`pager_reset`,
  /// `sqlite3.c`), as if another program had written.
  private var diskFailed = false
  /// The last delta in the file.
  package private(set) var written: HeadRecord.Mark
  /// What was appended in this session, for its next snapshot.
  var recent = RecentDeltas()
  /// The bytes of the deltas appended in this session; they decide when a snapshot is due.
  private(set) var bytesAppended: Int64 = 0

  /// When a session writes for the first time.
  package enum Start: Sendable {
    /// At once: the writer is registered, and the head says that it has the file.
    case atOnce
    /// With its first transaction, so that nothing is written if that is rolled back.
    case withTransaction
  }

  /// Takes over the connection of a restored file and registers the writer as an origin.
  init(
    _ restored: RestoredFile,
    path: StorePath,
    on disk: Disk,
    origin: WriterOrigin,
    bootID: UUID,
    traces: CommitTraces,
    start: Start
  ) throws {
    self.path = path
    self.traces = traces
    identity = restored.identity
    connection = restored.connection
    journal = Journal(connection: connection)
    snapshots = SnapshotStore(connection: connection)
    indexer = try ChangeIndexer(journal, through: restored.revision)
    encoder = EntityEncoder(
      restored.catalog,
      dropped: try DeclaredColumn.all(in: restored.connection).filter(\.isDropped),
      of: restored.identity.id,
      in: restored.connection
    )
    written = HeadRecord.Mark(revision: restored.revision, chain: restored.chain)
    medium = try Medium(
      path,
      connection,
      durable: written,
      head: HeadFile(of: path, on: disk),
      bootID
    )
    self.origin = origin
    dataVersion = try connection.dataVersion()
    path.shareSQLiteFiles()
    guard case .atOnce = start else { return }
    try medium.rewriteWAL()
    do {
      _ = try self.origin.number(in: connection)
    } catch let error as SQLiteError where error.mayBeOfIndex {
      try connection.rebuildIndexes()
      _ = try self.origin.number(in: connection)
    }
    try barrier()
    try medium.syncHead()
  }

  /// The ID of this writer in the file.
  var originID: UUID { origin.id }

  /// The last delta that is certainly on disk.
  var durable: HeadRecord.Mark { medium.durable }

  /// Writes a group of deltas in one transaction; returns the changes that could not be encoded.
  ///
  /// After an error the outcome is unknown: only reopening the file shows whether a failed COMMIT took
  /// effect.
  package func append(_ group: [PendingDelta]) throws -> [UnpersistedChange] {
    try append(group) { _ in }
  }

  /// Adds tables that are new to the file, and writes a delta for each group of changes that opening adds.
  ///
  /// Nothing is written unless all of it can be encoded.
  func appendNewTables(_ additions: OpeningAdditions, time: Int64) throws {
    guard !additions.isEmpty else { return }
    let since = written.revision.next
    var group: [PendingDelta] = []
    for (name, changes) in additions.deltas {
      let revision = (group.last?.revision ?? written.revision).next
      group.append(
        PendingDelta(
          first: revision,
          revision: revision,
          time: time,
          commitName: name,
          place: CommitPlace(),
          changes: changes
        )
      )
    }
    _ = try append(group) { refused in
      if !refused.isEmpty {
        throw PersistenceError.Reason.notPersisted(refused.map(\.entity))
      }
      for table in additions.newTables {
        try ListedTable.add(table, since: since, to: connection)
      }
    }
    try barrier()
  }

  private func append(
    _ group: [PendingDelta],
    _ finish: ([UnpersistedChange]) throws -> Void
  ) throws -> [UnpersistedChange] {
    try transaction {
      var refused: [UnpersistedChange] = []
      for delta in group {
        var encoding = DeltaEncoder(delta.revision, in: journal)
        try delta.changes.encode(into: &encoding, &encoder)
        refused += encoding.refused.map { UnpersistedChange(entity: $0, revision: delta.revision) }
        try append(
          &encoding,
          from: delta.first,
          through: delta.revision,
          time: delta.time,
          named: traces.name(of: delta),
          place: traces.place(of: delta.place, &places),
          context: delta.contexts.encoded(isMerged: delta.first < delta.revision)
        )
      }
      try finish(refused)
      return refused
    }
  }

  /// Runs a closure in one transaction in which it may append deltas: all of it takes effect, or nothing.
  package func transaction<R>(_ body: () throws -> R) throws -> R {
    try checkIsAlone()
    try medium.rewriteWAL()
    // A session that starts with its first transaction writes nothing before it.
    if origin.isKnown { try indexer.extend(through: written.revision) }
    let before = (encoder, written, bytesAppended, origin)
    do {
      return try connection.transaction(body)
    } catch {
      recent = RecentDeltas()
      (encoder, written, bytesAppended, origin) = before
      goOn(after: error)
      throw error
    }
  }

  /// Throws if another program has written to the file since the last transaction.
  private func checkIsAlone() throws {
    let version = try connection.dataVersion()
    if version != dataVersion {
      guard diskFailed, try endsAsWritten() else {
        throw CorruptionError("another program wrote to the file while it was open")
      }
    }
    (dataVersion, diskFailed) = (version, false)
  }

  private func endsAsWritten() throws -> Bool {
    let end = try ReadView(connection).position
    return end.storeID == identity.id && end.lineageID == identity.lineage
      && HeadRecord.Mark(revision: end.revision, chain: end.chain) == written
  }

  /// Prepares for the next attempt after a transaction that failed, if the session is used further.
  ///
  /// SQLite's indexes are rebuilt if one may have caused the error, so that the next attempt does not fail for it. If they
  /// cannot be rebuilt, that error is the one to report.
  func goOn(after error: any Error) {
    guard let error = error as? SQLiteError else { return }
    diskFailed = diskFailed || [.ioerr, .full].contains(error.code.primary)
    if !error.mayBeOfIndex { return }
    do { try connection.rebuildIndexes() } catch { return }
  }

  /// Checks an index of changes; see `ChangeIndexer.check`.
  func checkChangeIndex(after revision: Revision) throws -> Revision? {
    try indexer.check(after: revision)
  }

  /// Whether a delta without changes is appended.
  package enum AppendCondition: Sendable {
    case ifNotEmpty
    /// It is noted that something ran.
    case always
  }

  /// Appends a delta of the next revision in the caller's ``transaction(_:)``, unless `encode` adds nothing to it.
  ///
  /// Returns its header; nil if there is none.
  package func append(
    named name: String,
    trace: [UInt8]? = nil,
    time: Int64,
    _ condition: AppendCondition = .ifNotEmpty,
    _ encode: (inout DeltaEncoder) throws -> Void
  ) throws -> DeltaHeader? {
    let revision = written.revision.next
    var encoding = DeltaEncoder(revision, in: journal)
    try encode(&encoding)
    guard encoding.entities > 0 || condition == .always else { return nil }
    return try append(
      &encoding,
      from: revision,
      through: revision,
      time: time,
      named: name,
      trace: trace
    )
  }

  /// Appends a delta whose changes were encoded after ``written``, and moves ``written`` on.
  @discardableResult
  private func append(
    _ encoding: inout DeltaEncoder,
    from first: Revision,
    through revision: Revision,
    time: Int64,
    named name: String,
    trace: [UInt8]? = nil,
    place: String = "",
    context: [UInt8]? = nil
  ) throws -> DeltaHeader {
    let body = try encoding.finish()
    let header = DeltaHeader(
      revision: revision,
      first: first,
      lineage: identity.lineage,
      time: time,
      origin: try origin.number(in: connection),
      trace: trace,
      name: name,
      place: place,
      entities: encoding.entities,
      blocks: encoding.hashes.count,
      bytes: encoding.bytes,
      context: context
    )
    let hash = header.chain(
      after: written.chain,
      storeID: identity.id,
      blocks: encoding.hashes,
      layouts: try encoder.catalog.hashes(of: encoding.layouts)
    )
    try journal.append(header, body: body, hash: hash)
    let before = written
    written = HeadRecord.Mark(revision: revision, chain: hash)
    if header.blocks == 1 {
      try recent.add(body, at: header.time, from: before, to: written)
    }
    bytesAppended += Int64(header.footprint)
    return header
  }

  /// The number of a table's layout; a new one is written in the caller's transaction.
  @discardableResult
  package func number(
    of layout: Layout,
    table: String,
    for use: LayoutCatalog.Use = .kept
  ) throws -> Int64 {
    try encoding { encoder throws(EncodingFailure) in
      try encoder.number(of: layout, table: table, for: use)
    }
  }

  /// Ends the dropped columns of a table that a record has a value in, in the caller's transaction.
  package func note(_ record: [UInt8], _ layout: Layout, table: String) throws {
    try encoding { encoder throws(EncodingFailure) in
      try encoder.note(record[...], layout, table: table)
    }
  }

  private func encoding<R>(
    _ work: (inout EntityEncoder) throws(EncodingFailure) -> R
  ) throws -> R {
    do throws(EncodingFailure) {
      return try work(&encoder)
    } catch {
      switch error {
      case .refused(let reason): throw PersistenceError.Reason.io(reason)
      case .sqlite(let error): throw error
      }
    }
  }

  /// Notes a leadership, and raises the epoch at least to another one; both are on disk when this returns.
  package func note(leadership: Int64, raisingEpochTo epoch: Int64) throws {
    var raised = identity
    raised.epoch = max(raised.epoch, epoch)
    try transaction {
      try raised.replace(in: connection)
      try LeadershipRecord.write(leadership, after: written, to: connection)
    }
    identity = raised
    try barrier()
    try medium.syncHead()
  }

  /// The layouts of the file.
  package var catalog: LayoutCatalog { encoder.catalog }

  /// The position of the file.
  var position: Position {
    Position(
      storeID: identity.id,
      lineage: identity.lineage,
      revision: written.revision,
      chain: written.chain
    )
  }

  /// Writes the progress of the file to the head, without waiting for the disk.
  func writeHead() throws { try medium.writeHead(identity, written) }

  /// Returns when everything written is on disk.
  package func barrier() throws { try medium.sync(identity, written) }

  /// Copies SQLite's WAL into the database when it is large enough; returns nil when it is not.
  func checkpointIfDue() throws -> Connection.CheckpointResult? {
    try medium.checkpointIfDue(identity, written)
  }

  /// Copies all of SQLite's WAL into the database, unless a reader prevents it.
  func checkpointFully() throws { try medium.checkpointFully(identity, written) }

  /// Copies all of SQLite's WAL into the database and closes the connection.
  package func close() throws {
    // An index is never required: one that cannot be made now, because of a full disk say, is made after the
    // next opening.
    try? indexer.extend(through: written.revision)
    try checkpointFully()
    connection.checkpointsOnClose = .automatic
    try connection.close()
  }
}

/// Who writes: the ID of a writer, which the file notes with its first delta, and its number there.
struct WriterOrigin {
  private(set) var id: UUID
  /// Whether an earlier session of this writer has noted the ID in the file.
  let isNoted: Bool
  /// When the writer began, in microseconds since 1970.
  let time: Int64
  private var number: Int64?

  init(_ id: UUID, isNoted: Bool, since time: Int64) {
    (self.id, self.isNoted, self.time) = (id, isNoted, time)
  }

  /// Whether the file has its number in this session.
  var isKnown: Bool { number != nil }

  /// The number of this writer in its deltas; it is noted in the file with the first of them.
  mutating func number(in connection: Connection) throws -> Int64 {
    if let number { return number }
    let known = try StoreIdentity.origin(id, in: connection)
    // Its row is lost. What was sent says under which number it was, so from here on this is another one.
    if known == nil, isNoted { id = Scheduling.uuid() }
    let number = try known ?? StoreIdentity.addOrigin(id, at: time, to: connection)
    self.number = number
    return number
  }
}

extension CommitTraces {
  fileprivate func name(of delta: PendingDelta) -> String {
    // How many commits were merged reveals nothing.
    self == .none && delta.first == delta.revision ? "" : delta.name
  }

  fileprivate func place(of place: CommitPlace, _ places: inout PlaceCache) -> String {
    self == .nameAndPlace ? places.text(of: place) : ""
  }
}
