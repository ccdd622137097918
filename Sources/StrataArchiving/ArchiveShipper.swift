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
  private let segments: SegmentSender
  private let snapshots: SnapshotSender
  /// Whether the archive may end before it did: the file was taken back, and takes its place.
  private let mayShorten: Bool
  /// Whether the archive could be reached at the opening.
  private let mayLeadAtOnce: Bool
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
    mayShorten = opening.replaced != nil
    mayLeadAtOnce = opening.report.away == nil
    reader = HistoryReader(
      writer.path,
      vfs: writer.configuration.vfs,
      pins: writer.pins,
      keepsOpen: true
    )
    segments = SegmentSender(of: writer, reader, continuing: opening)
    snapshots = SnapshotSender(of: writer, reader, continuing: opening)
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
    let (signal, mayOweSnapshot) = (signal, snapshots.mayOweOne)
    // A sync may take longer than commits gather.
    writer.queue.whenMore { signal.yield() }
    loop = Task { [weak self] in
      let listening = Task {
        for await case .snapshot in events {
          mayOweSnapshot.withLock { $0 = true }
          signal.yield()
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
    if segments.hasWork { update { $0.behindSince = $0.behindSince ?? now } }
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
    segments.unpin()
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
    leadership.due == nil || isStopping && !segments.hasWork
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
    snapshots.noteOwed()
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
    segments.lineage = try await reader.read(\.identity.lineage)
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
    segments.lineage = segments.lineage ?? identity.lineage
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
      case .limitBacklog: await segments.limitBacklog()
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
    case .start(let mark):
      segments.start(at: mark)
      snapshots.forget()
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
      if let mark = segments.mark { note(mark) }
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
    segments.unpin()
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

/// Sending.
extension ArchiveShipper {
  /// Sends all that is written.
  ///
  /// Returns whether that was all: a file that goes on in another lineage is compared first.
  private func send() async throws -> Bool {
    while let mark = segments.mark, let term = leadership.term, segments.hasWork {
      try Task.checkCancellation()
      let began = Scheduling.now
      let outcome: SegmentSender.Outcome
      do {
        outcome = try await segments.send(after: mark, in: term, besides: snapshots.sent)
      } catch let error as PersistenceError {
        guard case .trimmed = error.reason else { throw error }
        try await skip(from: mark, in: term)
        continue
      }
      switch outcome {
      case .sent(let end, let time, let owesSnapshot):
        if owesSnapshot { snapshots.noteOwed() }
        await take(.extended(since: began))
        note(end, behindSince: time)
      case .allSent: return true
      case .isElsewhere: return false
      }
    }
    return true
  }

  /// Notes how far the archive is.
  private func note(_ mark: HistoryMark, behindSince: Date? = nil) {
    segments.advance(to: mark)
    // Without a snapshot nothing of it can be restored; what was sent before the file was rewritten is not its history.
    guard snapshots.sent != nil, case .leading = leadership.state else { return }
    let behind = segments.hasWork ? behindSince ?? writer.configuration.now() : nil
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

  /// Sends the newest snapshot because the deltas before it are gone.
  private func skip(from mark: HistoryMark, in term: ArchiveTerm) async throws {
    let sent = try await sendSnapshot(in: term) { view in view.anchors.first }
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
    guard let mark = segments.mark, snapshots.sent == nil, let term = leadership.term else {
      return
    }
    let hasOne = try await snapshots.readSent()
    let gaps = try await archive.gaps()
    update { $0.gaps = gaps }
    if hasOne { return note(mark) }
    let sent = try await sendSnapshot(in: term) { view in
      view.anchors.first { $0.header.revision == mark.revision } ?? view.anchors.first
    }
    guard let sent else { return }
    if sent.revision > mark.revision { noteGap(from: mark, to: sent) } else { note(mark) }
  }

  private func sendSnapshot(
    in term: ArchiveTerm,
    _ choose: @escaping SnapshotSender.Choice
  ) async throws -> HistoryMark? {
    try await snapshots.send(of: segments.lineage, in: term, renewing: renewIfDue, choose)
  }

  /// Sends a snapshot if it is time for another, and those with names; returns whether there may be more.
  @discardableResult
  private func sendSnapshotIfDue() async throws -> Bool {
    guard let mark = segments.mark, let term = leadership.term else { return false }
    return try await snapshots.sendIfDue(
      through: mark,
      of: segments.lineage,
      in: term,
      renewing: renewIfDue
    )
  }

  /// The history that an archive gets when it starts again: as many bytes of the last deltas, and a snapshot before them.
  private static let restartBytes: Int64 = 16 << 20

  /// Replaces what the archive has by the history of the file.
  ///
  /// The archive does not lack then what it has confirmed, unless the file was taken back on purpose.
  private func restart(in term: ArchiveTerm) async throws {
    let whole = writer.pins.pin(0)
    defer { withExtendedLifetime(whole) {} }
    let start = try await snapshots.prepare(
      of: segments.lineage,
      in: term,
      renewing: renewIfDue
    ) { view in
      try view.anchors.last { snapshot in
        try view.journal.bytes(after: snapshot.header.revision) <= Self.restartBytes
      } ?? view.anchors.first
    }
    guard let start else { return }
    guard let new = try await segments.segments(after: start.snapshot.mark, in: term) else {
      return
    }
    let end = new.last?.end ?? start.snapshot.mark
    if let mark = segments.mark, end.revision < mark.revision, !mayShorten {
      throw CorruptionError("the file ends at \(end), before its archive at \(mark)")
    }
    try await archive.restart(
      from: start.snapshot,
      start.list,
      new,
      catalog: start.catalog,
      in: term
    )
    segments.start(at: end)
    snapshots.forget()
    note(end)
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
