import Foundation
import StrataBase
import StrataMigrations
import StrataNormalization
import StrataSQLite

/// A file that was opened and proved: its newest whole snapshot, and the unbroken run of deltas
/// after it.
///
/// Its entities were handed on while they were proved, or are still stored bytes.
final class RestoredFile {
  let connection: Connection
  let identity: StoreIdentity
  let catalog: LayoutCatalog
  let snapshot: (header: SnapshotHeader, hash: Checksum)?
  /// Snapshots newer than that one, which were passed over.
  let broken: Set<Revision>
  let revision: Revision
  let chain: Checksum
  let lastTime: Int64
  let replayedDeltas: Int
  /// Of the deltas after the snapshot.
  let journalBytes: Int64
  private var notes: [String]
  private let path: StorePath

  /// Opens a file for its one writer and proves what it holds.
  ///
  /// Nothing is written: a file that is refused keeps every byte, and its WAL too.
  ///
  /// - Parameter collector: who takes the entities, in the same pass over the file.
  convenience init(
    openingForWriting path: StorePath,
    now: Int64,
    vfs: String?,
    into collector: (any EntityCollecting)? = nil,
    _ meter: ProgressMeter? = nil
  ) throws {
    let connection = try Connection(path: path.file, mode: .readWrite, vfs: vfs)
    connection.checkpointsOnClose = .never
    try Self.check(connection, path, .opening)
    try connection.configureWriter(
      newFile: FileHeader(applicationID: StoreHeader.applicationID)
    )
    try Migrator(catalog: .file, now: { now }).migrate(connection)
    let found = try Self.load(connection, into: collector, meter)
    self.init(connection, path, found)
  }

  /// Proves what a file holds that is only read, at rest or while a writer is at work.
  convenience init(
    reading access: ReadAccess,
    at path: StorePath,
    into collector: any EntityCollecting,
    _ meter: ProgressMeter?
  ) throws {
    let connection = access.connection
    try Self.check(connection, path, .opening)
    guard Int(try connection.userVersion()) == StoreFormat.known else {
      throw PersistenceError(
        .opening,
        path: path.file,
        .migration("it is of an older format; open it once for writing")
      )
    }
    // A writer may append faster than this reads: what comes later is not waited for.
    let last = try Journal(connection: connection).last()?.header.revision
    let found = try Self.load(connection, into: collector, meter, through: last)
    self.init(connection, path, found)
  }

  private init(_ connection: Connection, _ path: StorePath, _ found: Found) {
    self.path = path
    self.connection = connection
    identity = found.identity
    catalog = found.catalog
    snapshot = found.snapshot
    broken = found.broken
    revision = found.replay.revision
    chain = found.replay.chain
    lastTime = found.lastTime
    replayedDeltas = found.replay.deltas
    journalBytes = found.replay.bytes
    notes = found.notes
  }

  /// Refuses a file that is no store, or of a newer format than this build knows.
  static func check(
    _ connection: Connection,
    _ path: StorePath,
    _ operation: PersistenceError.Operation
  ) throws {
    let id = try connection.applicationID()
    guard id == StoreHeader.applicationID else {
      throw PersistenceError(operation, path: path.file, .foreign(applicationID: id))
    }
    let format = Int(try connection.userVersion())
    guard format <= StoreFormat.known else {
      throw PersistenceError(
        operation,
        path: path.file,
        .newerFormat(found: format, known: StoreFormat.known)
      )
    }
  }

  private struct Found {
    var identity: StoreIdentity
    var catalog: LayoutCatalog
    var snapshot: (header: SnapshotHeader, hash: Checksum)
    var broken: Set<Revision>
    var replay: JournalReplay
    var lastTime: Int64
    var notes: [String]
  }

  /// Tries the snapshots from the newest on: one that is broken costs a note, as long as the deltas
  /// since an older one are all there.
  private static func load(
    _ connection: Connection,
    into collector: (any EntityCollecting)?,
    _ meter: ProgressMeter?,
    through last: Revision? = nil
  ) throws -> Found {
    var meter = meter
    let identity = try StoreIdentity.read(connection)
    let catalog = try LayoutCatalog(reading: connection)
    let snapshots = SnapshotStore(connection: connection)
    let journal = Journal(connection: connection)
    var failures: [String] = []
    var notes: [String] = []
    var broken: Set<Revision> = []
    for snapshot in try snapshots.verified() {
      do {
        var cursor = try ChunkCursor(snapshot, of: identity, in: snapshots, catalog)
        var replay = JournalReplay(
          after: snapshot.header.revision,
          chain: snapshot.header.chain,
          of: identity,
          in: journal,
          catalog
        )
        var overlay = Overlay()
        do {
          let base = snapshot.header.revision.number
          meter?.begin(.replaying, total: Int(try journal.lastRevision().number - base))
          while last.map({ replay.revision < $0 }) ?? true, let (header, parts) = try replay.next()
          {
            for part in parts { overlay.add(part) }
            meter?.note(done: Int(header.revision.number - base))
          }
          meter?.end()
        } catch let error as DamageFound {
          // What is wrong with the snapshot is said before what is wrong after it.
          try cursor.proveAll()
          throw error
        }
        var fold = Fold(cursor, collector == nil ? Overlay() : overlay)
        try collector?.collect(&fold, connection, catalog, &meter)
        try fold.proveRest()
        return Found(
          identity: identity,
          catalog: catalog,
          snapshot: snapshot,
          broken: broken,
          replay: replay,
          lastTime: max(snapshot.header.time, try journal.last()?.header.time ?? 0),
          notes: notes
        )
      } catch let error as DamageFound {
        failures.append("\(error)")
        broken.insert(snapshot.header.revision)
        notes.append("passed over the snapshot at revision \(snapshot.header.revision): \(error)")
      }
    }
    // Each names what broke: the newest snapshot first, then the gap after an older one.
    if failures.isEmpty { throw DamageFound("it has no snapshot") }
    throw DamageFound(failures.joined(separator: "; and "))
  }

  /// Whether the last delta comes from the opening of the file with this origin.
  func wasLastWritten(by originID: UUID) throws -> Bool {
    let origin = try Journal(connection: connection).last()?.header.origin
    return try origin.map { try StoreIdentity.origin(originID, in: connection) == $0 } ?? false
  }

  /// Where the file stands.
  var position: Position {
    Position(storeID: identity.id, epoch: identity.epoch, revision: revision, chain: chain)
  }

  /// The database the file holds, as this build's types, and what is worth knowing about it.
  ///
  /// Tables that are new to the file, and whatever is not in the schema, come from `initial`; of values
  /// there are those that were found.
  ///
  /// - Parameter collector: the one that took the entities.
  func database<Database: DatabaseType>(
    _ initial: Database,
    from collector: DatabaseCollector<Database>,
    outcome: RestoreReport.Outcome,
    head verdict: HeadVerdict
  ) throws -> JournalWriter.Found<Database> {
    switch verdict {
    case .consistent: break
    case .note(let note): if outcome != .fresh { notes.append(note) }
    case .damage(let detail): throw DamageFound(detail)
    }
    let (loaders, known) = try collector.finish()
    let database = loaders.database(over: initial)
    try database.checkUniqueness()
    let excluded = Set(collector.keeping.excluded.map(\.text))
    for table in known.intersection(excluded).sorted() {
      notes.append("the table \(table) is excluded; what the file has of it stays there as it is")
    }
    let unknown = known.subtracting(loaders.names).subtracting(excluded).partedByKind()
    let new = loaders.names.subtracting(outcome == .fresh ? loaders.names : known).partedByKind()
    let report = RestoreReport(
      outcome: loaders.loss == nil ? outcome : .restoredWithLoss,
      position: position,
      snapshotRevision: snapshot?.header.revision ?? 0,
      replayedDeltas: replayedDeltas,
      entities: loaders.count,
      unknownTables: unknown.tables,
      newTables: new.tables,
      unknownValues: unknown.values,
      newValues: new.values,
      notes: notes,
      loss: loaders.loss
    )
    let (values, untreated) = loaders.finish()
    return JournalWriter.Found(
      database: database,
      values: values,
      untreated: untreated,
      report: report
    )
  }
}
