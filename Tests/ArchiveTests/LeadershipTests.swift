import Foundation
import StrataArchiving
import StrataJournal
import StrataStorage
import TestSupport
import Testing

/// Every event in every state, against a table that is written apart from the machine.
struct LeadershipTests {
  typealias State = Leadership.State
  typealias Event = Leadership.Event
  typealias Action = Leadership.Action
  typealias Instant = ContinuousClock.Instant

  static let start = ContinuousClock.now
  /// When events come: 6 seconds of a lease from the start are left.
  static let later = start + .seconds(4)
  static let lease = Duration.seconds(10)
  static let term = ArchiveTerm(epoch: 5, lease: lease, leader: "own")
  /// That of a process that leads after the head of another one.
  static let nextTerm = ArchiveTerm(epoch: 7, lease: lease, leader: "own")

  static func mark(_ revision: Revision) -> HistoryMark {
    HistoryMark(revision: revision, chain: String(repeating: "0", count: 32))
  }

  static func head(_ epoch: Int64, _ leader: String, at revision: Revision = 3) -> ArchiveHead {
    ArchiveHead(
      store: UUID(uuidString: "5A6B7C8D-0000-4000-8000-000000000001") ?? UUID(),
      epoch: epoch,
      leader: leader,
      lease: lease,
      mark: mark(revision)
    )
  }

  static let own = head(5, "own")
  static let others = head(6, "other")
  static let candidate = ArchiveCandidate(
    store: own.store,
    epoch: 4,
    leader: "own",
    lease: lease,
    start: mark(0)
  )
  static let led = head(7, "own")
  static let ledLate = head(9, "own", at: 8)

  static func leadership(
    _ state: State = .seeking,
    since start: Instant? = nil,
    _ withoutLease: ArchivePolicy.WithoutLease = .refuse,
    isOpen: Bool = true
  ) -> Leadership {
    let policy = ArchivePolicy(lease: lease, withoutLease: withoutLease)
    return Leadership(policy, as: "own", isOpen: isOpen, in: state, since: start)
  }

  /// Each state, with when its lease began; one that has had a lease knows the archive.
  static let states: [(name: String, state: State, since: Instant?)] = [
    ("seeking", .seeking, nil), ("seeking again", .seeking, start),
    ("comparing", .comparing(others), nil), ("eligible", .eligible(others, .atOrAhead), nil),
    ("eligible, begun from its", .eligible(others, .restarts), nil),
    ("eligible, new", .eligible(nil, .atOrAhead), nil),
    ("checking", .checking(nextTerm, ledLate, since: later, former: "other"), nil),
    ("waiting", .waiting(for: "other", .seconds(3)), nil), ("restarting", .restarting(term), start),
    ("takingOver", .takingOver(term), start), ("leading", .leading(term), start),
    ("uncertain", .uncertain(term), start), ("confirming", .confirming(term, own), start),
    ("lost", .lost(to: "other"), start), ("stopped", .stopped, start),
    ("comparing, not open", .comparing(others), nil),
    ("eligible, not open", .eligible(others, .behind), nil),
    ("checking, not open", .checking(nextTerm, ledLate, since: later, former: "other"), nil),
    ("adopting, not open", .adopting(nextTerm, led, .behind), start),
  ]

  static func leadership(_ row: (name: String, state: State, since: Instant?)) -> Leadership {
    leadership(row.state, since: row.since, isOpen: !row.name.hasSuffix("not open"))
  }

  static let events: [(name: String, event: Event)] =
    [
      ("no head", .headRead(nil)), ("its head", .headRead(own)),
      ("another's later head", .headRead(others)),
      ("another's head of its epoch", .headRead(head(5, "other"))),
      ("an earlier head", .headRead(head(4, "own"))),
      ("a later head of its name", .headRead(head(6, "own"))),
      ("led", .led(led, candidate, since: later)),
      ("led late", .led(ledLate, candidate, since: later)),
      ("led new", .led(head(5, "own", at: 0), candidate, since: later)), ("adopted", .adopted),
      ("restarted", .restarted),
      ("noted", .noted), ("sent", .sent), ("refused", .failed(.archive(.refused))),
      ("a lease", .failed(.archive(.led(by: "other", for: .seconds(3))))),
      ("away", .failed(.archive(.away("off")))), ("damaged", .failed(.archive(.damaged("torn")))),
      ("file", .failed(.file("full"))), ("extended", .extended(since: later)),
      ("lease ended", .leaseEnded), ("started", .started), ("resumed", .resumed),
      ("stopped", .stopped),
    ] + relations.sorted { $0.key < $1.key }.map { ($0.key, .compared($0.value)) }

  typealias Row = [String: (State, [Action])]

  static let accepted = Action.acceptCommits(for: lease)
  static let lost = (State.lost(to: "other"), [Action.reportLost(to: "other")])
  static let relations: [String: ArchiveRelation] = [
    "fits": .atOrAhead, "begun from its": .restarts, "behind": .behind,
    "replaced": .replaced(through: 2), "diverged": .diverged(after: 2),
    "taken back": .takenBack(through: 2),
  ]
  static let unfit: Row = [
    "behind": lost, "replaced": lost, "diverged": lost, "taken back": lost,
  ]

  /// What comes in a state at any time: the end, the lease, and a failure, which leads to a state.
  static func always(_ state: State, since: Instant?, failing next: State) -> Row {
    let hasTerm = leadership(state).term != nil
    let rest: Action = since == nil ? .refuseCommits : .acceptCommits(for: .seconds(6))
    var row: Row = [
      "stopped": (.stopped, []), "started": (state, [rest]),
      "extended": (state, [hasTerm ? accepted : rest]), "refused": (next, [.wait(.zero)]),
      "file": (next, [.report(.file("full")), .wait(.milliseconds(100))]),
    ]
    if since == nil { row["lease ended"] = (state, [.refuseCommits]) }
    let reasons: [(String, ArchiveError.Reason)] = [
      ("away", .away("off")), ("damaged", .damaged("torn")),
      ("a lease", .led(by: "other", for: .seconds(3))),
    ]
    for (name, reason) in reasons {
      row[name] = (
        next, [.report(.archive(reason)), .limitBacklog, .wait(.milliseconds(100))]
      )
    }
    return row
  }

  static let empty: [Action] = [
    .report(.archive(.empty)), .limitBacklog, .wait(.milliseconds(100)),
  ]
  static let compared: Row = [
    "its head": (.comparing(own), []), "another's later head": (.comparing(others), []),
    "another's head of its epoch": (.comparing(head(5, "other")), []),
    "an earlier head": (.comparing(head(4, "own")), []),
    "a later head of its name": (.comparing(head(6, "own")), []),
  ]
  static let looked = (
    State.seeking,
    [
      Action.report(.archive(.led(by: "other", for: .seconds(3)))), .wait(.milliseconds(200)),
    ]
  )
  static let waiting: Row = ["a lease": (.waiting(for: "other", .seconds(3)), [])]
  static let sent: [Action] = [.reportSent(term), .wait(lease / 3)]

  static func checking(_ term: ArchiveTerm, _ head: ArchiveHead, after former: String) -> State {
    .checking(term, head, since: later, former: former)
  }

  static let late = ArchiveTerm(epoch: 9, lease: lease, leader: "own")
  static let taken: [Action] = [.start(at: mark(3)), accepted]

  /// What changes in each state; each other event changes nothing.
  static let table: [String: (failing: State, row: Row)] = [
    "seeking": (
      .seeking, compared.merging(["no head": (.eligible(nil, .atOrAhead), [])]) { $1 }
    ),
    "seeking again": (.seeking, compared.merging(["no head": (.seeking, empty)]) { $1 }),
    "comparing": (
      .seeking,
      unfit.merging([
        "fits": (.eligible(others, .atOrAhead), []),
        "begun from its": (.eligible(others, .restarts), []), "resumed": (.seeking, []),
      ]) { $1 }
    ),
    "eligible": (
      .seeking,
      waiting.merging([
        "led": (.takingOver(nextTerm), taken),
        "led new": (checking(term, head(5, "own", at: 0), after: "other"), []),
        "led late": (checking(late, ledLate, after: "other"), []), "resumed": (.seeking, []),
      ]) { $1 }
    ),
    "eligible, begun from its": (
      .seeking,
      waiting.merging([
        "led": (.restarting(nextTerm), taken),
        "led new": (checking(term, head(5, "own", at: 0), after: "other"), []),
        "led late": (checking(late, ledLate, after: "other"), []), "resumed": (.seeking, []),
      ]) { $1 }
    ),
    "eligible, new": (
      .seeking,
      waiting.merging([
        "led new": (.takingOver(term), [.start(at: mark(0)), accepted]),
        "led": (checking(nextTerm, led, after: "another process"), []),
        "led late": (checking(late, ledLate, after: "another process"), []),
        "resumed": (.seeking, []),
      ]) { $1 }
    ),
    "checking": (
      .seeking,
      unfit.mapValues { ($0.0, [.release(nextTerm)] + $0.1) }.merging([
        "fits": (.takingOver(nextTerm), [.start(at: mark(8)), accepted]),
        "begun from its": (.restarting(nextTerm), [.start(at: mark(8)), accepted]),
        "resumed": (.seeking, []),
      ]) { $1 }
    ),
    "waiting": (
      .seeking,
      [
        "no head": looked, "its head": looked, "another's later head": looked,
        "another's head of its epoch": looked, "an earlier head": looked,
        "a later head of its name": looked,
      ]
    ),
    "restarting": (
      .restarting(term),
      [
        "restarted": (.seeking, []), "refused": (.seeking, [.wait(.zero)]),
        "resumed": (.seeking, []),
      ]
    ),
    "takingOver": (
      .takingOver(term),
      ["noted": (.leading(term), [.reportTakeover(term)]), "resumed": (.seeking, [])]
    ),
    "leading": (
      .uncertain(term), ["sent": (.leading(term), sent), "resumed": (.uncertain(term), [])]
    ),
    "uncertain": (
      .uncertain(term),
      [
        "sent": (.uncertain(term), sent), "no head": (.uncertain(term), empty),
        "its head": (.confirming(term, own), []), "another's later head": lost,
        "another's head of its epoch": (.seeking, []), "an earlier head": (.seeking, []),
        "a later head of its name": (.seeking, []),
      ]
    ),
    "confirming": (
      .uncertain(term),
      unfit.mapValues { _ in (.lost(to: "own"), [.reportLost(to: "own")]) }.merging([
        "fits": (.leading(term), [.start(at: mark(3))]),
        "begun from its": (.seeking, []), "resumed": (.uncertain(term), []),
      ]) { $1 }
    ),
    "comparing, not open": (
      .seeking,
      relations.mapValues { (.eligible(others, $0), []) }.merging(["resumed": (.seeking, [])]) {
        $1
      }
    ),
    "eligible, not open": (
      .seeking,
      waiting.merging([
        "led": (.adopting(nextTerm, led, .behind), taken),
        "led new": (checking(term, head(5, "own", at: 0), after: "other"), []),
        "led late": (checking(late, ledLate, after: "other"), []), "resumed": (.seeking, []),
      ]) { $1 }
    ),
    "checking, not open": (
      .seeking,
      relations.mapValues {
        (.adopting(nextTerm, ledLate, $0), [.start(at: mark(8)), accepted])
      }.merging([
        "begun from its": (.restarting(nextTerm), [.start(at: mark(8)), accepted]),
        "resumed": (.seeking, []),
      ]) { $1 }
    ),
    "adopting, not open": (.seeking, ["adopted": (.takingOver(nextTerm), [])]),
  ]

  @Test func `every event in every state has its transition`() throws {
    for (name, state, since) in Self.states {
      var row: Row = ["stopped": (.stopped, [])]
      if ![.lost(to: "other"), .stopped].contains(state) {
        let (failing, own) = try #require(Self.table[name])
        row = Self.always(state, since: since, failing: failing).merging(own) { $1 }
      }
      #expect(Set(row.keys).isSubset(of: Self.events.map { $0.name }))
      for (event, taken) in Self.events {
        var machine = Self.leadership((name, state, since))
        let actions = machine.take(taken, at: Self.later)
        let (next, expected) = row[event] ?? (state, [])
        #expect(machine.state == next, "\(name), \(event)")
        #expect(actions == expected, "\(name), \(event)")
      }
    }
  }

  @Test func `each state has one call that is due`() {
    let due: [Leadership.Step?] = [
      .readHead, .readHead, .compare(Self.others), .lead, .lead, .lead, .compare(Self.ledLate),
      .readHead, .restart(Self.term), .note(Self.term), .send, .readHead, .compare(Self.own), nil,
      nil, .compare(Self.others), .lead, .compare(Self.ledLate), .adopt(Self.led, .behind),
    ]
    #expect(Self.states.map { Self.leadership($0.state).due } == due)
  }
}

/// What holds after any events.
extension LeadershipTests {
  /// The event of a call that succeeds.
  static func success(_ step: Leadership.Step, of leadership: Leadership, at time: Instant) -> Event
  {
    switch (step, leadership.state) {
    case (.readHead, .uncertain(let term)): .headRead(head(term.epoch, "own"))
    case (.readHead, _): .headRead(others)
    case (.compare, _): .compared(.atOrAhead)
    case (.lead, .eligible(nil, _)): .led(head(5, "own", at: 0), candidate, since: time)
    case (.lead, _): .led(led, candidate, since: time)
    case (.adopt, _): .adopted
    case (.restart, _): .restarted
    case (.note, _): .noted
    case (.send, _): .sent
    }
  }

  @Test func `calls that succeed lead from each state to all being sent`() throws {
    for (name, state, since) in Self.states where Self.leadership(state).due != nil {
      var machine = Self.leadership((name, state, since))
      var actions: [Action] = []
      for _ in 1...9 where !actions.contains(.wait(Self.lease / 3)) {
        let step = try #require(machine.due)
        let event = Self.success(step, of: machine, at: Self.later)
        actions = machine.take(event, at: Self.later)
      }
      #expect(actions.contains(.wait(Self.lease / 3)), "\(name)")
      guard case .leading = machine.state else {
        Issue.record("\(name): \(machine.state)")
        continue
      }
    }
  }

  @Test func `whatever happens, an end is one, and commits are accepted only while a lease runs`() {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    for walk in 1...400 {
      var machine = Self.leadership()
      var time = Self.start
      // What a driver has: when commits are refused again by itself, and the lease.
      var (acceptedUntil, leaseEnd) = (Instant?.none, Self.start)
      for _ in 1...60 {
        time += .milliseconds(Int.random(in: 0...3_000, using: &random))
        let before = machine.state
        var event = Self.events.randomElement(using: &random)?.event ?? .sent
        // Mostly what was called answers, and a lease begins when it is asked for.
        if let step = machine.due, Int.random(in: 0...3, using: &random) > 0 {
          event = Self.success(step, of: machine, at: time)
        }
        if acceptedUntil.map({ $0 <= time }) == true { event = .leaseEnded }
        switch event {
        case .led(let head, let candidate, _): event = .led(head, candidate, since: time)
        case .extended: event = .extended(since: time)
        default: break
        }
        let actions = machine.take(event, at: time)
        switch event {
        case .led, .extended: leaseEnd = time + Self.lease
        default: break
        }
        for action in actions {
          if case .acceptCommits(let rest) = action { acceptedUntil = time + rest }
          if action == .refuseCommits { acceptedUntil = nil }
          if case .reportLost = action { acceptedUntil = nil }
        }
        if case .stopped = machine.state { acceptedUntil = nil }
        #expect(acceptedUntil.map { $0 > time && $0 <= leaseEnd } ?? true, "\(seed), \(walk)")
        guard Self.isEnd(before) else { continue }
        #expect(actions.isEmpty && machine.due == nil && machine.term == nil, "\(seed), \(walk)")
        #expect(machine.state == before || machine.state == .stopped, "\(seed), \(walk)")
      }
    }
  }

  private static func isEnd(_ state: State) -> Bool {
    switch state {
    case .lost, .stopped: true
    default: false
    }
  }
}

/// What earlier events have to do with it.
extension LeadershipTests {
  @Test func `the next call is later after each failure, and soon again once all is sent`() {
    var machine = Self.leadership(.leading(Self.term), since: Self.start)
    func pauses(_ reason: ArchiveError.Reason, _ count: Int) -> [Duration] {
      (1...count).flatMap { _ in
        machine.take(.failed(.archive(reason)), at: Self.later).compactMap { action -> Duration? in
          if case .wait(let pause) = action { pause } else { nil }
        }
      }
    }
    #expect(pauses(.refused, 3) == [.zero, .milliseconds(200), .milliseconds(200)])
    #expect(pauses(.away("off"), 2) == [.milliseconds(400), .milliseconds(500)])
    #expect(pauses(.away("off"), 60).last == .seconds(5))
    _ = machine.take(.sent, at: Self.later)
    #expect(pauses(.away("off"), 1) == [.milliseconds(100)])
  }

  /// Looks at the lease of another leader, after a refusal to lead.
  private func look(_ machine: inout Leadership, _ rest: Duration, at second: Int) -> [Action] {
    let time = Self.start + .seconds(second)
    var head = Self.others
    head.lease = rest
    _ = machine.take(.headRead(head), at: time)
    _ = machine.take(.compared(.atOrAhead), at: time)
    _ = machine.take(.failed(.archive(.led(by: "other", for: rest))), at: time)
    return machine.take(.headRead(head), at: time)
  }

  @Test func `a lease that ends is waited for, and one that is renewed is not`() {
    var machine = Self.leadership()
    let pause = Action.wait(.milliseconds(200))
    let looks = [(0, 9), (5, 4), (6, 9)].map { look(&machine, .seconds($0.1), at: $0.0) }
    #expect(
      looks == [
        [.report(.archive(.led(by: "other", for: .seconds(9)))), pause],
        [.report(.archive(.led(by: "other", for: .seconds(4)))), pause],
        [.reportLost(to: "other")],
      ]
    )
    machine = Self.leadership()
    let tooLong = [(0, 3_609), (10, 3_599)].map { look(&machine, .seconds($0.1), at: $0.0) }.last
    let reason = ArchiveError.Reason.leaseTooLong(
      by: "other",
      for: .seconds(3_599),
      lease: Self.lease
    )
    #expect(tooLong == [.report(.archive(reason)), pause])
    #expect(machine.state == .seeking)
  }

  @Test func `a lease is renewed after a quarter of it, and refuses nothing where commits go on`() {
    let machine = Self.leadership(.leading(Self.term), since: Self.start)
    #expect(!machine.mustRenew(at: Self.start + .milliseconds(2_500)))
    #expect(machine.mustRenew(at: Self.start + .milliseconds(2_501)))
    for (_, state, since) in Self.states {
      for event in [Event.started, .leaseEnded, .extended(since: Self.later)] {
        var machine = Self.leadership(state, since: since, .continue)
        #expect(machine.take(event, at: Self.start + .seconds(60)) == [])
      }
    }
  }

  @Test func `a lease that ended while its answer was on the way accepts no commits`() {
    var machine = Self.leadership(.leading(Self.term), since: Self.start)
    let late = Self.later + Self.lease
    #expect(machine.take(.extended(since: Self.later), at: late) == [.refuseCommits])
    machine = Self.leadership(.leading(Self.term), since: Self.start)
    #expect(machine.take(.leaseEnded, at: Self.start + Self.lease) == [.refuseCommits])
  }
}
