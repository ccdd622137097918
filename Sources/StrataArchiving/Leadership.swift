import StrataJournal
import StrataStorage

/// Decides what a process does that leads an archive, or is to lead it.
///
/// `due` is the next call to make. Its result is an event, and so is its failure. `take` returns what to do at once.
/// `ArchiveOpening` makes the calls before the file is open, and `ArchiveShipper` from then on. A pure value without a clock.
///
/// | state | due | event | next state | to do |
/// | --- | --- | --- | --- | --- |
/// | `seeking` | read the head | a head | `comparing` | |
/// | | | no store, as before | `eligible` | |
/// | | | no store any more | `seeking` | report, wait |
/// | `comparing` | compare | it fits | `eligible` | |
/// | | | it does not fit | `lost`; not open: `eligible` | report |
/// | `eligible` | lead | led | `takingOver` | start at the head, accept commits |
/// | | | led, the file's history began from its | `restarting` | the same |
/// | | | led, else, and the file is not open | `adopting` | the same |
/// | | | led, after another one | `checking` | |
/// | | | a lease runs | `waiting` | |
/// | `checking` | compare | it fits | as after `eligible` | start at the head, accept commits |
/// | | | it does not fit | `lost`; not open: `adopting` | release, report |
/// | `adopting` | adopt | adopted | `takingOver` | |
/// | `waiting` | read the head | the lease runs | `seeking` | report, wait |
/// | | | it was renewed | `lost` | report |
/// | `restarting` | restart the archive | restarted | `seeking` | |
/// | | | refused | `seeking` | wait |
/// | `takingOver` | note it in the file | noted | `leading` | report |
/// | `leading` | send | sent | `leading` | report, wait |
/// | | | refused, failed, or the file was rewritten | `uncertain` | |
/// | `uncertain` | read the head | its own | `confirming` | |
/// | | | a later one of another leader | `lost` | report |
/// | | | another: the archive went back | `seeking` | |
/// | | | no store any more, or sent meanwhile | `uncertain` | report, wait |
/// | `confirming` | compare | it fits | `leading` | start at the head |
/// | | | begun from its | `seeking` | |
/// | | | it does not fit | `lost` | report |
/// | `lost`, `stopped` | nothing | | | |
///
/// Any other failure is reported, and after a while a call is made again: the same in `restarting` and `takingOver`, that of
/// `uncertain` where something may have been sent, else that of `seeking`. `stopped` comes from each state, and a lease
/// that is extended lets commits be accepted until it ends. A file that is read again has perhaps another history: what
/// leads is uncertain then, and what was about to lead seeks. Other events change nothing.
package struct Leadership: Sendable {
  package enum State: Sendable, Equatable {
    case seeking
    case comparing(ArchiveHead)
    /// The head before it leads is nil for an archive without a store.
    case eligible(ArchiveHead?, ArchiveRelation)
    case checking(ArchiveTerm, ArchiveHead, since: ContinuousClock.Instant, former: String)
    case waiting(for: String, Duration)
    /// The file is not open yet, and gets the archive's history.
    case adopting(ArchiveTerm, ArchiveHead, ArchiveRelation)
    case restarting(ArchiveTerm)
    case takingOver(ArchiveTerm)
    case leading(ArchiveTerm)
    case uncertain(ArchiveTerm)
    case confirming(ArchiveTerm, ArchiveHead)
    case lost(to: String)
    case stopped
  }

  package enum Step: Sendable, Equatable {
    case readHead
    case compare(ArchiveHead)
    case lead
    case adopt(ArchiveHead, ArchiveRelation)
    case restart(ArchiveTerm)
    case note(ArchiveTerm)
    case send
  }

  package enum Event: Sendable {
    case headRead(ArchiveHead?)
    case compared(ArchiveRelation)
    /// The lease runs from before the message was sent, also where it is extended.
    case led(ArchiveHead, ArchiveCandidate, since: ContinuousClock.Instant)
    case adopted
    case restarted
    case noted
    case sent
    case failed(Failure)
    case extended(since: ContinuousClock.Instant)
    case leaseEnded
    /// Commits come from here on.
    case started
    /// The file is read again, and may have been rewritten.
    case resumed
    case stopped
  }

  package enum Failure: Sendable, Equatable {
    case archive(ArchiveError.Reason)
    case file(String)
  }

  package enum Action: Sendable, Equatable {
    /// The archive ends at the mark. The rest of its contents must be read.
    case start(at: HistoryMark)
    case acceptCommits(for: Duration)
    case refuseCommits
    case reportTakeover(ArchiveTerm)
    case reportSent(ArchiveTerm)
    case reportLost(to: String)
    case report(Failure)
    case release(ArchiveTerm)
    /// The file keeps no more than its limit for an archive that is out of reach.
    case limitBacklog
    /// Nothing is due for as long, unless something happens.
    case wait(Duration)
  }

  package private(set) var state: State
  /// Whether the file is open: then it cannot get the archive's history any more.
  package var isOpen: Bool
  private let policy: ArchivePolicy
  private let leader: String
  /// Whether the archive had a store: one without is not a new one then.
  private var hadStore: Bool
  private var leaseStart: ContinuousClock.Instant?
  private var wait: LeaseWait
  private var failures = 0

  /// - Parameters:
  ///   - leader: The name under which this process leads.
  ///   - leaseStart: When it has led, if it has.
  package init(
    _ policy: ArchivePolicy,
    as leader: String,
    isOpen: Bool = true,
    in state: State = .seeking,
    since leaseStart: ContinuousClock.Instant? = nil
  ) {
    (self.policy, self.leader, self.state, self.leaseStart) = (policy, leader, state, leaseStart)
    self.isOpen = isOpen
    hadStore = leaseStart != nil
    wait = LeaseWait(lease: policy.lease)
  }

  package var due: Step? {
    switch state {
    case .seeking, .waiting, .uncertain: .readHead
    case .comparing(let head), .checking(_, let head, _, _), .confirming(_, let head):
      .compare(head)
    case .eligible: .lead
    case .adopting(_, let head, let relation): .adopt(head, relation)
    case .restarting(let term): .restart(term)
    case .takingOver(let term): .note(term)
    case .leading: .send
    case .lost, .stopped: nil
    }
  }

  package var term: ArchiveTerm? {
    switch state {
    case .checking(let term, _, _, _), .adopting(let term, _, _), .restarting(let term),
      .takingOver(let term), .leading(let term), .uncertain(let term), .confirming(let term, _):
      term
    case .seeking, .comparing, .eligible, .waiting, .lost, .stopped: nil
    }
  }

  /// How long the lease still runs, as far as this process knows.
  package func lease(at time: ContinuousClock.Instant) -> Duration {
    leaseStart.map { policy.lease - (time - $0) } ?? .zero
  }

  /// Whether the lease is to be extended by a message of its own.
  package func mustRenew(at time: ContinuousClock.Instant) -> Bool {
    leaseStart.map { time - $0 > policy.lease / 4 } ?? false
  }

  package mutating func take(_ event: Event, at time: ContinuousClock.Instant) -> [Action] {
    switch (state, event) {
    case (.stopped, _), (.lost, _): if case .stopped = event { state = .stopped }
    case (_, .stopped): state = .stopped
    case (_, .failed(let failure)): return fail(failure)
    case (_, .started), (_, .leaseEnded), (_, .extended): return takeLease(event, at: time)
    case (.seeking, .headRead(nil)) where !hadStore: state = .eligible(nil, .atOrAhead)
    case (.seeking, .headRead(nil)), (.uncertain, .headRead(nil)): return fail(.archive(.empty))
    case (.seeking, .headRead(let head?)): state = .comparing(head)
    case (.comparing(let head), .compared(let relation)):
      // Leading to no end would only depose the one that leads.
      if isOpen, !relation.fits { return lose(to: head.leader) }
      state = .eligible(head, relation)
    case (.eligible(let before, let relation), .led(let head, let candidate, let start)):
      let term = ArchiveTerm(epoch: head.epoch, lease: policy.lease, leader: leader)
      if candidate.leads(to: head, from: before) {
        return lead(term, head, relation, since: start, at: time)
      }
      let former = before?.leader ?? "another process"
      state = .checking(term, head, since: start, former: former)
    case (.checking(let term, let head, let start, let former), .compared(let relation)):
      if !isOpen || relation.fits { return lead(term, head, relation, since: start, at: time) }
      // It has what this file lacks, so this process must not add to it.
      return [.release(term)] + lose(to: former)
    case (.waiting(let leader, let rest), .headRead(let head)):
      return look(at: head, leader, rest, at: time)
    case (.adopting(let term, _, _), .adopted): state = .takingOver(term)
    // By another term followers know that the lineage is another one: where no delta has changed, nothing else says so.
    case (.restarting, .restarted): state = .seeking
    case (.takingOver(let term), .noted):
      state = .leading(term)
      return [.reportTakeover(term)]
    case (.leading(let term), .sent), (.uncertain(let term), .sent):
      (failures, wait) = (0, LeaseWait(lease: policy.lease))
      return [.reportSent(term), .wait(policy.lease / 3)]
    case (.leading(let term), .resumed), (.confirming(let term, _), .resumed):
      state = .uncertain(term)
    // What was compared, sent or noted may be another file, in a later lineage.
    case (.comparing, .resumed), (.eligible, .resumed), (.checking, .resumed),
      (.restarting, .resumed), (.takingOver, .resumed):
      state = .seeking
    case (.uncertain(let term), .headRead(let head?)):
      if head.epoch > term.epoch, head.leader != leader { return lose(to: head.leader) }
      // The archive may have given the same epoch to another one after it went back. One of the same name that has led
      // since has not got the file, whose lock is here.
      let isOwn = head.epoch == term.epoch && head.leader == leader
      state = isOwn ? .confirming(term, head) : .seeking
    case (.confirming(let term, let head), .compared(let relation)):
      if !relation.fits { return lose(to: head.leader) }
      if relation == .restarts {
        state = .seeking
        return []
      }
      state = .leading(term)
      return [.start(at: head.mark)]
    default: break
    }
    return []
  }

  private mutating func lead(
    _ term: ArchiveTerm,
    _ head: ArchiveHead,
    _ relation: ArchiveRelation,
    since start: ContinuousClock.Instant,
    at time: ContinuousClock.Instant
  ) -> [Action] {
    hadStore = true
    state =
      switch relation {
      case .restarts: .restarting(term)
      case _ where isOpen: .takingOver(term)
      default: .adopting(term, head, relation)
      }
    return [.start(at: head.mark)] + takeLease(.extended(since: start), at: time)
  }

  /// Another process leads: nothing that this one does can become part of the history.
  private mutating func lose(to leader: String) -> [Action] {
    state = .lost(to: leader)
    return [.reportLost(to: leader)]
  }

  private mutating func look(
    at head: ArchiveHead?,
    _ leader: String,
    _ rest: Duration,
    at time: ContinuousClock.Instant
  ) -> [Action] {
    let finding = head.map { wait.look(at: $0, time) }
    if finding == .isRenewed { return lose(to: leader) }
    state = .seeking
    let reason = finding == .isTooLong ? wait.reason(leader, rest) : .led(by: leader, for: rest)
    let pause = min(rest + .milliseconds(10), policy.lease / 4, .milliseconds(200))
    return [.report(.archive(reason)), .wait(pause)]
  }

  private mutating func fail(_ failure: Failure) -> [Action] {
    switch (state, failure) {
    case (.eligible, .archive(.led(let leader, let rest))):
      state = .waiting(for: leader, rest)
      return []
    case (.restarting, .archive(.refused)): state = .seeking
    case (.restarting, _), (.takingOver, _): break
    case (.leading(let term), _), (.uncertain(let term), _), (.confirming(let term, _), _):
      state = .uncertain(term)
    default: state = .seeking
    }
    failures += 1
    let pause = min(.milliseconds(100) * failures, .seconds(5))
    switch failure {
    // Asked at once who leads.
    case .archive(.refused): return [.wait(failures > 1 ? .milliseconds(200) : .zero)]
    case .archive: return [.report(failure), .limitBacklog, .wait(pause)]
    case .file: return [.report(failure), .wait(pause)]
    }
  }

  private mutating func takeLease(_ event: Event, at time: ContinuousClock.Instant) -> [Action] {
    if case .extended(let start) = event, term != nil { leaseStart = start }
    guard policy.withoutLease == .refuse else { return [] }
    let rest = lease(at: time)
    if rest <= .zero { return [.refuseCommits] }
    if case .leaseEnded = event { return [] }
    return [.acceptCommits(for: rest)]
  }
}

extension ArchiveRelation {
  /// Whether the file may be added to the archive.
  fileprivate var fits: Bool { self == .atOrAhead || self == .restarts }
}
