package import Foundation
import StrataBase
import StrataMigrations
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
    var moving = settingAside(because: damage)
    try moving.run()
    try writeHead(position)
    let last = max(lastSeen, lastKnown.map { known(by: $0, of: position) } ?? 0)
    return RestoreLoss(
      damage: damage,
      revisions: last > position.revision ? position.revision.next...last : nil,
      setAside: SetAside(path, moving.directory, moving.manifest)
    )
  }

  /// The moving that gives the new file the store's name.
  package func settingAside(because damage: String) -> SettingAside {
    SettingAside(
      of: path,
      reason: damage,
      replacement: SettingAside.name(path.creating),
      now: now,
      on: disk
    )
  }

  private func known(by head: HeadRecord, of position: Position) -> Revision {
    head.storeID == position.storeID ? max(head.written.revision, head.durable.revision) : 0
  }

  /// Builds the new file under a name of its own; gives where it stands and the last revision that the
  /// damaged one shows traces of.
  package func build() throws -> (position: Position, lastSeen: Revision)? {
    removeLeftovers()
    do {
      let source = try Connection(path: path.file, mode: .readOnly, vfs: disk.vfs)
      guard let history = try source.readTransaction({ try SalvagedHistory(in: source) }) else {
        return nil
      }
      _ = try disk.open(path.creating, O_RDWR | O_CREAT | O_EXCL)
      let identity = try copy(history, from: source)
      try prove(history, identity)
      try disk.sync(path.creating)
      removeCompanions()
      let position = Position(
        storeID: identity.id,
        epoch: identity.epoch,
        revision: history.revision,
        chain: history.chain
      )
      return (position, history.lastSeen)
    } catch {
      removeLeftovers()
      throw error
    }
  }

  private func copy(
    _ history: SalvagedHistory,
    from source: Connection
  ) throws -> StoreIdentity {
    let time = now.microseconds
    var identity = history.identity
    let head = try HeadFile.read(path.head, on: disk)
      .flatMap { $0.storeID == identity.id ? $0.epoch : nil }
    identity.epoch = max(identity.epoch, head ?? 0) + 1
    let connection = try Connection(path: path.creating, mode: .readWrite, vfs: disk.vfs)
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    try Migrator(catalog: .file, now: { time }).migrate(connection)
    let rows = RowCopy(source: source, destination: connection)
    try connection.transaction {
      try identity.write(to: connection)
      for table in history.tables.sorted() {
        try StoreIdentity.addTable(table, since: history.snapshot.revision, to: connection)
      }
      for number in history.catalog.allNumbers { try rows.layout(number) }
      try DamageFound.tolerate { try rows.origins() }
      for snapshot in history.kept { try rows.snapshot(snapshot.revision) }
      try rows.deltas(after: history.snapshot.revision, through: history.revision)
    }
    try connection.checkpoint(.truncate)
    try connection.close()
    return identity
  }

  /// Reads the new file as an opening does.
  private func prove(_ history: SalvagedHistory, _ identity: StoreIdentity) throws {
    let connection = try Connection(path: path.creating, mode: .readOnly, vfs: disk.vfs)
    let copied = try SalvagedHistory(in: connection)
    guard let copied, copied.identity == identity, copied.revision == history.revision,
      copied.chain == history.chain, copied.snapshot == history.snapshot
    else { throw DamageFound("what was saved of it could not be read back") }
    try connection.close()
  }

  private func writeHead(_ position: Position) throws {
    let mark = HeadRecord.Mark(revision: position.revision, chain: position.chain)
    var head = try HeadFile(opening: path.head, on: disk)
    try head.write(
      HeadRecord(
        storeID: position.storeID,
        epoch: position.epoch,
        bootID: BootID.current(),
        durable: mark,
        written: mark
      )
    )
    try head.sync()
  }

  private func removeCompanions() {
    for suffix in ["-wal", "-shm"] { _ = unlink(path.creating + suffix) }
  }

  private func removeLeftovers() {
    _ = unlink(path.creating)
    removeCompanions()
  }
}
