import Foundation
import StrataArchiving
import StrataBase
import StrataCore
import StrataEntityStore
import StrataJournal
import StrataNormalization
import StrataPersistence
import StrataSQLite
import StrataStorage

/// Reads what a follower follows, and makes each delta a commit of its store.
actor FollowerLoop<State: StateType, Database: DatabaseType> {
  /// What it was opened with.
  struct Setup: Sendable {
    let path: StorePath
    /// What changes the file runs when it leads.
    let opening: StoreOpening<State, Database>
    /// What is followed, and is led some day; nil for a follower of a file.
    let archive: ArchiveStep?
    /// The directory of a file without a given path; it is removed with the follower.
    let temporary: TemporaryFolder?

    var policy: ArchivePolicy { archive?.policy ?? ArchivePolicy() }

    /// What is followed.
    var history: any FollowedHistory {
      if let archive {
        ArchivedHistory(archive.archive)
      } else {
        FileHistory(path)
      }
    }
  }

  /// A file as it was restored.
  struct Restored: Sendable {
    let state: State
    var report: RestoreReport
    let catalog: LayoutCatalog
    /// The migration that the leader has to run before the file can be read; the state is not that of the file then.
    var awaited: String?
    /// The lineage that the file was in before it was restored.
    var lineage: Lineage.ID?
    var mark: HistoryMark { HistoryMark(report.position) }
  }

  nonisolated var path: StorePath { setup.path }
  nonisolated var name: String { history.name }
  private nonisolated let setup: Setup
  private nonisolated let history: any FollowedHistory
  private nonisolated let progress: FollowerProgress
  /// The file that gets the deltas too; nil for a follower of a file.
  private var replica: Replica?
  private var mark: HistoryMark
  private var catalog: LayoutCatalog
  /// The migration that is waited for; the store is behind the mark then.
  private var awaited: String?
  /// The revision of the store whose history was taken back, until the store has the history as it is now.
  private var rewoundFrom: Revision?
  /// The lineage that the store has the commits of.
  private var lineage: Lineage.ID?
  /// The term in which what is followed was in that lineage; nil if it was not asked for.
  private var term: Int64?
  private let storeID: UUID
  private nonisolated let run = Lock<Run?>(nil)

  /// A task that follows, and what wakes it.
  private struct Run: Sendable {
    let task: Task<Void, Never>
    let signal: AsyncStream<Void>.Continuation
  }

  init(
    _ setup: Setup,
    _ progress: FollowerProgress,
    _ restored: Restored,
    _ replica: Replica?
  ) {
    self.setup = setup
    history = setup.history
    self.progress = progress
    self.replica = replica
    mark = restored.mark
    catalog = restored.catalog
    awaited = restored.awaited
    lineage = restored.lineage
    storeID = restored.report.position.storeID
  }

  /// How many bytes of deltas are read at a time, about.
  private static var batch: Int { 1 << 20 }

  nonisolated func start(_ connection: StoreConnection<State>) {
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let listening = Task { [history] in await Self.listen(to: history, signal) }
    let task = Task { [weak self] in
      defer { listening.cancel() }
      var iterator = signals.makeAsyncIterator()
      while let pause = await self?.step(connection), !Task.isCancelled {
        let timer = Task {
          try await Scheduling.sleep(for: pause)
          signal.yield()
        }
        let next: Void? = await iterator.next()
        timer.cancel()
        if next == nil { return }
      }
    }
    run.withLock { $0 = Run(task: task, signal: signal) }
  }

  /// Wakes the loop by the hints of a history, which also looks by itself; one whose stream ends is listened to again.
  private static func listen(
    to history: any FollowedHistory,
    _ signal: AsyncStream<Void>.Continuation
  ) async {
    while !Task.isCancelled, let hints = history.hints() {
      for await _ in hints { signal.yield() }
      // What came meanwhile.
      signal.yield()
      do { try await Scheduling.sleep(for: relistening) } catch _ { return }
    }
  }

  /// How long after the end of a stream of hints another one is asked for.
  private static var relistening: Duration { .milliseconds(500) }

  /// Asks at once for new commits.
  nonisolated func wake() { run.withLock { $0 }?.signal.yield() }

  nonisolated func cancel() { run.withLock { $0 }?.task.cancel() }

  /// Stops, and releases the file, once nothing is applied any more.
  ///
  /// It does not wait for an answer of what it follows, but for a copy that is being made of it.
  func stop() async {
    cancel()
    await run.withLock { $0 }?.task.value
    run.withLock { $0 = nil }
    await closeReplica()
  }

  private func closeReplica() async {
    // What it lacks is read again.
    do { try await replica?.close() } catch _ {}
    replica = nil
  }

  /// Applies what is new; returns how long to wait before the next look.
  private func step(_ connection: StoreConnection<State>) async -> Duration {
    do {
      if let awaited {
        let new = try await untilCancelled { [history, mark] in
          try await history.deltas(after: mark, bytes: 1)
        }
        progress.note(head: new.head)
        if !new.frames.isEmpty { return await restoreAgain(connection) }
        progress.note(.older(awaited))
        return pause
      }
      var batch = try await read(after: mark, catalog)
      while !Task.isCancelled {
        let current = batch
        try await checkLineage(in: current.term)
        progress.note(current.frames.isEmpty ? .caughtUp : .found)
        if current.frames.isEmpty { break }
        // Applying one waits for nothing, so the next one is read meanwhile.
        async let next = read(after: current.end, current.catalog)
        do {
          // A file that had more than the store would be followed from there by the next opening alone.
          try await replica?.append(current.decoded, current.archiveCatalog)
          try apply(current, to: connection)
        } catch {
          awaited = await Self.awaited(setup, by: error)
          progress.note(awaited.map { .older($0) } ?? .unusable("\(error)"))
          break
        }
        batch = try await next
      }
    } catch is CancellationError {
      // It has ended.
    } catch is RewoundHistory {
      let revision = progress.revision
      // One that has waited since it was opened has nothing of the history.
      if awaited == nil || revision > 0 { rewoundFrom = rewoundFrom ?? revision }
      return await restoreAgain(connection)
    } catch {
      progress.note(.init(reading: error, at: path.file))
    }
    return pause
  }

  /// Throws ``RewoundHistory`` if what is followed is in another lineage than the store.
  ///
  /// No delta says so where only snapshots had what was erased, or where nothing was committed since.
  private func checkLineage(in new: Int64?) async throws {
    guard let new, new != term else { return }
    let found = try await untilCancelled { [history] in try await history.lineage() }
    if let found, found != lineage { throw RewoundHistory() }
    term = new
  }

  private var pause: Duration {
    progress.machine.pause(setup.policy.pollInterval)
  }

  /// Deltas that were read and not applied yet.
  private struct Batch: Sendable {
    var frames: [DeltaFrame]
    /// Those of the first frames.
    var deltas: [Delta] = []
    /// Where the frames end.
    var end: HistoryMark
    /// With the layouts of the frames.
    var catalog: LayoutCatalog
    /// The archive's, if a run of migrations has written one of the frames.
    var archiveCatalog: ArchiveCatalog?
    /// The term of what is followed.
    var term: Int64?
    /// Why the frame after the last delta cannot be decoded.
    var failure: (any Error)?

    /// The frames before it.
    var decoded: [DeltaFrame] { Array(frames.prefix(deltas.count)) }
  }

  /// Reads and decodes what follows a mark.
  private nonisolated func read(after mark: HistoryMark, _ catalog: LayoutCatalog) async throws
    -> Batch
  {
    let read = try await untilCancelled { [history] in
      try await history.deltas(after: mark, bytes: Self.batch)
    }
    progress.note(head: read.head)
    let frames = read.frames
    var batch = Batch(frames: frames, end: mark, catalog: catalog, archiveCatalog: read.catalog)
    batch.term = read.term
    guard let last = frames.last else { return batch }
    batch.end = HistoryMark(last.header.revision, last.chain)
    let decoder = try DatabaseDecoder<Database>(
      known: nil,
      of: storeID,
      setup.opening.policy,
      as: .inspecting,
      at: setup.path
    )
    do {
      for frame in frames {
        for layout in frame.layouts { try batch.catalog.add(layout) }
        batch.deltas.append(try decoder.decode(frame.header, frame.blocks, batch.catalog))
      }
    } catch {
      batch.failure = error
    }
    return batch
  }

  /// Makes each delta a commit; throws at the first one that cannot be decoded.
  private func apply(_ batch: Batch, to connection: StoreConnection<State>) throws {
    catalog = batch.catalog
    var last: DeltaFrame?
    defer { if let last { mark = HistoryMark(last.header.revision, last.chain) } }
    for (frame, delta) in zip(batch.frames, batch.deltas) {
      try commit(delta.changes, delta.valueChanges, delta.trace, to: connection)
      last = frame
      progress.note(.applied(frame.header.revision), at: frame.header.revision)
    }
    if let failure = batch.failure { throw failure }
  }

  private nonisolated func commit(
    _ changes: ChangeSet,
    _ values: ChangeSet,
    _ trace: CommitTrace,
    to connection: StoreConnection<State>
  ) throws {
    try connection.commit(trace) { state, attachments in
      attachments[FollowedChanges.key] = changes
      state[keyPath: setup.opening.database].apply(changes)
      for value in setup.opening.values { value.assign(values, to: &state) }
    }
  }

  /// Restores the history as it is now, and makes the difference one commit.
  private func restoreAgain(_ connection: StoreConnection<State>) async -> Duration {
    do {
      let waited = awaited
      await closeReplica()
      let (restored, replica) = try await Self.restore(setup)
      self.replica = replica
      mark = restored.mark
      awaited = restored.awaited
      (lineage, term) = (restored.lineage, nil)
      // A temporary file has nothing of its own.
      if setup.temporary == nil, let archived = restored.report.archive {
        for setAside in archived.allSetAside.reversed() {
          progress.events.send(.setAside(setAside))
        }
      }
      if let awaited {
        progress.note(.older(awaited))
        return .zero
      }
      let name = waited.map { "the leader has run \($0)" } ?? "the history was taken back"
      try replace(connection, by: restored.state, as: name)
      catalog = restored.catalog
      let before = rewoundFrom
      rewoundFrom = nil
      progress.note(
        before.map { .rewound(from: $0, to: mark.revision) } ?? .applied(mark.revision),
        at: mark.revision
      )
      return .zero
    } catch {
      progress.note(.init(reading: error, at: path.file))
      return pause
    }
  }

  private nonisolated func replace(
    _ connection: StoreConnection<State>,
    by new: State,
    as name: String
  ) throws {
    let now = setup.opening.configuration.now()
    let trace = CommitTrace(following: name, place: "", time: now, context: nil)
    try connection.commit(trace) { state, attachments in
      let changes = ChangeSet(
        from: state[keyPath: setup.opening.database],
        to: new[keyPath: setup.opening.database]
      )
      attachments[FollowedChanges.key] = changes
      state[keyPath: setup.opening.database].apply(changes)
      let values = ChangeSet(setup.opening.values, of: new)
      for value in setup.opening.values { value.assign(values, to: &state) }
    }
  }
}

/// Opening.
extension FollowerLoop {
  /// Brings the file to where the history is, and restores it, unless it waits for a migration of this build.
  static func restore(_ setup: Setup) async throws(PersistenceError) -> (Restored, Replica?) {
    var archived: ArchiveAdoption?
    var replica: Replica?
    if let step = setup.archive {
      archived = try await ArchiveAdoption(
        following: step.archive,
        to: setup.path,
        step.policy,
        setup.opening.configuration
      )
      replica = try await Replica(setup.path, on: setup.opening.configuration.disk)
    }
    var restored: Restored
    do throws(PersistenceError) {
      // What the file becomes while it is read is found later.
      let lineage = try await lineage(setup)
      // Records that this build can read are not what it means by them before its migrations have run.
      if let replica, let name = await pendingMigration(setup) {
        restored = await waiting(setup, for: name, replica)
      } else {
        restored = try await restoreFile(setup)
      }
      restored.lineage = lineage
    } catch {
      guard let name = await Self.awaited(setup, by: error), let replica else {
        do { try await replica?.close() } catch _ {}
        throw error
      }
      restored = await waiting(setup, for: name, replica)
    }
    restored.report.archive = archived?.report
    restored.report.notes += archived?.noteReported() ?? []
    return (restored, replica)
  }

  /// The lineage that the file is in.
  private static func lineage(_ setup: Setup) async throws(PersistenceError) -> Lineage.ID? {
    do {
      return try await FileHistory(setup.path).lineage()
    } catch {
      throw PersistenceError(.opening, path: setup.path.file, wrapping: error)
    }
  }

  private static func restoreFile(_ setup: Setup) async throws(PersistenceError) -> Restored {
    var reading = setup.opening.configuration
    reading.restore = .readOnly
    var catalog: LayoutCatalog?
    let writer = JournalWriter(setup.path, reading)
    let opened = try await setup.opening.reading.open(writer) { catalog = $0 }
    guard let catalog else { throw PersistenceError(.opening, path: setup.path.file, .missing) }
    let state = setup.opening.state(with: opened.contents)
    return Restored(state: state, report: opened.report, catalog: catalog)
  }

  private static func waiting(
    _ setup: Setup,
    for name: String,
    _ replica: Replica
  ) async -> Restored {
    let report = RestoreReport(
      outcome: .waitingForMigration,
      position: await replica.position,
      notes: ["the leader has not run the migration “\(name)” of this build"]
    )
    return Restored(
      state: setup.opening.initial,
      report: report,
      catalog: LayoutCatalog(),
      awaited: name
    )
  }

  /// The migration that the leader has to run before what an error is about can be read; nil if none helps.
  private static func awaited(_ setup: Setup, by error: any Error) async -> String? {
    let known = PersistenceError(.opening, path: setup.path.file, wrapping: error)
    return known.remedy == .migrate ? await pendingMigration(setup) : nil
  }

  /// The first migration of this build that has not run on the file.
  private static func pendingMigration(_ setup: Setup) async -> String? {
    guard let preparation = setup.opening.preparation, preparation.isNeeded else { return nil }
    let (path, disk) = (setup.path, setup.opening.configuration.disk)
    do {
      return try await FileWorker(label: "strata.following").run {
        let access = try ReadAccess(path, for: .inspecting, on: disk)
        return try preparation.pending(in: access.connection).first
      }
    } catch _ {
      // What is wrong with the file or the list is found when it is restored, or opened to lead.
      return nil
    }
  }
}

/// Leading.
extension FollowerLoop {
  /// Stops following, and opens the file with the archive; goes on following if that fails.
  func lead(
    _ connection: StoreConnection<State>,
    _ withoutLead: ArchivePolicy.WithoutLead
  ) async throws(PersistenceError) -> Persistence<State, Database> {
    guard var step = setup.archive else {
      fatalError(
        """
        A follower of a file cannot lead while another process writes the file. Close it, and open the \
        file with Persistence.open once that process has ended.
        """
      )
    }
    await stop()
    let new: Persistence<State, Database>
    do throws(PersistenceError) {
      step.policy.withoutLead = withoutLead
      new = try await step.open(setup.opening, at: setup.path.file)
    } catch {
      await goOn(connection)
      throw error
    }
    do {
      try replace(connection, by: new.initialState, as: "leads from here on")
    } catch {
      do { try await new.close() } catch _ {}
      await goOn(connection)
      throw PersistenceError(.opening, path: setup.path.file, wrapping: error)
    }
    return new
  }
}

extension FollowerLoop {
  /// Follows again after leading has failed; the file may have more than the store by now.
  private func goOn(_ connection: StoreConnection<State>) async {
    // Without its file it reads from the archive alone, and the next start brings the file up.
    do {
      replica = try await Replica(setup.path, on: setup.opening.configuration.disk)
    } catch _ {
      replica = nil
    }
    start(connection)
  }
}

extension Delta {
  /// What subscribers see of the commit.
  fileprivate var trace: CommitTrace {
    CommitTrace(following: name, place: place, time: time, context: context)
  }
}

/// The file of a follower, on an executor of its own.
actor Replica {
  private let file: ReplicaFile

  init(_ path: StorePath, on disk: Disk) async throws(PersistenceError) {
    do {
      file = try ReplicaFile(at: path, on: disk)
    } catch {
      throw PersistenceError(.archiving, path: path.file, wrapping: error)
    }
  }

  /// Appends the deltas that the file does not have yet, with what the archive's catalog says of them.
  func append(_ frames: [DeltaFrame], _ catalog: ArchiveCatalog?) throws {
    let end = file.position.revision
    let frames = frames.filter { $0.header.revision > end }
    try file.append(frames, raisingEpochTo: 0, with: catalog)
  }

  func close() throws { try file.close() }

  /// Where the file ends.
  var position: Position { file.position }
}

/// A directory that is removed with the object.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws(PersistenceError) {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("strata-follower-\(Scheduling.uuid().uuidString)", isDirectory: true)
    path = url.path
    do {
      try FileManager.default.createDirectory(
        at: url,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw PersistenceError(.opening, path: path, wrapping: error)
    }
  }

  deinit {
    // What is left is in the system's directory for temporary files.
    do { try FileManager.default.removeItem(atPath: path) } catch _ {}
  }
}
