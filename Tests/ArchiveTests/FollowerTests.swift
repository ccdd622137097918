import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataMigrations
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Stores that follow another one.
struct FollowerTests {
  let directory: TemporaryDirectory
  let path: String
  let archive: FaultyArchive

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    archive = FaultyArchive(FolderArchive(directory.path("archive")))
  }

  private var configuration: PersistenceConfiguration {
    let configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .milliseconds(1))
    )
    return configuration
  }

  private var policy: ArchivePolicy {
    var policy = ArchivePolicy(lease: .milliseconds(300), maxDelay: .zero)
    policy.pollInterval = .milliseconds(5)
    policy.closingLimit = .seconds(600)
    return policy
  }

  private func open(
    _ path: String? = nil,
    leader: String? = nil,
    lease: Duration = .milliseconds(300),
    in place: (any Archive)? = nil
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var policy = policy
    policy.leader = leader
    policy.lease = lease
    return try await Persistence.open(
      at: path ?? self.path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration,
      with: [.archive(place ?? archive, policy: policy)]
    )
  }

  private func follow(
    at path: String? = nil,
    in place: (any Archive)? = nil,
    on disk: FaultVFS? = nil
  ) async throws -> Follower<LibraryState, LibraryDatabase> {
    var configuration = configuration
    configuration.vfs = disk?.name
    configuration.watch = disk?.watch
    return try await Persistence.follow(
      place ?? archive,
      at: path,
      initialState: LibraryState(),
      database: \.db,
      policy: policy,
      configuration: configuration
    )
  }

  private func add(_ numbers: ClosedRange<Int>, to store: LibraryStore) {
    for number in numbers {
      store.commit("add \(number)") {
        $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)"))
      }
    }
  }

  @Test
  func `each commit of the leader becomes one of the follower, with name, place and time`()
    async throws
  {
    let leader = try await open()
    let store = LibraryStore(leader)
    add(1...3, to: store)
    try await leader.replicated(through: 3)
    let follower = try await follow()
    let copy = LibraryStore(follower)
    #expect(copy.state.db == store.state.db)
    let seen = Recorder<CommitTrace>()
    let subscription = copy.sinkState(queue: .passthrough) { changes in
      for trace in changes.traces { seen.record(trace) }
    }
    add(4...20, to: store)
    store.commit("remove", context: CommitContext(user: "ada")) { $0.db.books.remove(4) }
    try await leader.replicated(through: 21)
    try await follower.reach(21)
    #expect(copy.state.db == store.state.db)
    #expect(follower.revision == 21)
    var deltas: [Delta] = []
    for try await delta in leader.deltas(from: 4) { deltas.append(delta) }
    let traces = seen.elements.filter { $0.time != nil }
    #expect(traces.map(\.name) == deltas.map(\.name))
    #expect(traces.map(\.place) == deltas.map(\.place))
    #expect(traces.map(\.time) == deltas.map(\.time))
    #expect(traces.last?.context?.user == "ada")
    withExtendedLifetime(subscription) {}
    try await follower.close()
    try await leader.close()
  }

  @Test
  func `commits of a follower are refused`() async throws {
    let leader = try await open()
    let store = LibraryStore(leader)
    add(1...3, to: store)
    try await leader.replicated(through: 3)
    let follower = try await follow()
    let copy = LibraryStore(follower)
    let error = #expect(throws: PersistenceError.self) {
      try copy.commit { state throws in state.db.books.insert(Book(id: 99)) }
    }
    #expect(error.map { if case .following? = $0.archive?.reason { true } else { false } } == true)
    await #expect(throws: PersistenceError.self) {
      try await copy.commitDurably { state in state.db.books.insert(Book(id: 99)) }
    }
    #expect(copy.state.db == store.state.db)
    try await follower.close()
    try await leader.close()
  }

  @Test
  func `a follower with a file continues where it ended`() async throws {
    let leader = try await open()
    let store = LibraryStore(leader)
    add(1...10, to: store)
    try await leader.replicated(through: 10)
    let file = directory.path("replica.strata")
    let first = try await follow(at: file)
    let one = LibraryStore(first)
    add(11...15, to: store)
    try await leader.replicated(through: 15)
    try await first.reach(15)
    #expect(one.state.db == store.state.db)
    try await first.close()
    #expect(try Inspector(path: file).verify().isSound)
    add(16...18, to: store)
    try await leader.replicated(through: 18)
    let second = try await follow(at: file)
    #expect(second.report.archive?.pulled == 16...18)
    #expect(LibraryStore(second).state.db == store.state.db)
    try await second.close()
    try await leader.close()
  }

  @Test
  func `a follower whose disk fails has a whole file once the disk is there again`() async throws {
    let leader = try await open()
    let store = LibraryStore(leader)
    add(1...10, to: store)
    try await leader.replicated(through: 10)
    let file = directory.path("replica.strata")
    let disk = try FaultVFS(name: "follower-\(UUID().uuidString)")
    let follower = try await follow(at: file, on: disk)
    let copy = LibraryStore(follower)
    var events = follower.events.makeAsyncIterator()
    try await follower.reach(10)
    disk.failNext(.write, code: .full, times: .sticky)
    add(11...15, to: store)
    try await leader.replicated(through: 15)
    var told: [FollowerEvent] = []
    while let event = await events.next() {
      told.append(event)
      if case .failed = event { break }
    }
    add(16...18, to: store)
    try await leader.replicated(through: 18)
    let looks = Lock(0)
    archive.fail { call in
      if call == "segments" { looks.withLock { $0 += 1 } }
      return nil
    }
    while looks.withLock({ $0 }) < 5 { await Task.yield() }
    // Nothing is in the store that the file lacks.
    #expect(copy.state.db.books.count == 10)
    guard case .failed = follower.status else {
      Issue.record("\(follower.status)")
      return
    }
    disk.heal()
    try await follower.reach(18)
    #expect(copy.state.db == store.state.db)
    try await follower.close()
    while let event = await events.next() { told.append(event) }
    #expect(told.filter { if case .failed = $0 { true } else { false } }.count == 1, "\(told)")
    #expect(told.filter { $0 == .back }.count == 1, "\(told)")
    #expect(try Inspector(path: file).verify().isSound)
    let next = try await follow(at: file)
    #expect(next.report.archive?.pulled == nil)
    #expect(LibraryStore(next).state.db == store.state.db)
    try await next.close()
    try await leader.close()
  }

  @Test
  func `reach ends when the time is over`() async throws {
    let leader = try await open()
    add(1...2, to: LibraryStore(leader))
    try await leader.replicated(through: 2)
    let follower = try await follow()
    let copy = LibraryStore(follower)
    let error = await #expect(throws: PersistenceError.self) {
      try await follower.reach(3, within: .milliseconds(20))
    }
    #expect(error?.reason == .notReached(3, last: 2))
    #expect(copy.state.db.books.count == 2)
    try await follower.close()
    await #expect(throws: PersistenceError.self) { try await follower.reach(3) }
    try await leader.close()
  }

  @Test
  func `a follower goes on when the archive is there again`() async throws {
    let leader = try await open()
    let store = LibraryStore(leader)
    add(1...2, to: store)
    try await leader.replicated(through: 2)
    let follower = try await follow()
    let copy = LibraryStore(follower)
    var events = follower.events.makeAsyncIterator()
    archive.fail { $0 == "head" || $0 == "segments" ? .lost : nil }
    while let event = await events.next() { if case .away = event { break } }
    guard case .away = follower.status else {
      Issue.record("\(follower.status)")
      return
    }
    archive.work()
    add(3...9, to: store)
    try await follower.reach(9)
    #expect(copy.state.db == store.state.db)
    try await follower.close()
    try await leader.close()
  }

  @Test
  func `a follower that leads takes commits, and nothing replicated is lost`() async throws {
    let leader = try await open(leader: "one", lease: .seconds(5))
    let store = LibraryStore(leader)
    add(1...10, to: store)
    try await leader.replicated(through: 10)
    let follower = try await follow(at: directory.path("replica.strata"))
    let copy = LibraryStore(follower)
    // The leader works: it cannot be replaced, and the follower goes on.
    await #expect(throws: PersistenceError.self) { try await follower.lead() }
    add(11...12, to: store)
    try await leader.replicated(through: 12)
    try await follower.reach(12)
    try await leader.close()
    let persistence = try await follower.lead()
    #expect(follower.status == .leading)
    add(13...15, to: copy)
    try await copy.commitDurably(until: .replicated) { $0.db.books.remove(1) }
    #expect(try await archive.head()?.mark.revision == persistence.revision)
    try await persistence.close()
    // The first machine follows now.
    let former = try await follow(at: path)
    #expect(LibraryStore(former).state.db == copy.state.db)
    try await former.close()
  }

  @Test
  func `a history that was taken back is followed, and said`() async throws {
    let leader = try await open(leader: "one")
    let store = LibraryStore(leader)
    add(1...10, to: store)
    try await leader.replicated(through: 10)
    let follower = try await follow()
    let copy = LibraryStore(follower)
    var events = follower.events.makeAsyncIterator()
    // Entities are erased: the archive begins again.
    store.commit("forget") { $0.db.books.remove(1) }
    try await leader.erase([Book.ID(1)])
    add(20...22, to: store)
    try await leader.replicated(through: leader.revision)
    while let event = await events.next() { if case .rewound = event { break } }
    try await follower.reach(leader.revision)
    #expect(copy.state.db == store.state.db)
    try await follower.close()
    try await leader.close()
  }

  @Test
  func `a history that the archive has lost is not current, and is taken back`() async throws {
    let memory = MemoryArchive()
    let first = try await open(leader: "one", in: memory)
    let store = LibraryStore(first)
    add(1...10, to: store)
    try await first.replicated(through: 10)
    let before = await memory.contents
    add(11...38, to: store)
    try await first.replicated(through: 38)
    let follower = try await follow(at: directory.path("replica.strata"), in: memory)
    let copy = LibraryStore(follower)
    var events = follower.events.makeAsyncIterator()
    try await follower.reach(38)
    // The first machine is lost, and the archive restored from an old backup.
    try await first.close()
    await memory.replace(by: before)
    let second = try await open(directory.path("second.strata"), leader: "two", in: memory)
    let other = LibraryStore(second)
    add(101...105, to: other)
    try await second.replicated(through: 15)
    var heard: [FollowerEvent] = []
    while let event = await events.next() {
      heard.append(event)
      if case .rewound = event { break }
    }
    let setAside = heard.compactMap {
      if case .setAside(let setAside) = $0 { setAside } else { nil }
    }
    #expect(setAside.map(\.revisions) == [11...38])
    try await follower.reach(15)
    #expect(copy.state.db == other.state.db)
    try await follower.close()
    try await second.close()
  }

  @Test
  func `a follower that nobody listens to loses no event that must be heard`() async throws {
    let events = EventBroadcaster<FollowerEvent>()
    let stream = events.stream()
    events.send(.rewound(from: 9, to: 3))
    for number in 1...5_000 {
      events.send(.applied(through: Revision(Int64(number))))
      if number % 1_000 == 0 {
        events.send(.away("\(number)"))
        events.send(.back)
      }
    }
    events.send(.rewound(from: 5_000, to: 7))
    events.finish()
    var heard: [FollowerEvent] = []
    for await event in stream { heard.append(event) }
    #expect(
      heard == [.applied(through: 5_000), .away("5000"), .back, .rewound(from: 9, to: 7)]
    )
  }

  @Test
  func `a store that this build cannot read has failed, and is not away`() async throws {
    let leader = try await open()
    let store = LibraryStore(leader)
    add(1...2, to: store)
    try await leader.replicated(through: 2)
    let follower = try await Persistence.follow(
      archive,
      initialState: OlderState(),
      database: \.db,
      policy: policy,
      configuration: configuration
    )
    let copy = Store<OlderState, Never>(follower)
    var events = follower.events.makeAsyncIterator()
    try await follower.reach(2)
    let looks = Lock(0)
    archive.fail { call in
      if call == "segments" { looks.withLock { $0 += 1 } }
      return nil
    }
    // An older build knows no halves.
    store.commit { $0.db.books.insert(Book(id: 1, title: "Volume 1", rating: 3.5)) }
    try await leader.replicated(through: 3)
    while looks.withLock({ $0 }) < 5 { await Task.yield() }
    guard case .failed(let detail) = follower.status else {
      Issue.record("\(follower.status)")
      return
    }
    #expect(detail.contains("books"), "\(detail)")
    #expect(copy.state.db.books.count == 2)
    try await follower.close()
    var told: [FollowerEvent] = []
    while let event = await events.next() {
      if event != .applied(through: 2) { told.append(event) }
    }
    // Once, however often it looked.
    #expect(told == [.failed(detail)])
    try await leader.close()
  }

  /// A store of the first of five releases that leads, with a note.
  private func leadFirstRelease() async throws -> (
    Persistence<FiveReleases.First.State, FiveReleases.First.Database>,
    Store<FiveReleases.First.State, Never>
  ) {
    try await FiveReleases.makeFirst(at: path)
    let leader = try await Persistence.open(
      at: path,
      initialState: FiveReleases.First.State(),
      database: \.db,
      configuration: configuration,
      with: [.archive(archive, policy: policy)]
    )
    return (leader, Store<FiveReleases.First.State, Never>(leader))
  }

  private func followAsLastRelease(
    _ initial: FiveReleases.Last.State = FiveReleases.Last.State()
  ) async throws -> Follower<FiveReleases.Last.State, FiveReleases.Last.Database> {
    var policy = policy
    policy.leader = "the next"
    return try await Persistence.follow(
      archive,
      at: directory.path("next.strata"),
      initialState: initial,
      database: \.db,
      policy: policy,
      configuration: configuration,
      with: [.migrations(FiveReleases.migrations)]
    )
  }

  @Test
  func `a follower of a newer build waits until the leader has migrated, and goes on`() async throws
  {
    let (leader, store) = try await leadFirstRelease()
    try await leader.replicated(through: leader.revision)
    let follower = try await followAsLastRelease()
    let copy = Store<FiveReleases.Last.State, Never>(follower)
    var events = follower.events.makeAsyncIterator()
    #expect(follower.status == .waitingForMigration("0001_add_age"))
    #expect(follower.report.outcome == .waitingForMigration)
    #expect(follower.revision == 0)
    // The older build goes on meanwhile.
    store.commit { $0.db.users.insert(FiveReleases.First.User(id: "u9", name: "User 9")) }
    try await leader.replicated(through: leader.revision)
    while try !ended(leader.revision, at: "next.strata") { await Task.yield() }
    #expect(follower.status == .waitingForMigration("0001_add_age"))
    #expect(copy.state.db.users.isEmpty)
    try await leader.close()
    // The leader is replaced by the newer build.
    let next = try await Persistence.open(
      at: path,
      initialState: FiveReleases.Last.State(),
      database: \.db,
      configuration: configuration,
      with: [.migrations(FiveReleases.migrations), .archive(archive, policy: policy)]
    )
    try await next.replicated(through: next.revision)
    try await follower.reach(next.revision)
    #expect(await events.next() == .applied(through: next.revision))
    #expect(copy.state.db.users.count == 6)
    #expect(copy.state.db.memos.count == 5)
    #expect(copy.state.db.addresses == FiveReleases.expected().addresses)
    while follower.status != .current { await Task.yield() }
    let further = Store<FiveReleases.Last.State, Never>(next)
    further.commit { $0.db.users.remove(9) }
    try await next.replicated(through: next.revision)
    try await follower.reach(next.revision)
    #expect(copy.state.db == FiveReleases.expected())
    try await follower.close()
    try await next.close()
  }

  @Test
  func `a waiting follower may lead, and migrates then`() async throws {
    let (leader, _) = try await leadFirstRelease()
    try await leader.replicated(through: leader.revision)
    let follower = try await followAsLastRelease()
    let copy = Store<FiveReleases.Last.State, Never>(follower)
    try await leader.close()
    let persistence = try await follower.lead()
    #expect(copy.state.db == FiveReleases.expected())
    #expect(follower.status == .leading)
    try await persistence.close()
  }

  /// Whether a follower's file has a revision.
  private func ended(_ revision: Revision, at name: String) throws -> Bool {
    try Inspector(path: directory.path(name)).info().revision >= revision.number
  }

  @Test
  func `a follower is current once the archive has said so`() async throws {
    let leader = try await open()
    add(1...2, to: LibraryStore(leader))
    try await leader.replicated(through: 2)
    let follower = try await follow()
    await archive.pause()
    #expect(follower.status == .behind)
    let copy = LibraryStore(follower)
    let contact = try #require(follower.lastContact)
    archive.resume()
    while follower.status != .current { await Task.yield() }
    #expect(try #require(follower.lastContact) >= contact)
    #expect(copy.state.db.books.count == 2)
    try await follower.close()
    #expect(follower.status == .closed)
    try await leader.close()
  }

  @Test
  func `a follower is closed while its archive does not answer`() async throws {
    let leader = try await open()
    add(1...2, to: LibraryStore(leader))
    try await leader.replicated(through: 2)
    let follower = try await follow(at: directory.path("replica.strata"))
    let copy = LibraryStore(follower)
    try await follower.reach(2)
    await archive.pause()
    // It asks the archive, and gets no answer before it is closed.
    try await follower.close()
    archive.resume()
    #expect(copy.state.db.books.count == 2)
    #expect(try Inspector(path: directory.path("replica.strata")).verify().isSound)
    try await leader.close()
  }

  @Test
  func `what waits for a revision waits on while the follower begins to lead`() async throws {
    let leader = try await open(leader: "one")
    add(1...10, to: LibraryStore(leader))
    try await leader.replicated(through: 10)
    let follower = try await follow(at: directory.path("replica.strata"))
    let copy = LibraryStore(follower)
    try await follower.reach(10)
    try await leader.close()
    async let reached: Void = follower.reach(12)
    let persistence = try await follower.lead()
    add(11...12, to: copy)
    try await reached
    #expect(follower.revision == 12)
    try await follower.reach(12)
    try await persistence.close()
    await #expect(throws: PersistenceError.self) { try await follower.reach(13) }
  }

  @Test
  func `a second store follows the file of the first`() async throws {
    let writer = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    let store = LibraryStore(writer)
    add(1...10, to: store)
    try await writer.flush()
    let follower = try await Persistence.follow(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    let copy = LibraryStore(follower)
    #expect(copy.state.db == store.state.db)
    add(11...300, to: store)
    try await writer.flush()
    try await follower.reach(300)
    #expect(copy.state.db == store.state.db)
    try await writer.close()
    let again = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    let other = LibraryStore(again)
    add(301...302, to: other)
    try await again.flush()
    try await follower.reach(302)
    #expect(copy.state.db == other.state.db)
    try await follower.close()
    try await again.close()
  }

  @Test
  func `random commits arrive as they are`() async throws {
    let leader = try await open()
    let store = LibraryStore(leader)
    let follower = try await followOnceThere(leader, store)
    let copy = LibraryStore(follower)
    let script = LibraryScript(seed: randomSeed())
    for number in 1...200 {
      store.commit { script.commit(Int64(number), to: &$0.db) }
    }
    try await leader.replicated(through: leader.revision)
    try await follower.reach(leader.revision)
    #expect(copy.state.db == store.state.db, "seed \(script.seed)")
    try await follower.close()
    try await leader.close()
  }

  private func followOnceThere(
    _ leader: Persistence<LibraryState, LibraryDatabase>,
    _ store: LibraryStore
  ) async throws -> Follower<LibraryState, LibraryDatabase> {
    add(1000...1000, to: store)
    try await leader.replicated(through: leader.revision)
    return try await follow()
  }
}

/// A release whose books are rated by whole stars.
private struct OlderBook: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "books"

  let id: EntityID<OlderBook>
  var title: String
  var rating: Int?
}

private struct OlderDatabase: DatabaseType {
  var books = EntityTable<OlderBook>()
  static let schema = DatabaseSchema<OlderDatabase> { Entities(\.books) }
}

private struct OlderState: StateType {
  var db = OlderDatabase()
}
