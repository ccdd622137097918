public import StrataArchive
import StrataBase
public import StrataCore
public import StrataEntityStore
public import StrataJournal
public import StrataMigrating
public import StrataNormalization
public import StrataStorage

/// Keeps the database of one store in one file.
///
/// ```swift
/// let persistence = try await Persistence.open(
///   at: "app.strata", initialState: AppState(), database: \.db)
/// let store = AppStore(persistence)  // restored; every commit is journaled from here on
/// …
/// try await persistence.flush()      // what was committed before this line survives a power cut
/// try await persistence.close()
/// ```
///
/// Each commit that changes the database becomes a delta. Deltas are merged into snapshots. Opening
/// restores the newest snapshot and the deltas after it. A commit never waits for a sync and never
/// throws for the disk: see <doc:DurabilityGuarantees>.
///
/// Close it: ``close()`` waits for the disk and throws its errors; `withPersistence` does it where a scope fits. One
/// that is released, or still open when the program returns from `main`, is closed too, but nobody receives an error, and
/// at most a second is waited for: what is pending then is reported on standard error, and with an assertion in a
/// debug build. See `PersistenceConfiguration.exit`. The store keeps its persistence alive.
public final class Persistence<State: StateType, Database: DatabaseType>: StoreSource {
  /// What opening found.
  public let report: RestoreReport

  package let writer: JournalWriter
  let reader: HistoryReader
  /// Sends the commits to the archive; nil without one.
  package let shipper: ArchiveShipper?
  let database: StatePath<State, Database>
  private let specialized: SpecializedDatabaseHook<State, Database>
  let values: [PersistedValue<State>]
  let policy: StoragePolicy
  let connection: Lock<StoreConnection<State>>
  /// The fields of stored entities that this build does not know.
  let carried: Lock<CarriedFields>
  let recent: Lock<RecentStates<Database>>
  /// Whether states are kept: not if the file would give others, or if no commit can make one.
  let keepsRecentStates: Bool

  private init(
    _ opening: StoreOpening<State, Database>,
    _ opened: (contents: DatabaseOpening<Database>.Contents, report: RestoreReport),
    _ writer: JournalWriter,
    _ shipper: ArchiveShipper? = nil
  ) {
    specialized = opening.specialized
    self.shipper = shipper
    connection = Lock(.waiting(opening.state(with: opened.contents)))
    report = opened.report
    self.writer = writer
    database = opening.database
    values = opening.values
    policy = opening.policy
    carried = Lock(opened.contents.carried)
    let configuration = writer.configuration
    keepsRecentStates =
      configuration.recentStates.count > 0 && configuration.restore != .readOnly
      && report.loss == nil && !policy.hasTransforms
    var recent = RecentStates<Database>(configuration.recentStates)
    if keepsRecentStates {
      recent.add(
        opened.contents.database,
        at: writer.queue.lastRevision,
        changes: 0,
        values: policy.values.merging(opened.contents.values),
        configuration.now(),
        inverse: { ChangeSet() }
      )
    }
    self.recent = Lock(recent)
    reader = HistoryReader(
      writer.path,
      vfs: writer.configuration.vfs,
      pins: writer.pins
    )
    writer.closeAtExit()
  }

  deinit {
    shipper?.cancel()
    writer.closeReleased()
  }
}

extension Persistence {
  /// Opens the file at `path`, or creates it, and restores the database it holds.
  ///
  /// A new file gets the database of `initialState` and the `values` as its first snapshot before
  /// this returns. Afterwards the file wins: `initialState` only provides what lies outside the
  /// database and the values, and tables and values that are new to the file. O(entities); the file
  /// stays locked for other writers until ``close()``.
  ///
  /// Every table is stored whole, unless `tables` says otherwise: see ``TableOption``.
  ///
  /// The `migrations` that have not run on the file run first, after a verified backup and in one transaction: see
  /// <doc:EvolvingYourData> and `PersistenceConfiguration.migrations`. What they did is in
  /// ``RestoreReport/migrations``. A new file starts with all of them noted as applied.
  ///
  /// With an `archive`, this process leads it from here on, and every commit is sent there too: see
  /// <doc:BeyondOneMachine>. A file that is not here comes from the archive, and so do commits that this file
  /// lacks; what was done is in ``RestoreReport/archive``.
  ///
  /// Throws `PersistenceError` with the reason and the remedy; a refused file keeps every byte. A
  /// database whose schema leaves out one of its tables is refused with `.unlistedTables`. See
  /// `RestorePolicy` for what to do with a file that cannot be restored completely, and for opening
  /// one only to read it.
  @inlinable
  public static func open(
    at path: String,
    initialState: State,
    database: StatePath<State, Database>,
    values: [PersistedValue<State>] = [],
    tables: [TableOption<Database>] = [],
    migrations: [DataMigration] = [],
    archive: (any Archive)? = nil,
    configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) async throws(PersistenceError) -> Persistence {
    try await open(
      StoreOpening(
        initialState,
        database,
        values,
        tables,
        migrations,
        archive,
        configuration,
        SpecializedDatabaseHook()
      ),
      at: path
    )
  }

  @usableFromInline
  static func open(
    _ opening: StoreOpening<State, Database>,
    at path: String
  ) async throws(PersistenceError) -> Persistence {
    let (database, writer) = try opening.prepare(at: path)
    guard let archive = opening.archive, opening.configuration.restore != .readOnly else {
      return Persistence(opening, try await database.open(writer), writer)
    }
    let archived = try await ArchiveOpening(of: writer.path, in: archive, opening.configuration)
    return try await open(opening, database, writer, archive, archived)
  }

  /// Opens a file that has the history of its archive.
  ///
  /// - Parameter loss: What was lost of a damaged file in whose place the archive's history came.
  private static func open(
    _ opening: StoreOpening<State, Database>,
    _ database: DatabaseOpening<Database>,
    _ writer: JournalWriter,
    _ archive: any Archive,
    _ archived: ArchiveOpening,
    replacing loss: RestoreLoss? = nil
  ) async throws(PersistenceError) -> Persistence {
    var archived = archived
    let shipper = ArchiveShipper(to: archive, of: writer, continuing: archived)
    var opened: Opened
    do throws(PersistenceError) {
      switch try await restore(database, writer, beside: archived, isFirst: loss == nil) {
      case .whole(let whole): opened = whole
      case .lost(let lost):
        try await archived.replaceDamagedFile()
        await shipper.stop(within: .zero, keepingLead: true)
        let (database, writer) = try opening.prepare(at: writer.path.file)
        return try await open(opening, database, writer, archive, archived, replacing: lost)
      }
    } catch {
      await shipper.stop(within: .zero)
      throw error
    }
    opened.report.note(loss, replacedThrough: archived.mark)
    opened.report.archive = archived.report
    opened.report.notes += archived.noteReported()
    let persistence = Persistence(opening, opened, writer, shipper)
    await shipper.start()
    return persistence
  }

  private typealias Opened = (contents: DatabaseOpening<Database>.Contents, report: RestoreReport)

  private enum Restored {
    case whole(Opened)
    /// What a damaged file has lost, which is closed again: the archive has all that is left of it.
    case lost(RestoreLoss)
  }

  /// Opens a file beside its archive.
  ///
  /// Where the archive has a history, or cannot be reached, a damaged file is not restored without some of its entities:
  /// such a state is none of the history, and would be sent as if it were.
  ///
  /// - Parameter isFirst: whether the file is not the archive's, which would be no better the second time.
  private static func restore(
    _ database: DatabaseOpening<Database>,
    _ writer: JournalWriter,
    beside archived: ArchiveOpening,
    isFirst: Bool
  ) async throws(PersistenceError) -> Restored {
    let opened: Opened
    do throws(PersistenceError) {
      opened = try await database.open(writer, restoresParts: !archived.mayHaveHistory)
    } catch {
      guard isFirst, archived.hasHistory, writer.configuration.restore == .bestEffort,
        let damage = error.reason.damage
      else { throw error }
      return .lost(
        try RestoreLoss(ofAll: writer.path, damage: damage, on: writer.configuration.disk)
      )
    }
    guard isFirst, let lost = opened.report.loss, lost.damage != nil,
      archived.has(opened.report.position)
    else { return .whole(opened) }
    try await writer.close()
    return .lost(lost)
  }

  /// The same as `open` for a program that cannot wait asynchronously: it blocks the calling thread
  /// until the file is restored.
  @available(*, noasync, message: "Use the asynchronous form: try await Persistence.open(…)")
  @inlinable
  public static func openBlocking(
    at path: String,
    initialState: State,
    database: StatePath<State, Database>,
    values: [PersistedValue<State>] = [],
    tables: [TableOption<Database>] = [],
    migrations: [DataMigration] = [],
    configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) throws(PersistenceError) -> Persistence {
    try openBlocking(
      StoreOpening(
        initialState,
        database,
        values,
        tables,
        migrations,
        nil,
        configuration,
        SpecializedDatabaseHook()
      ),
      at: path
    )
  }

  @available(*, noasync)
  @usableFromInline
  static func openBlocking(
    _ opening: StoreOpening<State, Database>,
    at path: String
  ) throws(PersistenceError) -> Persistence {
    let (database, writer) = try opening.prepare(at: path)
    let result = writer.executor.runNow {
      writer.assumeIsolated { writer in
        Result { () throws(PersistenceError) in try database.open(writer) }
      }
    }
    return Persistence(opening, try result.get(), writer)
  }

  /// The state a store is created with: the restored database and values in the given initial
  /// state.
  ///
  /// Once a store is attached, this is the store's state: the restored state is not kept beside it.
  public var initialState: State { connection.withLock { $0 }.state }

  /// Connects the file to the store created from it; called by the store's initializer.
  ///
  /// A second store traps: one file cannot hold two states.
  public func attach<Activity: Sendable>(to store: Store<State, Activity>) {
    let isFirst = connection.withLock { $0.attach(to: store) }
    if !isFirst {
      fatalError(
        """
        A Persistence serves one store, and \(store.name) is the second. Open another file for it, \
        or share the first store.
        """
      )
    }
    let changes = store.databaseHook(database, specialized)
    store.hook(
      where: { (_: JournalHook<State, Database>) in false },
      orInstall: { JournalHook(persistence: self, changes: changes.key) }
    )
  }

  /// Returns when every commit made before the call is on disk.
  ///
  /// Concurrent callers share one sync. Throws at once, with the cause, while the disk fails; the
  /// commits stay in memory, in order. Throws with the reason `.notPersisted` when everything is on
  /// disk except entities whose `encode(to:)` threw for their last change.
  public func flush() async throws(PersistenceError) {
    try await writer.durable(through: writer.queue.lastRevision)
    let refused = writer.statusTracker.current.unpersisted.entities
    guard refused.isEmpty else {
      throw PersistenceError(.appending, path: path, .notPersisted(refused))
    }
  }

  /// Takes a snapshot of everything committed before the call and gives it a name.
  ///
  /// A named snapshot is never trimmed. A name that exists already moves to the new snapshot.
  /// O(entities).
  @discardableResult
  public func snapshot(named name: String) async throws(PersistenceError) -> Revision {
    if writer.configuration.restore == .readOnly {
      throw PersistenceError(.snapshotting, path: path, .readOnly)
    }
    return try await writer.snapshot(named: name)
  }

  /// Writes pending commits and releases the file; sends them to the archive first, for up to
  /// `ArchivePolicy.closingLimit`.
  ///
  /// From here on the store refuses commits that change the database or a persisted value. Closing
  /// again does nothing. Throws when something could not be written; the file is released all the
  /// same.
  public func close() async throws(PersistenceError) {
    let connection = connection.withLock { $0 }
    connection.withoutCommits { writer.queue.refuseCommits(.closed) }
    if let shipper {
      // What is not written yet is sent too. If the disk fails, closing says so.
      do throws(PersistenceError) {
        try await writer.durable(through: writer.queue.lastRevision)
      } catch _ {}
      await shipper.stop(within: writer.configuration.archiving.closingLimit)
    }
    await reader.stop(.closed)
    try await writer.close()
  }

  /// The revision of the last commit that changed the database or a persisted value.
  public var revision: Revision { writer.queue.lastRevision }

  /// The last revision that is certainly on disk.
  public var durableRevision: Revision { writer.queue.current.durable }

  /// The resolved path of the file.
  public var path: String { writer.path.file }

  /// The events of the file from now on; ends with ``close()``.
  ///
  /// A consumer that does not read loses nothing that it has to know: of what waits for it, the last event of a kind
  /// stands for all of them, and each gap of the archive for itself.
  public var events: AsyncStream<PersistenceEvent> { writer.events.stream() }
}
