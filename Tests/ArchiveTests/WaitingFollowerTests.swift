import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataInspection
import StrataMigrations
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Processes of an older or a newer build than the leader of their archive.
struct WaitingFollowerTests {
  let directory: TemporaryDirectory
  let place = MemoryPlace()

  init() throws { directory = try TemporaryDirectory() }

  private var configuration: PersistenceConfiguration {
    let configuration = PersistenceConfiguration(durability: .grouped(maxDelay: .milliseconds(1)))
    return configuration
  }

  private var policy: ArchivePolicy {
    var policy = ArchivePolicy(lease: .milliseconds(300), maxDelay: .zero)
    policy.pollInterval = .milliseconds(5)
    policy.closingLimit = .seconds(600)
    return policy
  }

  private func open(
    _ name: String,
    _ build: ProgramBuild
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: directory.path(name),
      initialState: LibraryState(),
      database: \.db,
      values: build.values,
      configuration: configuration,
      with: [.migrations(build.migrations), .archive(place.direct(), policy: policy)]
    )
  }

  private func follow(
    _ build: ProgramBuild,
    at path: String? = nil
  ) async throws -> Follower<LibraryState, LibraryDatabase> {
    try await Persistence.follow(
      place.direct(),
      at: path,
      initialState: LibraryState(),
      database: \LibraryState.db,
      values: build.values,
      policy: policy,
      configuration: configuration,
      with: [.migrations(build.migrations)]
    )
  }

  private func commit(_ number: Int, to store: LibraryStore, _ build: ProgramBuild) {
    store.commit { state in
      CommitTrail.add(number, to: &state.db)
      build.note(number, in: &state)
    }
  }

  @Test
  func `a follower that waits for a migration reports that the history was taken back`()
    async throws
  {
    let first = try await open("first.strata", .first)
    commit(1, to: LibraryStore(first), .first)
    try await first.replicated(through: first.revision)
    await place.keepCopy()
    try await first.close()
    let second = try await open("second.strata", .second)
    commit(2, to: LibraryStore(second), .second)
    try await second.replicated(through: second.revision)
    let build = ProgramBuild.second
    let follower = try await follow(build)
    let copy = LibraryStore(follower)
    var events = follower.events.makeAsyncIterator()
    let before = second.revision
    try await follower.reach(before)
    try await second.close()
    await place.goBack()
    while follower.status != .waitingForMigration("0001_last_as_text") { await Task.yield() }
    #expect(CommitTrail.last(of: copy.state.db) == 2)

    let third = try await open("third.strata", .second)
    while follower.status != .current { await Task.yield() }
    #expect(CommitTrail.last(of: copy.state.db) == 1)
    #expect(build.noted(in: copy.state) == 1)
    try await follower.close()
    var told: [FollowerEvent] = []
    while let event = await events.next() { told.append(event) }
    #expect(told.contains(.rewound(from: before, to: third.revision)), "\(told)")
    try await third.close()
  }

  @Test
  func `what openings have set aside that then did not succeed is reported by the one that does`()
    async throws
  {
    let first = try await open("first.strata", .first)
    let store = LibraryStore(first)
    commit(1, to: store, .first)
    try await first.replicated(through: 1)
    await place.keepCopy()
    for number in 2...3 { commit(number, to: store, .first) }
    try await first.replicated(through: 3)
    try await first.close()
    for (name, number) in [("second.strata", 4), ("third.strata", 5)] {
      await place.goBack()
      let newer = try await open(name, .second)
      commit(number, to: LibraryStore(newer), .second)
      try await newer.replicated(through: newer.revision)
      try await newer.close()
      if number == 5 { break }
      let error = await #expect(throws: PersistenceError.self) {
        try await open("first.strata", .first)
      }
      guard error?.olderBuild != nil else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    let last = try await open("first.strata", .second)
    let report = try #require(last.report.archive)
    #expect(report.setAside != nil)
    #expect(report.earlierSetAside.map(\.revisions) == [2...3])
    #expect("\(report)".components(separatedBy: "was moved to").count == 3)
    try await last.close()
    let again = try await open("first.strata", .second)
    #expect(again.report.archive?.setAside == nil)
    #expect(again.report.archive?.earlierSetAside.isEmpty == true)
    try await again.close()
  }

  @Test
  func `a follower that cannot read what was migrated has no more of it in its file`() async throws
  {
    let build = ProgramBuild.first
    let first = try await open("first.strata", build)
    commit(1, to: LibraryStore(first), build)
    try await first.replicated(through: 1)
    await place.keepCopy()
    try await first.close()
    let path = directory.path("followed.strata")
    let follower = try await follow(build, at: path)
    let copy = LibraryStore(follower)
    try await follower.reach(1)
    let second = try await open("second.strata", .second)
    try await second.replicated(through: second.revision)
    while true {
      if case .failed = follower.status { break }
      await Task.yield()
    }
    try await second.close()
    await place.goBack()
    while follower.status != .current { await Task.yield() }
    #expect(CommitTrail.last(of: copy.state.db) == 1)
    try await follower.close()
    #expect(try Inspector(path: path).info().revision == 1)
  }
}
