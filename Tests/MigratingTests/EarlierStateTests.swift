import Foundation
import ProductSupport
import Strata
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataMigrating
import StrataMigrations
import StrataRecords
import StrataStorage
import TestSupport
import Testing

/// States and versions from before migrations, which the types of the newest build do not read.
struct EarlierStateTests {
  private typealias First = FiveReleases.First
  private typealias Last = FiveReleases.Last

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func openLast(
    _ migrations: [DataMigration]? = FiveReleases.migrations,
    _ restore: RestorePolicy = .strict
  ) async throws -> Persistence<Last.State, Last.Database> {
    try await Persistence.open(
      at: path,
      initialState: Last.State(),
      database: \.db,
      configuration: PersistenceConfiguration(restore: restore),
      with: .opening(migrations: migrations, archive: nil)
    )
  }

  /// Commits of the first release.
  private func write(_ change: (Store<First.State, Never>) -> Void) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: First.State(),
      database: \.db
    )
    change(Store<First.State, Never>(persistence))
    try await persistence.close()
  }

  private func reason(
    _ body: () async throws -> Void
  ) async throws -> PersistenceError.Reason? {
    do {
      try await body()
      return nil
    } catch let error as PersistenceError {
      return error.reason
    }
  }

  @Test(arguments: 0...4)
  func `a state is refused with the first migration after it, and a fork there brings it up`(
    _ count: Int
  ) async throws {
    try await FiveReleases.makeFirst(at: path)
    let migrator = DataMigrator(FiveReleases.migrations, at: path)
    if count > 0 { try await migrator.up(to: count) }
    let between = try await migrator.status().revision
    let persistence = try await openLast()
    let store = Store<Last.State, Never>(persistence)
    let next = FiveReleases.migrations[count].name
    for attempt in [0, 1] {
      let error = await #expect(throws: PersistenceError.self) {
        if attempt == 0 { _ = try await persistence.state(at: .revision(between)) }
        if attempt == 1 { try await persistence.revert(to: .revision(between)) }
      }
      #expect(error?.reason == .beforeMigration(next, between))
      #expect(error?.kind == .refused && error?.remedy == .chooseAnother)
      #expect(error?.description.contains("`strata fork '\(path)' NEW --at \(between)`") == true)
    }
    #expect(store.state.db == FiveReleases.expected())
    let last = persistence.revision
    #expect(try await persistence.state(at: .revision(last)) == FiveReleases.expected())
    try await persistence.close()
    let fork = try await Persistence.fork(
      of: path,
      at: .revision(between),
      to: directory.path("fork.strata"),
      initialState: Last.State(),
      database: \.db,
      with: [.migrations(FiveReleases.migrations)]
    )
    #expect(fork.initialState.db == FiveReleases.expected())
    try await fork.close()
  }

  @Test
  func `a program without the list is refused likewise, for reading too`() async throws {
    try await FiveReleases.makeFirst(at: path)
    try await openLast().close()
    for (list, restore) in [(nil, .strict), ([], .readOnly)] as [([DataMigration]?, RestorePolicy)]
    {
      let persistence = try await openLast(list, restore)
      #expect(
        try await reason { _ = try await persistence.state(at: .revision(1)) }
          == .beforeMigration("0001_add_age", 1)
      )
      try await persistence.close()
    }
  }

  private static let double = DataMigration("0001_double", table: "users") { user in
    user["name"] = user["name"]?.text.map { .string("\($0) twice") }
  }.reversed(table: "users") { user in
    user["name"] = user["name"]?.text.map { .string(String($0.dropLast(" twice".count))) }
  }

  /// Opens the first release with a list.
  private func openFirst(
    _ migrations: [DataMigration]
  ) async throws -> Persistence<First.State, First.Database> {
    try await Persistence.open(
      at: path,
      initialState: First.State(),
      database: \.db,
      with: [.migrations(migrations)]
    )
  }

  @Test
  func `what a migration made that was taken back is refused, and what is before it is read`()
    async throws
  {
    try await FiveReleases.makeFirst(at: path)
    let migrator = DataMigrator([Self.double], at: path)
    let applied = try await migrator.up().after
    try await migrator.down()
    let persistence = try await openFirst([])
    #expect(
      try await reason { _ = try await persistence.state(at: .revision(applied)) }
        == .beforeMigration("0001_double", applied)
    )
    #expect(try await persistence.state(at: .revision(1)) == persistence.initialState.db)
    try await persistence.close()
    // With the same migration in force again, its state is read as it was, and the one between is not.
    let again = try await openFirst([Self.double])
    #expect(try await again.state(at: .revision(applied)).users["u1"]?.name == "User 1 twice")
    #expect(
      try await reason { _ = try await again.state(at: .revision(applied.next)) }
        == .beforeMigration("0001_double", applied.next)
    )
    try await again.close()
  }

  @Test
  func `a migration that was only noted separates nothing`() async throws {
    try await FiveReleases.makeFirst(at: path)
    try await DataMigrator([Self.double], at: path).baseline(at: 1)
    let persistence = try await openFirst([Self.double])
    #expect(try await persistence.state(at: .revision(0)) == First.Database())
    #expect(try await persistence.state(at: .revision(1)).users["u1"]?.name == "User 1")
    try await persistence.close()
  }

  /// The contents of versions, where each is shown as a text.
  private func shown<Entity>(_ versions: [EntityVersion<Entity>]) -> [String] {
    versions.map { version in
      switch version.content {
      case .earlier(let record): "\(version.revision): \(record)"
      case .put: "\(version.revision): as \(Entity.self)"
      case .removed: "\(version.revision): removed"
      case .erased, .notPersisted, .undecodable: "\(version.revision): \(version.content)"
      }
    }
  }

  @Test
  func `a version from before a migration is its record, with the names of its time`()
    async throws
  {
    try await FiveReleases.makeFirst(at: path, users: 2)
    let persistence = try await openLast()
    let memos = try await persistence.history(of: EntityID<Last.Memo>("n1"))
    #expect(
      shown(memos).map { $0.prefix { $0 != "{" } } == [
        "1: notes n1, before 0002_memos: ", "3: memos n1, before 0004_integer_ids: ",
        "5: as Memo",
      ]
    )
    guard case .earlier(let note)? = memos.first?.content else {
      Issue.record("another content: \(memos)")
      return
    }
    #expect(note.fields["text"] != nil && note.fields["body"] == nil)
    #expect(note.id == .string("n1"))
    #expect(
      memos.dropFirst().map(\.name) == ["migration 0002_memos", "migration 0004_integer_ids"]
    )
    let users = try await persistence.history(of: EntityID<Last.User>(1))
    #expect(
      shown(users).map { $0.prefix { $0 != "{" } } == [
        "1: users u1, before 0001_add_age: ", "2: users u1, before 0003_split_address: ",
        "4: users u1, before 0004_integer_ids: ", "5: as User",
      ]
    )
    try await persistence.close()
  }

  @Test
  func `a migration that left an entity alone leaves its versions as they are`() async throws {
    try await FiveReleases.makeFirst(at: path, users: 2)
    let first = DataMigration("0001_first", table: "users") { user in
      if user.id == .string("u1") { user["name"] = .string("another") }
    }
    let persistence = try await openFirst([first])
    let changed = try await persistence.history(of: EntityID<First.User>("u1"))
    #expect(
      shown(changed).map { $0.prefix { $0 != "{" } } == [
        "1: users u1, before 0001_first: ", "2: as User",
      ]
    )
    let other = try await persistence.history(of: EntityID<First.User>("u2"))
    #expect(shown(other) == ["1: as User"])
    #expect(other.map(\.place).allSatisfy { $0?.contains("FiveReleases.swift") == true })
    try await persistence.close()
  }

  @Test
  func `a version that a migration made is earlier once it was taken back`() async throws {
    try await FiveReleases.makeFirst(at: path, users: 1)
    let migrator = DataMigrator([Self.double], at: path)
    try await migrator.up()
    try await migrator.down()
    let persistence = try await openFirst([])
    let versions = try await persistence.history(of: EntityID<First.User>("u1"))
    #expect(
      shown(versions).map { $0.prefix { $0 != "{" } } == [
        "1: as User", "2: users u1, before 0001_double: ", "3: as User",
      ]
    )
    try await persistence.close()
  }
}
