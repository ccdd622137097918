package import Foundation
import StrataBase
package import StrataJournal
import StrataMigrations
import StrataSQLite

/// Copies what can be verified of a damaged file into a new one, in a new epoch, and quarantines the
/// damaged file.
///
/// The damaged file is only read. The new one is complete, verified and synced before anything is moved.
/// The caller holds the writer's lock.
package struct Salvage {
  private let path: StorePath
  private let now: Date
  private let application: String?
  private let disk: Disk

  /// - Parameter application: the one that the configuration names, if it names one.
  package init(
    _ path: StorePath,
    now: Date,
    application: String? = nil,
    on disk: Disk = .system
  ) {
    self.path = path
    self.now = now
    self.application = application
    self.disk = disk
  }

  /// Replaces the file; returns nil, with nothing changed, when nothing of it can be verified.
  ///
  /// - Parameter damage: what is wrong with it.
  func run(because damage: String) throws -> RestoreLoss? {
    let lastKnown = try HeadFile.read(path.head, on: disk)
    guard let (position, lastSeen, missing) = try build() else { return nil }
    var move = try makeMove(because: damage)
    try move.run()
    try HeadFile.write(position, for: path, on: disk)
    let last = max(lastSeen, lastKnown.map { known(by: $0, of: position) } ?? 0)
    return RestoreLoss(
      damage: damage,
      revisions: last > position.revision ? position.revision.next...last : nil,
      quarantine: Quarantine(path, move.directory, move.manifest),
      missing: missing
    )
  }

  /// The move that quarantines the file and gives the new one its name.
  package func makeMove(because damage: String) throws -> QuarantineMove {
    try QuarantineMove(
      of: path,
      reason: damage,
      replacement: QuarantineMove.name(path.creating),
      now: now,
      on: disk
    )
  }

  private func known(by head: HeadRecord, of position: Position) -> Revision {
    head.storeID == position.storeID ? max(head.written.revision, head.durable.revision) : 0
  }

  /// Builds the new file under its temporary name; returns its position, the last revision that the damaged
  /// file has traces of, and what its snapshot has lost.
  package func build() throws -> (
    position: Position, lastSeen: Revision, missing: [RestoreLoss.MissingEntities]
  )? {
    let file = NewFile(underLockOf: path, for: .opening, on: disk)
    file.removeLeftovers()
    do {
      let source = try Connection(path: path.file, mode: .readOnly, vfs: disk.vfs)
      guard try canBeRead(source),
        let history = try source.readTransaction({ try IntactHistory(in: source) })
      else { return nil }
      try history.identity.check(application: application)
      var identity = history.identity
      identity.epoch = try HeadFile.epoch(afterCutting: identity, at: path, on: disk)
      try file.createStore(now: now.microseconds) { connection in
        try identity.write(to: connection)
        try copy(history, from: source, to: connection)
      }
      try verify(file, history, identity)
      try disk.sync(file.temporary)
      file.removeCompanions()
      let position = Position(
        storeID: identity.id,
        epoch: identity.epoch,
        revision: history.revision,
        chain: history.chain
      )
      return (position, history.lastSeen, history.damaged.map(RestoreLoss.MissingEntities.init))
    } catch {
      file.removeLeftovers()
      throw error
    }
  }

  /// Whether the tables are those of a store, so that reading them runs nothing that was planted there.
  private func canBeRead(_ source: Connection) throws -> Bool {
    try CorruptionError.nilIfCorrupt {
      let format = Int(try source.userVersion())
      guard try StoreFormat.schema(of: format).canBeRead(in: source) else { return false }
      try OlderFormat.present(on: source)
      return true
    } ?? false
  }

  private func copy(
    _ history: IntactHistory,
    from source: Connection,
    to connection: Connection
  ) throws {
    let rows = RowCopy(source: source, destination: connection, .leaveOut)
    try rows.tables()
    try ListedTable.removeEnds(after: history.revision, from: connection)
    for table in history.tables.sorted()
    where try ListedTable.named(table, in: connection) == nil {
      try ListedTable.add(table, since: history.snapshot.revision, to: connection)
    }
    for number in history.catalog.allNumbers { try rows.layout(number) }
    try rows.origins()
    for snapshot in history.kept {
      try rows.snapshot(
        snapshot.revision,
        of: history.identity,
        history.catalog,
        without: snapshot.revision == history.snapshot.revision ? history.damaged : []
      )
    }
    try rows.dataMigrations(through: history.revision)
    try rows.runs(through: history.snapshot.revision)
    try rows.erasures()
    try rows.olderBuilds(through: history.revision)
    try rows.deltas(after: history.snapshot.revision, through: history.revision)
  }

  /// Reads the new file back.
  private func verify(
    _ file: NewFile,
    _ history: IntactHistory,
    _ identity: StoreIdentity
  ) throws {
    let connection = try file.connect(.readOnly)
    let copied = try IntactHistory(in: connection)
    guard let copied, copied.identity == identity, copied.revision == history.revision,
      copied.chain == history.chain, copied.snapshot.revision == history.snapshot.revision,
      copied.snapshot.chain == history.snapshot.chain,
      copied.snapshot.entities == history.snapshot.entities
    else { throw CorruptionError("the copy of its intact part could not be read back") }
    try connection.close()
  }
}
