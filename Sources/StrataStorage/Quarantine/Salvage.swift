package import Foundation
import StrataBase
package import StrataJournal
import StrataSQLite
import StrataSchema

/// Copies what can be verified of a damaged file into a new one, in a new lineage, and quarantines the
/// damaged file.
///
/// The damaged file is only read. The new one is complete, verified and synced before anything is moved.
/// The caller holds the writer's lock.
package struct Salvage {
  private let path: StorePath
  private let now: Date
  private let application: String?
  private let disk: Disk
  private let mayMigrate: Bool
  private let restoresParts: Bool

  /// - Parameters:
  ///   - application: the one that the configuration names, if it names one.
  ///   - mayMigrate: whether the caller runs migrations on what is restored that are not noted in it.
  ///   - restoresParts: whether a state without some of its entities is restored, which is none of the history.
  package init(
    _ path: StorePath,
    now: Date,
    application: String? = nil,
    mayMigrate: Bool = false,
    restoresParts: Bool = true,
    on disk: Disk = .system
  ) {
    self.path = path
    self.now = now
    self.application = application
    self.disk = disk
    self.mayMigrate = mayMigrate
    self.restoresParts = restoresParts
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
      quarantine: move.quarantine,
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
    return try file.make {
      let source = try Connection(path: path.file, mode: .readOnly, vfs: disk.vfs)
      guard try canBeRead(source),
        let history = try source.readTransaction({ try IntactHistory(in: source) }),
        restoresParts || history.damaged.isEmpty
      else { return nil }
      try history.identity.check(application: application)
      var identity = history.identity
      let end = HeadRecord.Mark(revision: history.revision, chain: history.chain)
      identity.branch(.salvaged, after: end, at: now)
      try file.createStore(now: now.microseconds) { connection in
        try identity.write(to: connection)
        try copy(history, from: source, to: connection)
      }
      try verify(file, history, identity)
      try file.complete()
      return (
        identity.position(at: end), history.lastSeen,
        history.damaged.map(RestoreLoss.MissingEntities.init)
      )
    }
  }

  /// Whether the tables are those of a store, so that reading them runs nothing that was planted there.
  private func canBeRead(_ source: Connection) throws -> Bool {
    try CorruptionError.nilIfCorrupt {
      try StoreFormat.schema().canBeRead(in: source)
    } ?? false
  }

  private func copy(
    _ history: IntactHistory,
    from source: Connection,
    to connection: Connection
  ) throws {
    let copy = StoreCopy(from: source, to: connection, through: history.revision, .leaveOut)
    try copy.tables()
    for table in history.tables.inOrder()
    where try ListedTable.named(table, in: connection) == nil {
      try ListedTable.add(table, since: history.snapshot.revision, to: connection)
    }
    for number in history.catalog.allNumbers { try copy.layout(number) }
    try copy.origins()
    for snapshot in history.kept {
      try copy.snapshot(
        snapshot.revision,
        of: history.identity,
        history.catalog,
        without: snapshot.revision == history.snapshot.revision ? history.damaged : []
      )
    }
    try copy.dataMigrations(through: history.revision)
    try copy.erasures()
    try copy.deltas(after: history.snapshot.revision, through: history.revision)
    try completeLedger(history, from: source, in: connection)
  }

  /// Notes the migrations that ran on what is kept, and whose rows cannot be read: without rows they would run again.
  ///
  /// Migrations run in the order of their numbers, so a row stands for those that are missing before it, as that of a
  /// squashed migration does.
  ///
  /// - Throws: `CorruptionError` where it is not known which ones ran, for a caller that runs those without rows.
  private func completeLedger(
    _ history: IntactHistory,
    from source: Connection,
    in connection: Connection
  ) throws {
    if mayMigrate, try !saysWhatRan(source) {
      throw CorruptionError(
        """
        which migrations ran on it cannot be read, so RestorePolicy.bestEffort restores nothing for a program with \
        migrations: they would run again. Open it without them, then note those that ran: DataMigrator.baseline(at:)
        """
      )
    }
    // A row that is kept although it is damaged may not be readable as one.
    let entries = try CorruptionError.nilIfCorrupt { try DataLedger.entries(on: connection) }
    guard let entries else { return }
    let unlisted = try CorruptionError.nilIfCorrupt {
      try MigrationTrace.unlisted(in: entries, through: history.revision, of: source)
    }
    guard let unlisted, let last = unlisted.keys.max() else { return }
    for gap in DataLedger.gaps(in: entries, through: last) {
      let run = unlisted[gap.upperBound]
      let entry = DataLedger.Entry(
        number: gap.upperBound,
        name: run?.name ?? "\(gap.upperBound)",
        checksum: Checksum(of: []),
        applied: now.microseconds,
        duration: 0,
        form: DataLedger.baseline,
        revision: (run?.revision ?? history.snapshot.revision).number,
        layout: history.catalog.last,
        replaces: gap
      )
      try DataLedger.append(entry, on: connection)
    }
  }

  /// Whether the file says which migrations ran on it: in its ledger, or in the deltas of all its commits.
  private func saysWhatRan(_ source: Connection) throws -> Bool {
    let entries = try CorruptionError.nilIfCorrupt { try DataLedger.entries(on: source) }
    if entries != nil { return true }
    let first = try CorruptionError.nilIfCorrupt {
      _ = try MigrationTrace.unlisted(in: [], of: source)
      return try Journal(connection: source).first()
    }
    return first == Revision(1)
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
