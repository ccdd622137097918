import Foundation
import StrataBase
package import StrataJournal
import StrataSQLite
import StrataSchema
package import StrataStorage

/// Sends what a writer has written to an archive.
///
/// It runs beside the writer, on executors of its own: it reads the file as any reader does, so no commit waits
/// for the archive. It sends one segment at a time.
package actor ArchiveShipper {
  private let executor = FileExecutor(label: "strata.shipper")
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  package nonisolated let archive: any Archive
  private nonisolated let writer: JournalWriter
  private nonisolated let reader: HistoryReader
  private let policy: ArchivePolicy
  private let path: StorePath
  /// The name under which this process leads.
  private let leader: String

  package nonisolated let events = EventBroadcaster<ArchiveEvent>()
  /// What others see of it.
  private nonisolated let status: Lock<ArchiveStatus>
  private nonisolated let waiters = Lock(ReplicationWaiters())

  private var leadership: Leadership
  /// Renews the lease until this makes its first call.
  private var renewal: LeaseRenewal?
  /// Why this process does not lead any more.
  private var loss: PersistenceError.Reason?
  /// How far the archive is.
  private var mark: HistoryMark?
  /// The lineage that the archive is led for; nil until it is known.
  private var lineage: Lineage.ID?
  /// Whether the archive may end before it did: the file was taken back, and takes its place.
  private let mayShorten: Bool
  /// Keeps the deltas that the archive lacks; nil once there are too many.
  private var pin: HistoryPins.Pin?
  /// Whether the archive could be reached at the opening.
  private let mayLeadAtOnce: Bool
  /// What the archive's catalog was made of.
  private var catalogState: CatalogState?
  /// The snapshots of the archive; nil until they are known, and while it has none.
  private var snapshots: SentSnapshots?
  /// Whether the file may have a snapshot that the archive gets.
  private nonisolated let mayOweSnapshot = Lock(true)
  private var backlogCheck = Scheduling.now
  private var isStopping = false
  private var loop: Task<Void, Never>?
  /// When it looks again by itself.
  private var timer: ContinuousClock.Instant?
  private nonisolated let signals: AsyncStream<Void>
  private nonisolated let signal: AsyncStream<Void>.Continuation

  /// - Parameter opening: what happened before the file was opened.
  package init(
    of writer: JournalWriter,
    continuing opening: ArchiveOpening
  ) {
    archive = opening.archive
    self.writer = writer
    policy = opening.policy
    path = writer.path
    leader = policy.leader(at: writer.path)
    leadership = opening.leadership
    leadership.isOpen = true
    renewal = opening.renewal
    mark = opening.mark
    lineage = opening.lineage
    mayShorten = opening.replaced != nil
    mayLeadAtOnce = opening.report.away == nil
    reader = HistoryReader(
      writer.path,
      vfs: writer.configuration.vfs,
      pins: writer.pins,
      keepsOpen: true
    )
    pin = writer.pins.pin(opening.mark?.revision ?? 0)
    var status = ArchiveStatus(name: archive.name, leader: leader, condition: .starting)
    if mayLeadAtOnce { status.lastContact = writer.configuration.now() }
    self.status = Lock(status)
    (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// How the archive is at this moment.
  package nonisolated var currentStatus: ArchiveStatus { status.withLock { $0 } }
}

/// Running.
extension ArchiveShipper {
  /// Starts to send.
  ///
  /// Where commits need the lease, it is obtained before this returns if it does not run, as in a new archive, and the archive
  /// can be reached.
  package func start() async {
    if let renewal { await take(.extended(since: renewal.start)) }
    if policy.withoutLease == .refuse, mayLeadAtOnce,
      leadership.lease(at: Scheduling.now) <= .zero
    {
      _ = await attempt()
    }
    let events = writer.events.stream()
    let (signal, mayOweSnapshot) = (signal, mayOweSnapshot)
    loop = Task { [weak self] in
      let listening = Task {
        for await event in events {
          switch event {
          case .appended: signal.yield()
          case .snapshot:
            mayOweSnapshot.withLock { $0 = true }
            signal.yield()
          default: break
          }
        }
        signal.yield()
      }
      await self?.run()
      listening.cancel()
    }
    watchLag()
    await take(.started)
  }

  /// Looks now and then how far the archive is behind, also while a call to it does not return.
  private func watchLag() {
    guard let maxLag = policy.maxLag, !isStopping else { return }
    let now = writer.configuration.now()
    if hasWork { update { $0.behindSince = $0.behindSince ?? now } }
    writer.queue.holdBack(isTooFarBehind)
    executor.schedule(after: maxLag / 4) { [weak self] in
      self?.assumeIsolated { $0.watchLag() }
    }
  }

  /// Sends what is written, as far as that is possible within a time, and gives the lease up.
  ///
  /// It returns then, whether the archive answers or not.
  ///
  /// - Parameter keepsLead: Whether another sender goes on under the same lease.
  package func stop(within limit: Duration, keepingLead keepsLead: Bool = false) async {
    if keepsLead { await take(.stopped) }
    isStopping = true
    writer.queue.holdBack(false)
    waiters.withLock { $0.endPause() }?.resume()
    signal.yield()
    let loop = loop
    let ending = Task {
      await loop?.value
      await self.release()
    }
    let end = FirstAnswer<Void>()
    Task {
      await ending.value
      end.give(())
    }
    executor.schedule(after: limit) {
      loop?.cancel()
      // The release of the lease may get no answer, either.
      ending.cancel()
      end.give(())
    }
    await end.value
    // Stopping again does not wait for a call that this has not waited for.
    self.loop = nil
    await take(.stopped)
    pin = nil
    await reader.stop(.closed)
    update { status in
      status.leaseEnd = nil
      status.condition = .closed
    }
    fail(.closed)
    events.finish()
  }

  /// Sends all that the file has, without ``start()``, and gives the lease up.
  ///
  /// Throws what ends it; what was sent by then stays in the archive, and the next call goes on from there.
  package func sendOnce() async throws(PersistenceError) {
    await takeRenewal()
    do {
      while let step = leadership.due, await take(try await perform(step)) == nil {}
      if let loss { throw loss }
      while try await sendSnapshotIfDue() {}
      await release()
    } catch {
      await release()
      throw PersistenceError(.archiving, path: path.file, wrapping: error)
    }
  }

  private func release() async {
    if let term = leadership.term {
      // A call that arrives later would extend the lease again.
      await renewal?.end()
      await release(term)
    }
    await take(.stopped)
  }

  private func release(_ term: ArchiveTerm) async {
    // The lease ends by itself if this does not arrive.
    do { try await archive.release(term) } catch _ {}
  }

  /// Stops without another word to the archive.
  package nonisolated func cancel() {
    signal.finish()
  }

  /// Refuses to read the file until ``resume()``; returns once no read is in progress.
  package func suspend(_ reason: PersistenceError.Reason) async { await reader.stop(reason) }

  /// Reads the file again.
  ///
  /// - Parameter isRewritten: Whether it has another history now, none of which is replicated.
  package func resume(isRewritten: Bool = false) async {
    await reader.resume()
    await take(.resumed)
    if isRewritten { update { $0.replicated = nil } }
    signal.yield()
  }

  private func run() async {
    var signals = signals.makeAsyncIterator()
    while !Task.isCancelled {
      let pause = await attempt()
      if Task.isCancelled || isDone { return }
      schedule(after: pause)
      if await signals.next() == nil { return }
      await gather()
    }
  }

  /// Whether there is nothing more to do.
  private var isDone: Bool {
    leadership.due == nil || isStopping && !hasWork
  }

  private var hasWork: Bool {
    guard let mark else { return true }
    return mark.revision < sendable
  }

  /// What may be sent: what a power cut cannot take from the file, unless nothing is synced by itself.
  private var sendable: Revision {
    let current = writer.queue.current
    return writer.configuration.durability.syncsGroups ? current.durable : current.written
  }

  private func schedule(after pause: Duration) {
    let time = Scheduling.now + pause
    if let timer, timer <= time { return }
    timer = time
    executor.schedule(after: pause) { [weak self] in
      self?.assumeIsolated { $0.look(at: time) }
    }
  }

  private func look(at time: ContinuousClock.Instant) {
    if timer == time { timer = nil }
    // A name that a snapshot was given is no event.
    mayOweSnapshot.withLock { $0 = true }
    signal.yield()
  }

  /// Lets commits gather, until a caller waits for the archive.
  private func gather() async {
    if isStopping || Task.isCancelled || policy.maxDelay <= .zero { return }
    await withCheckedContinuation { continuation in
      let pause = waiters.withLock { $0.startPause(continuation) }
      guard let pause else { return continuation.resume() }
      executor.schedule(after: policy.maxDelay) { [waiters] in
        waiters.withLock { $0.endPause(pause) }?.resume()
      }
    }
  }

  /// Does what is due; returns how long to wait if nothing happens.
  private func attempt() async -> Duration {
    await takeRenewal()
    while let step = leadership.due {
      do {
        if let pause = await take(try await perform(step)) { return pause }
      } catch is CancellationError {
        return .zero
      } catch {
        let failure: Leadership.Failure =
          (error as? ArchiveError).map { .archive($0.reason) } ?? .file("\(error)")
        if let pause = await take(.failed(failure)) { return pause }
      }
    }
    return .zero
  }

  /// Changes what others see; once closed, it stays so, also when a call returns later.
  private func update(_ change: (inout ArchiveStatus) -> Void) {
    status.withLock { status in
      if status.condition != .closed { change(&status) }
    }
  }
}

/// Leading.
extension ArchiveShipper {
  /// Makes a call; returns what has come of it.
  private func perform(_ step: Leadership.Step) async throws -> Leadership.Event {
    switch step {
    case .readHead:
      if let term = leadership.term { try await confirm(term) }
      return .headRead(try await archive.head())
    case .compare(let head): return .compared(try await relation(head))
    case .lead: return try await lead()
    // Never due: the file is open.
    case .adopt: throw ArchiveError(.refused, archive: archive.name)
    case .restart(let term):
      try await restart(in: term)
      return .restarted
    case .note(let term):
      try await writer.note(leadership: term.epoch, raisingEpochTo: term.epoch)
      return .noted
    case .send:
      try await sendFirstSnapshot()
      if try await !send() { return .resumed }
      try await renewIfDue()
      try await sendSnapshotIfDue()
      return .sent
    }
  }

  /// Writes to the archive before the head counts as sent: what a call has left that failed may be read there and be lost with
  /// the server.
  private func confirm(_ term: ArchiveTerm) async throws {
    do throws(ArchiveError) {
      try await archive.renew(term)
    } catch {
      // The head says who leads.
      if error.reason != .refused, error.reason != .empty { throw error }
    }
  }

  private func relation(_ head: ArchiveHead) async throws -> ArchiveRelation {
    lineage = try await reader.read(\.identity.lineage)
    let comparison = ArchiveComparison(archive, head, leader, reader)
    let relation = try await comparison.relation()
    if relation == .atOrAhead { return relation }
    // The catalog may be of a history that has started since.
    if try await archive.head(replacing: head.mark) != nil {
      throw ArchiveError(.refused, archive: archive.name)
    }
    if case .takenBack = relation { throw try await comparison.takenBack() }
    return relation
  }

  private func lead() async throws -> Leadership.Event {
    let (identity, start) = try await reader.read { view in
      guard let oldest = view.anchors.last?.header else {
        throw CorruptionError("the file has no snapshot that its journal continues")
      }
      return (view.identity, HistoryMark(oldest.revision, oldest.chain))
    }
    lineage = lineage ?? identity.lineage
    let candidate = ArchiveCandidate(
      store: identity.id,
      epoch: identity.epoch,
      leader: leader,
      lease: policy.lease,
      start: start
    )
    let began = Scheduling.now
    return .led(try await archive.lead(candidate), candidate, since: began)
  }

  /// Renews the lease by itself from here on.
  private func takeRenewal() async {
    guard let renewal else { return }
    await renewal.end()
    await take(.extended(since: renewal.start))
    self.renewal = nil
  }

  private func renewIfDue() async throws {
    let began = Scheduling.now
    guard let term = leadership.term, leadership.mustRenew(at: began) else { return }
    try await archive.renew(term)
    await take(.extended(since: began))
  }

  /// Takes an event, and does what follows; returns how long to wait if nothing happens before.
  @discardableResult
  private func take(_ event: Leadership.Event) async -> Duration? {
    let cause = cause(of: event)
    var pause: Duration?
    defer { noteContact(event) }
    for action in leadership.take(event, at: Scheduling.now) {
      switch action {
      case .wait(let duration): pause = duration
      case .release(let term): await release(term)
      case .limitBacklog: await limitBacklog()
      case .reportLost(let leader): lose(to: leader, because: cause)
      default: perform(action)
      }
    }
    return pause
  }

  /// Notes whether the archive has answered, and how long the lease runs by that.
  private func noteContact(_ event: Leadership.Event) {
    let now = writer.configuration.now()
    let (term, rest) = (leadership.term, leadership.lease(at: Scheduling.now))
    update { status in
      switch event {
      case .headRead, .led, .restarted, .extended:
        status.lastContact = now
        status.epoch = term?.epoch ?? status.epoch
        status.leaseEnd = term.map { _ in now.addingTimeInterval(rest / .seconds(1)) }
      case .failed(.archive(let reason)):
        status.failedCalls += 1
        if case .away = reason { break }
        status.lastContact = now
      case .compared, .adopted, .noted, .sent, .failed(.file), .leaseEnded, .started, .resumed,
        .stopped:
        break
      }
    }
  }

  /// Does what waits for nothing.
  private func perform(_ action: Leadership.Action) {
    switch action {
    case .start(let mark): (self.mark, snapshots, catalogState) = (mark, nil, nil)
    case .acceptCommits(let rest):
      let now = Measures.time(writer.configuration.now())
      writer.queue.acceptCommitsAgain(
        until: Scheduling.now + rest,
        then: notLeading(because: "the archive \(archive.name) has taken nothing since \(now)")
      )
      executor.schedule(after: rest) { [weak self] in
        self?.assumeIsolated { shipper in
          for action in shipper.leadership.take(.leaseEnded, at: Scheduling.now) {
            shipper.perform(action)
          }
        }
      }
    case .refuseCommits: refuseCommits()
    case .reportTakeover(let term):
      update { status in
        if status.condition == .starting { status.condition = .leading(epoch: term.epoch) }
      }
      if let mark { note(mark) }
      events.send(.leading(epoch: term.epoch))
    case .reportSent(let term):
      var wasAway = false
      update { status in
        wasAway = status.condition.failingSince != nil
        status.condition = .leading(epoch: term.epoch)
      }
      if wasAway { events.send(.back) }
    case .report(let failure): report(failure)
    case .release, .limitBacklog, .reportLost, .wait: break
    }
  }

  /// Why an event that shows another leader does so.
  private func cause(of event: Leadership.Event) -> String {
    switch (leadership.state, event) {
    case (.waiting(_, let rest), _): "its lease runs until \(end(ofLease: rest))"
    case (.uncertain, .headRead(let head?)): "it has led since, in epoch \(head.epoch)"
    default: "the archive has commits that this file lacks"
    }
  }

  /// Another process leads: nothing that this one does can become part of the history.
  private func lose(to leader: String, because cause: String) {
    let loss = notLeading(by: leader, because: cause)
    self.loss = loss
    pin = nil
    update { status in
      status.condition = .notLeading(by: leader)
      status.leaseEnd = nil
    }
    writer.queue.refuseCommits(loss)
    events.send(.notLeading(by: leader))
    fail(loss)
  }

  private func report(_ failure: Leadership.Failure) {
    switch failure {
    case .archive(.led(let leader, let rest)):
      noteAway("\(leader) leads it, with a lease until \(end(ofLease: rest))")
    case .archive(let reason):
      let error = ArchiveError(reason, archive: archive.name)
      switch reason {
      case .away, .leaseTooLong: noteAway(error.sentence)
      case .noAccess: noteFailing("\(error)") { .refused($0, since: $1) }
      default: noteFailing("\(error)") { .failed($0, since: $1) }
      }
    case .file(let detail): noteFailing(detail) { .failed($0, since: $1) }
    }
  }

  private func noteAway(_ detail: String) { noteFailing(detail) { .away($0, since: $1) } }

  /// Notes why commits do not reach the archive, and since when; a cause of another kind is an event of its own.
  private func noteFailing(
    _ detail: String,
    as condition: (String, Date) -> ArchiveStatus.Condition
  ) {
    let now = writer.configuration.now()
    var isNews = false
    var since = now
    update { status in
      since = status.condition.failingSince ?? now
      isNews = !condition(detail, since).isLike(status.condition)
      status.condition = condition(detail, since)
    }
    if isNews { events.send(.away(since: since, detail)) }
    if policy.withoutLease == .refuse, !writer.queue.acceptsCommits { refuseCommits() }
  }

  private func end(ofLease rest: Duration) -> String {
    Measures.time(writer.configuration.now().addingTimeInterval(rest / .seconds(1)))
  }

  /// Refuses commits while this process has no lease, and says what is known of the cause.
  private func refuseCommits() {
    let cause =
      switch currentStatus.condition {
      case .away(let detail, let since), .refused(let detail, let since),
        .failed(let detail, let since):
        "the archive \(archive.name) has taken nothing since \(Measures.time(since)): \(detail)"
      case .starting, .leading, .notLeading, .closed: "the archive \(archive.name) has not answered"
      }
    writer.queue.refuseCommits(notLeading(because: cause), mayPass: true)
  }

  private func notLeading(by leader: String? = nil, because cause: String)
    -> PersistenceError.Reason
  {
    .archive(ArchiveError(.notLeading(by: leader, because: cause), archive: archive.name))
  }
}

/// Segments.
extension ArchiveShipper {
  /// What the catalog says: a new one is sent when it differs.
  private struct CatalogState: Equatable, Sendable {
    let migrations: [DataLedger.Entry]
    let lineage: Lineage.ID
    let tables: [ListedTable]
    let columns: [DeclaredColumn]
  }

  /// What was read of the file to be sent together.
  private struct Batch: Sendable {
    var frames: [DeltaFrame] = []
    var catalog: [UInt8]?
    var state: CatalogState?
    var owesSnapshot = false
    /// The lineage of the file.
    var lineage: Lineage.ID?
  }

  /// Sends all that is written.
  ///
  /// Returns whether that was all: a file that an opening has repaired goes on in another lineage, which is compared first.
  private func send() async throws -> Bool {
    while let mark, let term = leadership.term, hasWork {
      try Task.checkCancellation()
      let batch: Batch
      do {
        batch = try await read(after: mark)
      } catch let error as PersistenceError {
        guard case .trimmed = error.reason else { throw error }
        try await skip(from: mark)
        continue
      }
      guard let segment = ArchiveSegment(of: batch.frames, epoch: term.epoch) else {
        return batch.lineage == lineage
      }
      let began = Scheduling.now
      try await archive.append(segment, catalog: batch.catalog, in: term)
      catalogState = batch.state
      if batch.owesSnapshot { mayOweSnapshot.withLock { $0 = true } }
      await take(.extended(since: began))
      // What is not sent yet is not older.
      note(segment.end, behindSince: segment.times.upperBound)
    }
    return true
  }

  private func read(after mark: HistoryMark) async throws -> Batch {
    let (limit, known, last) = (policy.segmentBytes, catalogState, sendable)
    let (snapshots, interval, lineage) = (snapshots, policy.snapshotInterval, lineage)
    return try await reader.read { view in
      var batch = Batch(lineage: view.identity.lineage)
      if batch.lineage != lineage { return batch }
      let connection = view.journal.connection
      let state = CatalogState(
        migrations: try DataLedger.entries(on: connection),
        lineage: view.identity.lineage,
        tables: view.listed,
        columns: view.columns
      )
      batch.state = state
      if state != known {
        batch.catalog = try ArchiveImage(view: view, source: connection).catalog()
      }
      batch.frames = try Self.frames(in: view, after: mark, through: last, bytes: limit)
      let end = batch.frames.last?.header.revision ?? mark.revision
      batch.owesSnapshot = snapshots?.next(in: view, through: end, every: interval) != nil
      return batch
    }
  }

  private static func frames(
    in view: ReadView,
    after mark: HistoryMark,
    through last: Revision,
    bytes limit: Int
  ) throws -> [DeltaFrame] {
    var reader = try FrameReader(view, after: mark.revision)
    guard reader.chain == mark.checksum else {
      throw CorruptionError("the file has another history than its archive at \(mark)")
    }
    var frames: [DeltaFrame] = []
    var bytes = 0
    while bytes < limit, let frame = try reader.next(), frame.header.revision <= last {
      bytes += frame.header.footprint
      frames.append(frame)
    }
    return frames
  }

  /// All that is written after a mark, in segments.
  private func segments(
    after mark: HistoryMark,
    in term: ArchiveTerm
  ) async throws -> [ArchiveSegment] {
    let (limit, last) = (policy.segmentBytes, sendable)
    var segments: [ArchiveSegment] = []
    while true {
      let end = segments.last?.end ?? mark
      let frames = try await reader.read { view in
        try Self.frames(in: view, after: end, through: last, bytes: limit)
      }
      guard let segment = ArchiveSegment(of: frames, epoch: term.epoch) else { return segments }
      segments.append(segment)
    }
  }

  /// Notes how far the archive is.
  private func note(_ mark: HistoryMark, behindSince: Date? = nil) {
    self.mark = mark
    pin?.advance(to: mark.revision)
    if pin == nil { pin = writer.pins.pin(mark.revision) }
    // Without a snapshot nothing of it can be restored; what was sent before the file was rewritten is not its history.
    guard snapshots != nil, case .leading = leadership.state else { return }
    let behind = hasWork ? behindSince ?? writer.configuration.now() : nil
    update { status in
      status.replicated = mark.revision
      status.behindSince = behind
    }
    writer.queue.holdBack(isTooFarBehind)
    let served = waiters.withLock { $0.take(through: mark.revision) }
    for waiter in served { waiter.resume(returning: .success(())) }
    events.send(.replicated(through: mark.revision))
  }

  private var isTooFarBehind: Bool {
    guard let maxLag = policy.maxLag, let since = currentStatus.behindSince else { return false }
    let lag = writer.configuration.now().timeIntervalSince(since)
    return .seconds(lag) > maxLag
  }

  /// Stops to keep the deltas if there are too many.
  private func limitBacklog() async {
    guard pin != nil, Scheduling.now >= backlogCheck else { return }
    backlogCheck = Scheduling.now + .seconds(5)
    let after = mark?.revision ?? 0
    do {
      let bytes = try await reader.read { try $0.journal.bytes(after: after) }
      if bytes > policy.maxBacklog { pin = nil }
    } catch _ {
      // Read again when it is due.
      return
    }
  }
}

/// Snapshots.
extension ArchiveShipper {
  /// Sends the newest snapshot because the deltas before it are gone.
  private func skip(from mark: HistoryMark) async throws {
    let sent = try await sendSnapshot { view in view.anchors.first }
    guard let sent, sent.revision > mark.revision else {
      throw CorruptionError("the file lacks the deltas after revision \(mark.revision)")
    }
    noteGap(from: mark, to: sent)
  }

  private func noteGap(from mark: HistoryMark, to sent: HistoryMark) {
    let gap = mark.revision.next...sent.revision
    update { $0.gaps.append(gap) }
    note(sent)
    events.send(.gap(gap))
  }

  /// Sends a snapshot where the archive starts, if it has none: without it, no segment can be restored.
  private func sendFirstSnapshot() async throws {
    guard let mark, snapshots == nil else { return }
    snapshots = SentSnapshots(try await archive.snapshots())
    let gaps = try await archive.gaps()
    update { $0.gaps = gaps }
    mayOweSnapshot.withLock { $0 = true }
    if snapshots != nil { return note(mark) }
    let sent = try await sendSnapshot { view in
      view.anchors.first { $0.header.revision == mark.revision } ?? view.anchors.first
    }
    guard let sent else { return }
    if sent.revision > mark.revision { noteGap(from: mark, to: sent) } else { note(mark) }
  }

  /// Sends a snapshot if it is time for another, and those with names.
  ///
  /// Returns whether one was sent; there may be more then.
  @discardableResult
  private func sendSnapshotIfDue() async throws -> Bool {
    guard let mark, let snapshots, mayOweSnapshot.withLock({ $0 }) else { return false }
    // One that is made meanwhile sets it again.
    mayOweSnapshot.withLock { $0 = false }
    var isLast = false
    defer { if !isLast { mayOweSnapshot.withLock { $0 = true } } }
    let interval = policy.snapshotInterval
    let sent = try await sendSnapshot { view in
      snapshots.next(in: view, through: mark.revision, every: interval)
    }
    isLast = sent == nil
    return !isLast
  }

  /// Sends a snapshot, and those of its chunks that the archive lacks; returns its mark.
  @discardableResult
  private func sendSnapshot(
    _ choose: @escaping @Sendable (ReadView) throws -> StoredSnapshot?
  ) async throws -> HistoryMark? {
    guard let term = leadership.term, let read = try await prepareSnapshot(choose, term) else {
      return nil
    }
    try await archive.add(read.snapshot, read.list, catalog: read.catalog, in: term)
    if snapshots?.add(read.snapshot) == nil { snapshots = SentSnapshots(read.snapshot) }
    return read.snapshot.mark
  }

  /// The history that an archive gets when it starts again: as many bytes of the last deltas, and a snapshot before them.
  private static let restartBytes: Int64 = 16 << 20

  /// Replaces what the archive has by the history of the file.
  ///
  /// The archive does not lack then what it has confirmed, unless the file was taken back on purpose.
  private func restart(in term: ArchiveTerm) async throws {
    let whole = writer.pins.pin(0)
    defer { withExtendedLifetime(whole) {} }
    let beginning: @Sendable (ReadView) throws -> StoredSnapshot? = { view in
      try view.anchors.last { snapshot in
        try view.journal.bytes(after: snapshot.header.revision) <= Self.restartBytes
      } ?? view.anchors.first
    }
    guard let read = try await prepareSnapshot(beginning, term) else { return }
    let segments = try await segments(after: read.snapshot.mark, in: term)
    let end = segments.last?.end ?? read.snapshot.mark
    if let mark, end.revision < mark.revision, !mayShorten {
      throw CorruptionError("the file ends at \(end), before its archive at \(mark)")
    }
    try await archive.restart(
      from: read.snapshot,
      read.list,
      segments,
      catalog: read.catalog,
      in: term
    )
    snapshots = nil
    catalogState = nil
    note(end)
  }

  /// Reads a snapshot, and sends those of its chunks that the archive lacks.
  private func prepareSnapshot(
    _ choose: @escaping @Sendable (ReadView) throws -> StoredSnapshot?,
    _ term: ArchiveTerm
  ) async throws -> ReadSnapshot? {
    // While it is read, it is not removed.
    let whole = writer.pins.pin(0)
    defer { withExtendedLifetime(whole) {} }
    let lineage = lineage
    let read = try await reader.read { view -> ReadSnapshot? in
      guard view.identity.lineage == lineage, let chosen = try choose(view) else { return nil }
      let image = ArchiveImage(view: view, source: view.journal.connection)
      let (list, names) = try image.list(of: chosen)
      return ReadSnapshot(
        snapshot: ArchiveSnapshot(chosen.header, names: names),
        list: list,
        catalog: try image.catalog()
      )
    }
    guard let read else { return nil }
    let missing = Set(try await archive.missing(Array(Set(read.list.chunks.values))))
    let numbers = read.list.chunks.filter { missing.contains($0.value) }.keys.sorted()
    for start in stride(from: 0, to: numbers.count, by: 16) {
      try Task.checkCancellation()
      let slice = numbers[start..<min(start + 16, numbers.count)]
      let chunks = try await reader.read { view in
        try slice.map { try ArchiveImage.chunk($0, in: view.journal.connection) }
      }
      try await archive.add(chunks, in: term)
      try await renewIfDue()
    }
    return read
  }

  private struct ReadSnapshot: Sendable {
    let snapshot: ArchiveSnapshot
    let list: ArchiveSnapshot.List
    let catalog: [UInt8]
  }
}

/// Waiting.
extension ArchiveShipper {
  /// Returns once the archive has every commit up to a revision.
  ///
  /// Throws `.notLeading` once another process leads, `.closed`, and `.archive` with `.away` if it is not there
  /// within the time.
  package nonisolated func reach(
    _ revision: Revision,
    within limit: Duration?
  ) async throws(PersistenceError) {
    try await writer.durable(through: revision)
    let result: Result<Void, PersistenceError.Reason> = await withCheckedContinuation {
      continuation in
      let outcome = waiters.withLock { waiters -> Result<Void, PersistenceError.Reason>? in
        if let replicated = currentStatus.replicated, replicated >= revision { return .success(()) }
        if let reason = waiters.failure { return .failure(reason) }
        let id = waiters.add(revision, continuation)
        if let limit { scheduleEnd(of: id, after: limit) }
        return nil
      }
      if let outcome { return continuation.resume(returning: outcome) }
      waiters.withLock { $0.endPause() }?.resume()
      signal.yield()
    }
    if case .failure(let reason) = result {
      throw PersistenceError(.archiving, path: path.file, reason)
    }
  }

  private nonisolated func scheduleEnd(of id: Int, after limit: Duration) {
    executor.schedule(after: limit) { [weak self] in
      guard let self, let waiter = waiters.withLock({ $0.remove(id) }) else { return }
      let detail = "it has not confirmed the commit within \(limit)"
      waiter.resume(
        returning: .failure(.archive(ArchiveError(.away(detail), archive: archive.name)))
      )
    }
  }

  /// Ends everybody's waiting.
  private func fail(_ reason: PersistenceError.Reason) {
    let all = waiters.withLock { waiters in
      waiters.failure = reason
      return waiters.take(through: Revision(.max))
    }
    for waiter in all { waiter.resume(returning: .failure(reason)) }
  }
}

extension ArchiveShipper: JournalCompanion {
  /// Sends what is written, for up to `ArchivePolicy.closingLimit`, and gives the lease up.
  package func stop() async { await stop(within: policy.closingLimit) }

  package nonisolated func add(to status: inout PersistenceStatus) {
    let archive = currentStatus
    status.parts.add(archive)
    status.revisions.replicated = archive.replicated
  }
}
