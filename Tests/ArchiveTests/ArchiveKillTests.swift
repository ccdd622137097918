import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Processes with an archive that are killed or stopped.
///
/// `Scripts/torture` runs it, and the suite does not: the leases are those of the clock.
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["STRATA_ARCHIVE_KILLS"] != nil,
    "STRATA_ARCHIVE_KILLS is not set"
  )
)
struct ArchiveKillTests {
  /// The number of kills of a leader; and of ten followers.
  static let kills = loopCount("STRATA_ARCHIVE_KILLS", 4)

  private let directory: TemporaryDirectory
  private let folder: String

  init() throws {
    directory = try TemporaryDirectory()
    folder = directory.path("archive")
  }

  /// What a leader has said: the commits by what was promised of them.
  private struct Promises {
    var durable: [Int] = []
    var replicated: [Int] = []

    init(_ lines: [String]) {
      for line in lines {
        let parts = line.split(separator: " ")
        guard parts.count == 3, let number = Int(parts[1]) else { continue }
        if parts[0] == "replicated" { replicated.append(number) }
        if parts[0] == "durable" { durable.append(number) }
      }
    }
  }

  private func child(_ name: String, _ mode: String, seed: Int) throws -> ChildProcess {
    try ChildProcess("ProductChild", [directory.path("\(name).strata"), "\(seed)", mode, folder])
  }

  private func open(
    _ name: String
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    let configuration = PersistenceConfiguration()
    var policy = ArchivePolicy(lease: .seconds(1), maxDelay: .zero)
    policy.closingLimit = .seconds(600)
    return try await Persistence.open(
      at: directory.path("\(name).strata"),
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration,
      with: [.archive(FolderArchive(folder), policy: policy)]
    )
  }

  private func trail(ofFileAt path: String) async throws -> CommitTrail {
    let inspector = try Inspector(path: path)
    let last = Revision(try inspector.info().revision)
    return try #require(CommitTrail(try inspector.database(over: LibraryDatabase(), at: last)))
  }

  @Test
  func `a killed leader's commits are sent when it starts again`() async throws {
    let seed = Int.random(in: 0..<1 << 30)
    var random = SeededGenerator(seed: UInt64(seed))
    var promised: [Int] = []
    for kill in 0..<Self.kills {
      let child = try child("first", "lead", seed: seed + kill * 100_000)
      _ = child.lines(atLeast: Int.random(in: 2...60, using: &random))
      let lines = Promises(child.kill())
      promised += (lines.durable + lines.replicated).sorted()
    }
    let persistence = try await open("first")
    let store = LibraryStore(persistence)
    try await persistence.replicated(through: persistence.revision)
    #expect(persistence.report.archive?.setAside == nil, "seed \(seed)")
    let commits = try #require(CommitTrail(store.state.db)).commits
    #expect(Set(promised).isSubset(of: commits), "seed \(seed)")
    try await persistence.close()
    let pulled = directory.path("pulled.strata")
    _ = try await ArchivePull(
      from: FolderArchive(folder),
      to: StorePath(pulled, for: .archiving),
      on: .system
    ).run()
    #expect(try await trail(ofFileAt: pulled).commits == commits, "seed \(seed)")
    printStatistics("\(Self.kills) kills of a leader, \(promised.count) commits; seed \(seed)")
  }

  @Test
  func `what only a killed leader had is named when another one led meanwhile`() async throws {
    let seed = Int.random(in: 0..<1 << 30)
    var random = SeededGenerator(seed: UInt64(seed))
    let clock = ContinuousClock()
    var last = "0"
    var takeovers: [Duration] = []
    var lost = 0
    for round in 0..<max(1, Self.kills / 2) {
      // The two machines lead in turn.
      let (name, other) = round % 2 == 0 ? ("first", "second") : ("second", "first")
      let child = try child(name, "lead", seed: seed + round * 100_000)
      _ = child.lines(atLeast: Int.random(in: 10...80, using: &random))
      let lines = Promises(child.kill())
      let killed = clock.now
      let persistence = try await open(other)
      let store = LibraryStore(persistence)
      try await store.commitDurably(until: .replicated) { state in
        CommitTrail.add(seed + round * 100_000 + 90_000, to: &state.db)
      }
      takeovers.append(clock.now - killed)
      let commits = try #require(CommitTrail(store.state.db)).commits
      #expect(Set(lines.replicated).isSubset(of: commits), "seed \(seed), round \(round)")
      last = persistence.revision.description
      try await persistence.close()
      // The former leader comes back.
      let before = try await trail(ofFileAt: directory.path("\(name).strata"))
      let again = try await open(name)
      let now = try #require(CommitTrail(LibraryStore(again).state.db))
      #expect(now.commits == commits, "seed \(seed), round \(round)")
      #expect(Set(lines.durable).isSubset(of: before.commits), "seed \(seed), round \(round)")
      if !now.continues(before) {
        let aside = try #require(again.report.archive?.setAside, "seed \(seed), round \(round)")
        let kept = try await trail(ofFileAt: "\(aside.quarantine.directory)/\(name).strata")
        #expect(kept == before)
        let common = Int64(before.common(now))
        #expect(aside.revisions == Revision(common + 1)...Revision(Int64(before.commits.count)))
        lost += before.commits.count - Int(common)
      }
      try await again.close()
    }
    let times = takeovers.map { "\(Int($0 / .milliseconds(1))) ms" }.joined(separator: ", ")
    printStatistics(
      """
      from the kill of a leader to a replicated commit of the next, with a lease of 1 s: \(times); \
      \(lost) commits named, through revision \(last); seed \(seed)
      """
    )
  }

  @Test
  func `a leader that was stopped beyond its lease is refused when it goes on`() async throws {
    let child = try child("first", "lead", seed: 0)
    _ = child.lines(atLeast: 20)
    child.signal(SIGSTOP)
    let persistence = try await open("second")
    let store = LibraryStore(persistence)
    try await store.commitDurably(until: .replicated) { CommitTrail.add(1_000_000, to: &$0.db) }
    let before = try #require(CommitTrail(store.state.db))
    let count = child.lines(atLeast: 0).count
    child.signal(SIGCONT)
    // It commits on, until it learns of the other one.
    var lines = child.lines(atLeast: count + 1)
    while lines.last?.hasPrefix("refused") != true {
      try #require(!child.hasEnded)
      lines = child.lines(atLeast: lines.count + 1)
    }
    let promised = Promises(child.kill())
    try await store.commitDurably(until: .replicated) { CommitTrail.add(1_000_001, to: &$0.db) }
    let after = try #require(CommitTrail(store.state.db))
    #expect(after.commits == before.commits + [1_000_001])
    #expect(Set(promised.replicated).isSubset(of: after.commits))
    try await persistence.close()
    let again = try await open("first")
    #expect(CommitTrail(LibraryStore(again).state.db) == after)
    #expect(again.report.archive?.setAside?.revisions != nil)
    try await again.close()
  }

  @Test
  func `ten followers that are killed at random show what the leader has`() async throws {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let persistence = try await open("leader")
    let store = LibraryStore(persistence)
    var number = 0
    func commit(_ count: Int) throws {
      for _ in 0..<count {
        number += 1
        let number = number
        try store.commit { state throws in CommitTrail.add(number, to: &state.db) }
      }
    }
    try commit(5)
    try await persistence.replicated(through: persistence.revision)
    var followers = try (0..<10).map { try child("follower \($0)", "follow", seed: $0) }
    var shown: [[String]] = []
    for _ in 0..<Self.kills * 3 {
      try commit(Int.random(in: 1...10, using: &random))
      try await persistence.replicated(through: persistence.revision)
      let chosen = Int.random(in: 0..<10, using: &random)
      // One that starts late begins with all of it, and shows nothing more.
      _ = followers[chosen].lines(atLeast: Int.random(in: 0...1, using: &random))
      shown.append(followers[chosen].kill())
      followers[chosen] = try child("follower \(chosen)", "follow", seed: chosen)
    }
    try commit(1)
    try await persistence.replicated(through: persistence.revision)
    let end = "shows \(number) \(number)"
    for follower in followers {
      var lines = follower.lines(atLeast: 1)
      while lines.last != end {
        try #require(!follower.hasEnded, "a follower ended after \(lines.suffix(3)), seed \(seed)")
        lines = follower.lines(atLeast: lines.count + 1)
      }
      shown.append(follower.kill())
    }
    for line in shown.flatMap({ $0 }) {
      let parts = line.split(separator: " ").compactMap { Int($0) }
      // The n-th commit has the number n.
      #expect(parts.count == 2 && parts[0] == parts[1] && parts[0] >= 0, "\(line), seed \(seed)")
    }
    printStatistics("\(Self.kills * 3) kills of ten followers, \(number) commits; seed \(seed)")
    try await persistence.close()
  }
}
