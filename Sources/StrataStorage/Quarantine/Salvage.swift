package import Foundation
import StrataBase
import StrataSQLite

/// Puts what can be proved of a damaged file into a new one, in a new epoch, and the damaged file
/// aside.
///
/// The damaged file is only read. The new one is whole, proved and synced before anything is moved. The
/// caller holds the writer's lock.
package struct Salvage {
  private let path: StorePath
  private let now: Date
  private let disk: Disk

  package init(_ path: StorePath, now: Date, on disk: Disk = .system) {
    self.path = path
    self.now = now
    self.disk = disk
  }

  /// Does all of it; nil where nothing can be proved, and then nothing was changed.
  ///
  /// - Parameter damage: what was found wrong.
  func run(because damage: String) throws -> RestoreLoss? {
    let lastKnown = try HeadFile.read(path.head, on: disk)
    guard let (position, lastSeen) = try build() else { return nil }
    var moving = quarantining(because: damage)
    try moving.run()
    try HeadFile.write(position, for: path, on: disk)
    let last = max(lastSeen, lastKnown.map { known(by: $0, of: position) } ?? 0)
    return RestoreLoss(
      damage: damage,
      revisions: last > position.revision ? position.revision.next...last : nil,
      quarantine: Quarantine(path, moving.directory, moving.manifest)
    )
  }

  /// The moving that gives the new file the store's name.
  package func quarantining(because damage: String) -> QuarantineMove {
    QuarantineMove(
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

  /// Builds the new file under a name of its own; returns where it stands and the last revision that the
  /// damaged one shows traces of.
  package func build() throws -> (position: Position, lastSeen: Revision)? {
    let file = NewFile(underLockOf: path, for: .opening, on: disk)
    file.removeLeftovers()
    do {
      let source = try Connection(path: path.file, mode: .readOnly, vfs: disk.vfs)
      guard let history = try source.readTransaction({ try SalvagedHistory(in: source) }) else {
        return nil
      }
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
      return (position, history.lastSeen)
    } catch {
      file.removeLeftovers()
      throw error
    }
  }

  private func copy(
    _ history: SalvagedHistory,
    from source: Connection,
    to connection: Connection
  ) throws {
    let rows = RowCopy(source: source, destination: connection)
    for table in history.tables.sorted() {
      try StoreIdentity.addTable(table, since: history.snapshot.revision, to: connection)
    }
    for number in history.catalog.allNumbers { try rows.layout(number) }
    try CorruptionError.nilIfCorrupt { try rows.origins() }
    for snapshot in history.kept { try rows.snapshot(snapshot.revision) }
    try rows.deltas(after: history.snapshot.revision, through: history.revision)
  }

  /// Reads the new file as an opening does.
  private func verify(
    _ file: NewFile,
    _ history: SalvagedHistory,
    _ identity: StoreIdentity
  ) throws {
    let connection = try file.connect(.readOnly)
    let copied = try SalvagedHistory(in: connection)
    guard let copied, copied.identity == identity, copied.revision == history.revision,
      copied.chain == history.chain, copied.snapshot == history.snapshot
    else { throw CorruptionError("what was saved of it could not be read back") }
    try connection.close()
  }
}
