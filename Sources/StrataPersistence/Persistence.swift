import StrataBase
public import StrataCore
public import StrataEntityStore
public import StrataJournal
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
/// debug build. A signal, a crash and `_exit` end a program without notice. The store keeps its persistence alive.
public final class Persistence<State: StateType, Database: DatabaseType>: StoreSource {
  /// What opening found.
  public let report: RestoreReport

  package let writer: JournalWriter
  package let reader: HistoryReader
  /// What runs beside the writer; nil without a step of the opening that brings one.
  package let companion: (any JournalCompanion)?
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

  package init(
    _ opening: StoreOpening<State, Database>,
    _ opened: DatabaseOpening<Database>.Opened,
    _ writer: JournalWriter,
    _ companion: (any JournalCompanion)? = nil
  ) {
    specialized = opening.specialized
    self.companion = companion
    connection = Lock(.waiting(opening.state(with: opened.contents)))
    report = opened.report
    self.writer = writer
    database = opening.database
    values = opening.values
    policy = opening.policy
    carried = Lock(opened.contents.carried)
    let configuration = writer.configuration
    keepsRecentStates =
      configuration.recentStates > 0 && configuration.restore != .readOnly
      && report.loss == nil && !policy.hasTransforms
    var recent = RecentStates<Database>(configuration.recent)
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
    companion?.cancel()
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
  /// Other products bring `steps`: `.migrations(_:)` of `StrataMigrations` changes the data before it is read, with
  /// `.archive(_:)` of `StrataArchive` every commit is sent elsewhere too.
  ///
  /// Throws `PersistenceError`, which says what is wrong and what to do; a refused file keeps every byte. A
  /// database whose schema leaves out one of its tables is `.refused`. See
  /// `RestorePolicy` for what to do with a file that cannot be restored completely, and for opening
  /// one only to read it.
  @inlinable
  public static func open(
    at path: String,
    initialState: State,
    database: StatePath<State, Database>,
    values: [PersistedValue<State>] = [],
    tables: [TableOption<Database>] = [],
    configuration: PersistenceConfiguration = PersistenceConfiguration(),
    with steps: [any OpeningStep] = []
  ) async throws(PersistenceError) -> Persistence {
    try await open(
      StoreOpening(
        initialState,
        database,
        values,
        tables,
        configuration,
        steps,
        SpecializedDatabaseHook()
      ),
      at: path
    )
  }

  @usableFromInline
  package static func open(
    _ opening: StoreOpening<State, Database>,
    at path: String
  ) async throws(PersistenceError) -> Persistence {
    if let step = opening.companion { return try await step.open(opening, at: path) }
    let (database, writer) = try opening.prepare(at: path)
    return Persistence(opening, try await database.open(writer), writer)
  }

  /// The same as `open` for a program that cannot wait asynchronously: it blocks the calling thread
  /// until the file is restored.
  ///
  /// A step that waits for another machine, such as `.archive(_:)`, traps.
  @available(*, noasync, message: "Use the asynchronous form: try await Persistence.open(…)")
  @inlinable
  public static func openBlocking(
    at path: String,
    initialState: State,
    database: StatePath<State, Database>,
    values: [PersistedValue<State>] = [],
    tables: [TableOption<Database>] = [],
    configuration: PersistenceConfiguration = PersistenceConfiguration(),
    with steps: [any OpeningStep] = []
  ) throws(PersistenceError) -> Persistence {
    try openBlocking(
      StoreOpening(
        initialState,
        database,
        values,
        tables,
        configuration,
        steps,
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
    precondition(
      opening.companion == nil,
      "openBlocking cannot wait for an archive. Use Persistence.open."
    )
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
  /// commits stay in memory, in order. Throws an error of the kind `.notKept` when everything is on
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

  /// Writes pending commits and releases the file; what runs beside the writer, such as the sender to an archive, gets
  /// them first.
  ///
  /// From here on the store refuses commits that change the database or a persisted value. Closing
  /// again does nothing. Throws when something could not be written; the file is released all the
  /// same.
  public func close() async throws(PersistenceError) {
    let connection = connection.withLock { $0 }
    connection.withoutCommits { writer.queue.refuseCommits(.closed) }
    if let companion {
      // It gets what is not written yet, too. If the disk fails, closing says so.
      do throws(PersistenceError) {
        try await writer.durable(through: writer.queue.lastRevision)
      } catch _ {}
      await companion.stop()
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
  /// stands for all of them.
  public var events: AsyncStream<PersistenceEvent> { writer.events.stream() }
}

/// A step of an opening that opens the file together with something else, and brings what runs beside its writer.
package protocol CompanionStep: ProductStep {
  /// Opens the file at a path to write to it.
  func open<State, Database>(
    _ opening: StoreOpening<State, Database>,
    at path: String
  ) async throws(PersistenceError) -> Persistence<State, Database>
}

extension StoreOpening {
  /// The step that opens the file together with something else, to write to it.
  package var companion: (any CompanionStep)? {
    configuration.restore == .readOnly ? nil : step((any CompanionStep).self)
  }
}

/// Arguments of earlier versions, which are steps now.
extension Persistence {
  /// A step now.
  @available(
    *,
    unavailable,
    message: "import StrataMigrations, and pass the migrations last: with: [.migrations([…])]"
  )
  public static func open(
    at path: String,
    initialState: State,
    database: StatePath<State, Database>,
    values: [PersistedValue<State>] = [],
    tables: [TableOption<Database>] = [],
    migrations: [Any],
    archive: Any? = nil,
    configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) async throws(PersistenceError) -> Persistence { preconditionFailure("unavailable") }

  /// A step now.
  @available(
    *,
    unavailable,
    message: "import StrataArchive, and pass the archive last: with: [.archive(…)]"
  )
  public static func open(
    at path: String,
    initialState: State,
    database: StatePath<State, Database>,
    values: [PersistedValue<State>] = [],
    tables: [TableOption<Database>] = [],
    archive: Any,
    configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) async throws(PersistenceError) -> Persistence { preconditionFailure("unavailable") }

  /// A step now.
  @available(
    *,
    unavailable,
    message: "import StrataMigrations, and pass the migrations last: with: [.migrations([…])]"
  )
  public static func openBlocking(
    at path: String,
    initialState: State,
    database: StatePath<State, Database>,
    values: [PersistedValue<State>] = [],
    tables: [TableOption<Database>] = [],
    migrations: [Any],
    configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) throws(PersistenceError) -> Persistence { preconditionFailure("unavailable") }
}
