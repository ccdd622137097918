import Foundation
import StrataArchive
import StrataJournal
import StrataPersistence
import Testing

/// Every input in every status, against a table that is written apart from the machine.
struct FollowerMachineTests {
  typealias Input = FollowerMachine.Input

  static let start = Date(timeIntervalSince1970: 1_000)
  static let later = Date(timeIntervalSince1970: 2_000)

  /// What leads to each status.
  static let ways: [(name: String, inputs: [Input])] = [
    ("behind", []), ("current", [.caughtUp]), ("away", [.unreachable("gone")]),
    ("refused", [.noAccess("no role")]), ("failed", [.unusable("newer")]),
    ("waitingForMigration", [.older("0002_add")]),
    ("leading", [.lead]), ("closed", [.close]),
  ]

  static let inputs: [(name: String, input: Input)] = [
    ("caughtUp", .caughtUp), ("found", .found), ("applied", .applied(7)),
    ("unreachable", .unreachable("off")), ("noAccess", .noAccess("password")),
    ("unusable", .unusable("types")), ("older", .older("0002_add")),
    ("rewound", .rewound(from: 9, to: 4)), ("lead", .lead),
    ("close", .close),
  ]

  /// The name of the status after an input, and what is told.
  static let table: [String: [(status: String, told: [String])]] = [
    "behind": [
      ("current", []),
      ("behind", []),
      ("behind", ["applied"]),
      ("away", ["away"]),
      ("refused", ["refused"]),
      ("failed", ["failed"]),
      ("waitingForMigration", []),
      ("behind", ["rewound"]),
      ("leading", ["leading"]),
      ("closed", []),
    ],
    "current": [
      ("current", []),
      ("behind", []),
      ("behind", ["applied"]),
      ("away", ["away"]),
      ("refused", ["refused"]),
      ("failed", ["failed"]),
      ("waitingForMigration", []),
      ("behind", ["rewound"]),
      ("leading", ["leading"]),
      ("closed", []),
    ],
    "away": [
      ("current", ["back"]),
      ("behind", ["back"]),
      ("behind", ["back", "applied"]),
      ("away", []),
      ("refused", ["refused"]),
      ("failed", ["failed"]),
      ("waitingForMigration", ["back"]),
      ("behind", ["back", "rewound"]),
      ("leading", ["leading"]),
      ("closed", []),
    ],
    "refused": [
      ("current", ["back"]),
      ("behind", ["back"]),
      ("behind", ["back", "applied"]),
      ("away", ["away"]),
      ("refused", ["refused"]),
      ("failed", ["failed"]),
      ("waitingForMigration", ["back"]),
      ("behind", ["back", "rewound"]),
      ("leading", ["leading"]),
      ("closed", []),
    ],
    "failed": [
      ("current", ["back"]),
      ("failed", []),
      ("behind", ["back", "applied"]),
      ("away", ["away"]),
      ("refused", ["refused"]),
      ("failed", ["failed"]),
      ("waitingForMigration", ["back"]),
      ("behind", ["back", "rewound"]),
      ("leading", ["leading"]),
      ("closed", []),
    ],
    "waitingForMigration": [
      ("current", []),
      ("behind", []),
      ("behind", ["applied"]),
      ("away", ["away"]),
      ("refused", ["refused"]),
      ("failed", ["failed"]),
      ("waitingForMigration", []),
      ("behind", ["rewound"]),
      ("leading", ["leading"]),
      ("closed", []),
    ],
    "leading": Array(repeating: ("leading", []), count: 9) + [("closed", [])],
    "closed": Array(repeating: ("closed", []), count: 10),
  ]

  @Test func `every input in every status has its transition`() throws {
    for way in Self.ways {
      let rows = try #require(Self.table[way.name])
      #expect(rows.count == Self.inputs.count)
      for (expected, (name, input)) in zip(rows, Self.inputs) {
        var machine = FollowerMachine(at: Self.start)
        for input in way.inputs { _ = machine.take(input, at: Self.start) }
        #expect(Self.name(of: machine.status) == way.name)
        let told = machine.take(input, at: Self.later)
        #expect(Self.name(of: machine.status) == expected.status, "\(way.name), \(name)")
        #expect(told.map { Self.name(of: $0) } == expected.told, "\(way.name), \(name)")
      }
    }
  }

  @Test func `it is away since it was first, and contact is when something answered`() {
    var machine = FollowerMachine(at: Self.start, away: "no network")
    #expect(machine.status == .away("no network", since: Self.start))
    #expect(machine.lastContact == nil)
    _ = machine.take(.unreachable("no route"), at: Self.later)
    #expect(machine.status == .away("no network", since: Self.start))
    _ = machine.take(.caughtUp, at: Self.later)
    #expect(machine.lastContact == Self.later)
  }

  @Test func `it is behind since it was last confirmed to have everything`() {
    var machine = FollowerMachine(at: Self.start)
    #expect(machine.behindSince == Self.start)
    let times = (1...6).map { Self.later.addingTimeInterval(TimeInterval($0)) }
    _ = machine.take(.caughtUp, at: times[0])
    #expect(machine.behindSince == nil)
    _ = machine.take(.caughtUp, at: times[1])
    _ = machine.take(.found, at: times[2])
    #expect(machine.behindSince == times[1])
    _ = machine.take(.applied(7), at: times[3])
    _ = machine.take(.unreachable("off"), at: times[4])
    #expect(machine.behindSince == times[1])
    _ = machine.take(.caughtUp, at: times[5])
    #expect(machine.behindSince == nil)
  }

  @Test func `a failure is told once, and again when it is another one`() {
    let kinds: [(String) -> Input] = [Input.noAccess, Input.unusable]
    for make in kinds {
      var machine = FollowerMachine(at: Self.start)
      let texts = ["one", "one", "two", "two", "one"]
      let told = texts.flatMap { machine.take(make($0), at: Self.later) }
      #expect(told.count == 3)
      #expect(machine.take(.caughtUp, at: Self.later) == [.back])
      #expect(machine.take(make("one"), at: Self.later).count == 1)
    }
  }

  @Test func `failed calls and rewinds are counted`() {
    var machine = FollowerMachine(at: Self.start)
    let inputs: [Input] = [
      .unreachable("off"), .unreachable("off"), .caughtUp, .unusable("types"),
      .rewound(from: 9, to: 4), .unreachable("off"), .noAccess("password"),
    ]
    for input in inputs { _ = machine.take(input, at: Self.later) }
    #expect(machine.failedCalls == 4)
    #expect(machine.rewinds == 1)
  }

  @Test func `each status is a sentence, with the remedy where there is one`() {
    let texts: [(FollowerStatus, String)] = [
      (.current, "It has everything that there is."),
      (.behind, "It is behind, and applies what there is."),
      (
        .away("no route", since: Self.start),
        "What it follows has not been reached since 1970-01-01 00:16:40.000Z: No route. It is tried again."
      ),
      (
        .refused("the archive gives no access", since: Self.start),
        "It has had no access since 1970-01-01 00:16:40.000Z. The archive gives no access. It is tried again."
      ),
      (
        .failed("the archive has no store"),
        """
        What it follows cannot become the state of this store, which stays as it is. The archive has no store. It is tried again.
        """
      ),
      (
        .waitingForMigration("0002_add"),
        """
        It waits for the migration “0002_add”: start a leader of this build, or run `strata migrate up` on the leader's file.
        """
      ),
      (.leading, "This process leads."), (.closed, "It was closed."),
    ]
    for (status, text) in texts { #expect("\(status)" == text) }
  }

  @Test func `the next look is later after each failure, and soon again after an answer`() {
    var machine = FollowerMachine(at: Self.start)
    #expect(machine.pause(.seconds(1)) == .seconds(1))
    for _ in 1...3 { _ = machine.take(.unreachable("off"), at: Self.start) }
    #expect(machine.pause(.seconds(1)) == .seconds(3))
    for _ in 1...9 { _ = machine.take(.unusable("types"), at: Self.start) }
    #expect(machine.pause(.seconds(1)) == .seconds(5))
    // The same deltas are found, and fail again.
    _ = machine.take(.found, at: Self.start)
    #expect(machine.pause(.seconds(1)) == .seconds(5))
    _ = machine.take(.applied(4), at: Self.start)
    #expect(machine.pause(.seconds(1)) == .seconds(1))
  }

  private static func name(of event: FollowerEvent) -> String {
    String("\(event)".prefix { $0.isLetter })
  }

  private static func name(of status: FollowerStatus) -> String {
    switch status {
    case .current: "current"
    case .behind: "behind"
    case .away: "away"
    case .refused: "refused"
    case .failed: "failed"
    case .waitingForMigration: "waitingForMigration"
    case .leading: "leading"
    case .closed: "closed"
    }
  }
}
