public import Foundation
public import StrataArchiving
import StrataBase
public import StrataCore
import StrataEntityStore
public import StrataJournal
public import StrataNormalization
public import StrataPersistence
package import StrataStorage

#if ServiceLifecycle
  public import ServiceLifecycle
#endif

/// Keeps a store where another process writes it: on another machine by way of an archive, or on this one by its file.
///
/// ```swift
/// let follower = try await Persistence.follow(
///   archive, at: "replica.strata", initialState: AppState(), database: \.db)
/// let store = AppStore(follower)
/// store.sinkState { show($0) }            // each commit of the leader, a moment later
/// try await follower.reach(revision)      // read what was written elsewhere
/// ```
///
/// Each delta becomes a commit with the name, the place, the time and the context of the original, so derived
/// values, indexes and subscriptions work as they do there. Commits of one's own are refused with
/// `ArchiveError.Reason.following`. The rules of the database are not applied again.
///
/// Each delta is written to the file before it is applied to the store. If the file cannot be written, the status is `.failed`
/// and the store stays as it is; the follower continues once the file can be written again.
///
/// The store keeps its follower alive.
public final class Follower<State: StateType, Database: DatabaseType>: StoreSource {
  /// What restoring found.
  public let report: RestoreReport

  let connection: Lock<StoreConnection<State>>
  private let database: StatePath<State, Database>
  private let specialized: SpecializedDatabaseHook<State, Database>
  private let closingLimit: Duration
  let now: @Sendable () -> Date
  private let progress: FollowerProgress
  private let loop: FollowerLoop<State, Database>
  /// Watches the lease of a standby; nil for another follower.
  private let watch: StandbyWatch?
  private let watching = Lock<Task<Void, Never>?>(nil)
  /// Why a standby could not lead when it last might have, as its events have said.
  private let toldRefusal = Lock<String?>(nil)
  /// What the store writes to once this process leads.
  private let persistence = Lock<Persistence<State, Database>?>(nil)
  /// Serves those who wait for a commit of this process.
  private let serving = Lock<Task<Void, Never>?>(nil)
  private let leading = Lock(Leading())

  /// A call to lead that has not ended, for which further ones wait; none begins once this is being closed.
  private struct Leading {
    var task: Task<Result<Persistence<State, Database>, PersistenceError>, Never>?
    var mayBegin = true
  }

  init(
    _ setup: FollowerLoop<State, Database>.Setup,
    _ restored: FollowerLoop<State, Database>.Restored,
    _ progress: FollowerProgress,
    _ loop: FollowerLoop<State, Database>,
    _ watch: StandbyWatch?
  ) {
    connection = Lock(.waiting(restored.state))
    database = setup.opening.database
    report = restored.report
    specialized = setup.opening.specialized
    closingLimit = setup.policy.closingLimit
    now = setup.opening.configuration.now
    self.progress = progress
    self.loop = loop
    self.watch = watch
  }

  deinit {
    loop.cancel()
    watching.withLock { $0 }?.cancel()
    serving.withLock { $0 }?.cancel()
  }

  /// The state a store is created with; once there is a store, its state.
  public var initialState: State { connection.withLock { $0 }.state }

  /// Connects to the store that was created from it, and starts to follow.
  ///
  /// A second store traps.
  public func attach<Activity: Sendable>(to store: Store<State, Activity>) {
    let connected = connection.withLock { connection in
      connection.attach(to: store) ? connection : nil
    }
    guard let connected else {
      fatalError("A Follower serves one store, and \(store.name) is the second.")
    }
    _ = store.databaseHook(database, specialized)
    store.hook(
      where: { (_: FollowerHook<State, Database>) in false },
      orInstall: { FollowerHook(follower: self) }
    )
    loop.start(connected)
    guard let watch else { return }
    watching.withLock { watching in
      watching = Task { [weak self] in
        await watch.run(tooLong: { [weak self] in self?.tell($0) }) { [weak self] in
          await self?.takeOver() ?? .leads
        }
      }
    }
  }

  /// Tells why a standby may not lead, although the leader gives no sign.
  private func tell(_ refusal: ArchiveError) {
    let error = PersistenceError(.opening, path: loop.path.file, .archive(refusal))
    progress.events.send(.couldNotLead("\(error)"))
  }

  /// Leads now that the lease has ended.
  private func takeOver() async -> StandbyWatch.Attempt {
    do throws(PersistenceError) {
      try await lead(.refuse)
      return .leads
    } catch {
      if error.reason == .closed || Task.isCancelled { return .leads }
      if let refusal = error.archive, case .led = refusal.reason {
        toldRefusal.withLock { $0 = nil }
        return .mayLater
      }
      let isNews = toldRefusal.withLock { told in
        defer { told = "\(error)" }
        return told != "\(error)"
      }
      if isNews { progress.events.send(.couldNotLead("\(error)")) }
      switch error.remedy {
      case .retry: return .mayLater
      case .useNewerBuild: return .isOlderBuild
      default: return .failed
      }
    }
  }

  /// The last revision that the store has.
  public var revision: Revision { persistence.withLock { $0 }?.revision ?? progress.revision }

  /// How it is at this moment.
  public var status: FollowerStatus { progress.machine.status }

  /// When what it follows has last answered; nil if it has not since the start.
  ///
  /// An archive that does not answer is noticed only when a call to it ends: `status` may say `.current` until then.
  public var lastContact: Date? { progress.machine.lastContact }

  /// Since when the store may lack commits: when it was last known to have everything; nil while it has, and while this
  /// process leads.
  public var behindSince: Date? { progress.machine.behindSince }

  /// What the archive said of itself at ``lastContact``: how far it is, who leads in which epoch, and how long the lease runs.
  ///
  /// Nil for a follower of a file, and until the archive has answered.
  public var head: ArchiveHead? { progress.head }

  /// How often what it follows could not be reached since the start.
  public var failedCalls: Int { progress.machine.failedCalls }

  /// How often the history was taken back since the start.
  public var rewinds: Int { progress.machine.rewinds }

  /// The events from now on; ends with ``close()``, and once it leads.
  ///
  /// A consumer that does not read loses nothing that it has to know: of what waits for it, the last `applied` stands for
  /// all of them, and one `rewound` for several.
  public var events: AsyncStream<FollowerEvent> { progress.events.stream() }

  /// Returns once the store has a revision, so that what was written elsewhere can be read here.
  ///
  /// Throws `PersistenceError`: `.notThere` if it is not there within `limit`, and `.closed`.
  public func reach(
    _ revision: Revision,
    within limit: Duration? = nil
  ) async throws(PersistenceError) {
    if self.revision >= revision { return }
    loop.wake()
    try await progress.reach(revision, within: limit, path: loop.path.file)
  }

  /// Stops following; the store keeps its state.
  ///
  /// It waits for a copy that is being made of the archive no longer than `closingLimit`; the copy is given up.
  public func close() async throws(PersistenceError) {
    defer { progress.close() }
    let begun = leading.withLock { leading in
      leading.mayBegin = false
      return leading.task
    }
    watching.withLock { $0 }?.cancel()
    if let persistence = persistence.withLock({ $0 }) { return try await persistence.close() }
    let end = FirstAnswer<Void>()
    let stopping = Task { [loop] in
      // It leads once this is over, or follows again.
      begun?.cancel()
      _ = await begun?.value
      await loop.stop()
      end.give(())
    }
    FileExecutor(label: "strata.closing").schedule(after: closingLimit) {
      stopping.cancel()
      end.give(())
    }
    await end.value
    if let persistence = persistence.withLock({ $0 }) { try await persistence.close() }
  }

  /// Lets this process lead: the same store takes commits of its own from here on.
  ///
  /// It takes over as `Persistence.open(…, with: [.archive(…)])` does, from where the archive ends. The store gets what
  /// it lacks as one commit more, if it lacks something. O(entities).
  ///
  /// Returns the persistence of the store. Throws `PersistenceError` with an `ArchiveError` (`error.archive`), which is
  /// `.led` while another process leads, or `.away`; then it goes on following. Throws the kind `.closed` once
  /// ``close()`` was called, also while that call has not returned. Calls at the same time are one, and cancelling one
  /// cancels all. Traps for a follower of a file: close it, and open the file.
  @discardableResult
  public func lead() async throws(PersistenceError) -> Persistence<State, Database> {
    try await lead(.open)
  }

  @discardableResult
  private func lead(
    _ withoutLead: ArchivePolicy.WithoutLead
  ) async throws(PersistenceError) -> Persistence<State, Database> {
    if let persistence = persistence.withLock({ $0 }) { return persistence }
    let begun = leading.withLock { leading in
      if leading.task == nil, leading.mayBegin {
        leading.task = Task { await self.startLeading(withoutLead) }
      }
      return leading.task
    }
    guard let task = begun else { throw closed }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    return try result.get()
  }

  private func startLeading(
    _ withoutLead: ArchivePolicy.WithoutLead
  ) async -> Result<Persistence<State, Database>, PersistenceError> {
    defer { leading.withLock { $0.task = nil } }
    // The call before this one may have ended just now.
    if let persistence = persistence.withLock({ $0 }) { return .success(persistence) }
    let connection = connection.withLock { $0 }
    do throws(PersistenceError) {
      let new = try await loop.lead(connection, withoutLead)
      if status == .closed {
        // Closing has not waited for it.
        try await new.close()
        throw closed
      }
      connection.attach(new)
      persistence.withLock { $0 = new }
      progress.note(.lead)
      progress.events.finish()
      serveFurther(new)
      return .success(new)
    } catch {
      return .failure(error)
    }
  }

  private var closed: PersistenceError {
    PersistenceError(.opening, path: loop.path.file, .closed)
  }

  /// Those who wait for a revision wait for the commits of this process now.
  private func serveFurther(_ persistence: Persistence<State, Database>) {
    let events = persistence.events
    progress.serve(through: persistence.revision)
    let task = Task { [progress] in
      for await case .appended(let revision) in events { progress.serve(through: revision) }
      progress.close()
    }
    serving.withLock { $0 = task }
  }

  /// The persistence of the store once this process leads.
  var leadingPersistence: Persistence<State, Database>? { persistence.withLock { $0 } }

  /// Why a commit is refused; nil once this process leads.
  var refusal: PersistenceError? {
    if leadingPersistence != nil { return nil }
    let error = ArchiveError(.following, archive: loop.name)
    return PersistenceError(.appending, path: loop.path.file, .archive(error))
  }
}

extension Follower: JournalingSource {
  package var journal: (writer: JournalWriter, companion: (any JournalCompanion)?)? {
    persistence.withLock { $0 }?.journal
  }
}

/// Refuses the commits that are not the leader's.
final class FollowerHook<State: StateType, Database: DatabaseType>: CommitHook {
  /// The store holds the hook, and so keeps its follower alive.
  private let follower: Follower<State, Database>

  init(follower: Follower<State, Database>) { self.follower = follower }

  func editDidEnd(_ edit: inout Edit<State>) throws {
    if edit.attachments[FollowedChanges.key] != nil { return }
    if let refusal = follower.refusal { throw refusal }
  }
}

#if ServiceLifecycle
  /// A service of swift-service-lifecycle, with the package trait `ServiceLifecycle`, which is off by default.
  extension Follower: Service {
    /// Waits until the group shuts down or the task is cancelled, then stops following; if this process leads by
    /// then, writes pending commits and releases the file.
    ///
    /// Throws what ``close()`` throws.
    public func run() async throws {
      await shutdownOrCancellation()
      try await close()
    }
  }
#endif
