public import StrataArchiving
import StrataBase
public import StrataCore
public import StrataEntityStore
public import StrataJournal
import StrataNormalization
public import StrataPersistence
public import StrataStorage

extension Persistence {
  /// Follows the store of an archive, which another process leads.
  ///
  /// The file at `path` gets every delta too, so the next start reads only what is new, and ``Follower/lead()`` needs
  /// no copy; the migrations of the steps that have not run by then run there. Until the leader has run those without
  /// which the records cannot be read, the status is `.waitingForMigration` and the store has its initial state.
  /// Without a path it is a temporary one. A file that is not here is pulled; one that does not fit the history is set
  /// aside. O(entities).
  ///
  /// Throws `PersistenceError` with an `ArchiveError` (`error.archive`), which is `.empty`, or `.away` if there is no
  /// file; and what opening throws.
  @inlinable
  public static func follow(
    _ archive: any Archive,
    at path: String? = nil,
    initialState: State,
    database: StatePath<State, Database>,
    values: [PersistedValue<State>] = [],
    tables: [TableOption<Database>] = [],
    policy: ArchivePolicy = ArchivePolicy(),
    configuration: PersistenceConfiguration = PersistenceConfiguration(),
    with steps: [any OpeningStep] = []
  ) async throws(PersistenceError) -> Follower<State, Database> {
    try await follow(
      StoreOpening(
        initialState,
        database,
        values,
        tables,
        configuration,
        steps,
        SpecializedDatabaseHook()
      ),
      ArchiveStep(archive, policy),
      at: path
    )
  }

  /// Follows the store of an archive, and leads as soon as no other process does.
  ///
  /// ```swift
  /// let standby = try await Persistence.standBy(
  ///   archive, at: "app.strata", initialState: AppState(), database: \.db)
  /// let store = AppStore(standby)
  /// for await event in standby.events {
  ///   if event == .leading { try await serve(store, try await standby.lead()) }
  /// }
  /// ```
  ///
  /// It is a follower that also watches the lease, from when its store is created: one call for the head of the archive,
  /// at least four times in a lease. It does not stop following for that. Once the lease of the leader has ended, by
  /// itself or because the leader was closed, it calls ``Follower/lead()``: status and events say `.leading`, the store
  /// takes commits, and ``Follower/lead()`` returns its persistence. Of several standbys one leads. One that cannot lead
  /// sends `.couldNotLead` and goes on following.
  ///
  /// Let all processes that may lead set `ArchivePolicy.withoutLease` to `.refuse` and the same lease. A process that
  /// has lost the lead does not follow by itself: close it, and stand by again.
  ///
  /// Throws what `follow` throws.
  @inlinable
  public static func standBy(
    _ archive: any Archive,
    at path: String? = nil,
    initialState: State,
    database: StatePath<State, Database>,
    values: [PersistedValue<State>] = [],
    tables: [TableOption<Database>] = [],
    policy: ArchivePolicy = ArchivePolicy(),
    configuration: PersistenceConfiguration = PersistenceConfiguration(),
    with steps: [any OpeningStep] = []
  ) async throws(PersistenceError) -> Follower<State, Database> {
    try await standBy(
      StoreOpening(
        initialState,
        database,
        values,
        tables,
        configuration,
        steps,
        SpecializedDatabaseHook()
      ),
      ArchiveStep(archive, policy),
      at: path
    )
  }

  /// Follows the store in a file of this machine, which another process has open: an extension, a helper, a dashboard.
  ///
  /// Nothing is written. It goes on when that process ends and another one opens the file. O(entities).
  ///
  /// Throws what opening for reading only throws.
  @inlinable
  public static func follow(
    at path: String,
    initialState: State,
    database: StatePath<State, Database>,
    values: [PersistedValue<State>] = [],
    tables: [TableOption<Database>] = [],
    configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) async throws(PersistenceError) -> Follower<State, Database> {
    try await follow(
      StoreOpening(
        initialState,
        database,
        values,
        tables,
        configuration,
        [],
        SpecializedDatabaseHook()
      ),
      nil,
      at: path
    )
  }

  @usableFromInline
  static func follow(
    _ opening: StoreOpening<State, Database>,
    _ step: ArchiveStep?,
    at path: String?
  ) async throws(PersistenceError) -> Follower<State, Database> {
    try await follow(opening, step, at: path, watch: nil)
  }

  @usableFromInline
  static func standBy(
    _ opening: StoreOpening<State, Database>,
    _ step: ArchiveStep,
    at path: String?
  ) async throws(PersistenceError) -> Follower<State, Database> {
    let watch = StandbyWatch(archive: step.archive, lease: step.policy.lease)
    return try await follow(opening, step, at: path, watch: watch)
  }

  private static func follow(
    _ opening: StoreOpening<State, Database>,
    _ step: ArchiveStep?,
    at path: String?,
    watch: StandbyWatch?
  ) async throws(PersistenceError) -> Follower<State, Database> {
    precondition(
      opening.companion == nil,
      "A follower leads the archive that it follows: pass its policy, not .archive(…)."
    )
    let temporary = path == nil ? try TemporaryFolder() : nil
    let path = try StorePath(
      path ?? (temporary.map { $0.path + "/replica.strata" } ?? ""),
      for: .opening
    )
    let setup = FollowerLoop<State, Database>.Setup(
      path: path,
      opening: opening,
      archive: step,
      temporary: temporary
    )
    let (restored, replica) = try await FollowerLoop.restore(setup)
    // A store that waits for a migration has no revision of what is followed.
    let reached = restored.awaited == nil ? restored.mark.revision : 0
    let progress = FollowerProgress(
      reached,
      away: restored.report.archive?.away,
      now: opening.configuration.now
    )
    if let name = restored.awaited { progress.note(.older(name)) }
    let loop = FollowerLoop(setup, progress, restored, replica)
    return Follower(setup, restored, progress, loop, watch)
  }
}
