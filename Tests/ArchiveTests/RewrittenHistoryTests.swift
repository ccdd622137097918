import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// An archive that gets the history of a file from which entities were erased.
///
/// The simulator found each of these.
struct RewrittenHistoryTests {
  let directory: TemporaryDirectory
  let memory = MemoryArchive()
  let archive: FaultyArchive

  init() throws {
    directory = try TemporaryDirectory()
    archive = FaultyArchive(memory)
  }

  private func open(
    _ name: String = "app",
    _ initial: LibraryState = LibraryState()
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    let configuration = PersistenceConfiguration(durability: .grouped(maxDelay: .milliseconds(1)))
    var policy = ArchivePolicy(lease: .seconds(60), maxDelay: .zero)
    policy.closingLimit = .milliseconds(10)
    return try await Persistence.open(
      at: directory.path("\(name).strata"),
      initialState: initial,
      database: \.db,
      configuration: configuration,
      with: [.archive(archive, policy: policy)]
    )
  }

  private func follow(
    _ archive: any Archive
  ) async throws -> Follower<LibraryState, LibraryDatabase> {
    var policy = ArchivePolicy()
    policy.pollInterval = .milliseconds(2)
    return try await Persistence.follow(
      archive,
      at: replica,
      initialState: LibraryState(),
      database: \LibraryState.db,
      policy: policy
    )
  }

  private var replica: String { directory.path("replica.strata") }

  /// The follower was closed.
  private func expectNoCopyOfSecret() throws {
    #expect(try Quarantine.all(besideStoreAt: replica).isEmpty)
    #expect(try StoreBytes(replica).files(holding: secret).isEmpty)
    #expect(try Inspector(path: replica).verify().isSound)
  }

  private func add(_ numbers: ClosedRange<Int>, to store: LibraryStore) {
    for number in numbers {
      store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
    }
  }

  /// Adds a book with a secret, and removes it: two commits.
  private func addSecret(to store: LibraryStore) {
    store.commit { $0.db.books.insert(Book(id: 99, title: secret)) }
    store.commit { $0.db.books.remove(99) }
  }

  /// What the archive has.
  private func archived() async throws -> LibraryDatabase {
    let path = directory.path("pulled \(UUID().uuidString).strata")
    _ = try await ArchivePull(from: memory, to: StorePath(path, for: .archiving), on: .system).run()
    let pulled = try Inspector(path: path)
    #expect(try pulled.verify().isSound)
    #expect(try StoreBytes(path).files(holding: secret).isEmpty)
    let last = Revision(try pulled.info().revision)
    return try pulled.database(over: LibraryDatabase(), at: last)
  }

  @Test
  func `a file is kept if the archive goes back while it is replaced`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    add(1...3, to: store)
    try await persistence.replicated(through: 3)
    let former = await memory.contents
    add(4...20, to: store)
    try await persistence.replicated(through: 20)
    try await persistence.close()
    let compared = try #require(try await memory.head()).mark
    let path = try StorePath(directory.path("app.strata"), for: .archiving)
    let before = try StoreBytes(path.file)
    await memory.replace(by: former)
    let pull = ArchivePull(from: memory, to: path, on: .system)
    let refusal = await #expect(throws: PersistenceError.self) {
      try await pull.replace(by: compared)
    }
    guard let error = refusal?.archive, error.reason == .refused else {
      Issue.record("\(refusal.map { "\($0)" } ?? "no error")")
      return
    }
    #expect(try StoreBytes(path.file) == before)
    let mark = try #require(try await memory.head()).mark
    #expect(try await pull.replace(by: mark).revision == 3)
  }

  @Test(arguments: ["app", "other"])
  func `an erasure that was not sent takes no commits of another leader from the archive`(
    _ last: String
  ) async throws {
    let first = try await open()
    let store = LibraryStore(first)
    addSecret(to: store)
    try await first.replicated(through: first.revision)
    try await first.close()
    let second = try await open(last)
    let other = LibraryStore(second)
    add(11...13, to: other)
    _ = try await second.snapshot(named: "end")
    try await second.replicated(through: second.revision)
    while try await memory.snapshots().last?.mark.revision != second.revision {
      await Task.yield()
    }
    try await second.close()
    // Nothing in the archive says who has written its end.
    try await memory.remove(segmentsThrough: second.revision, snapshots: [])

    let alone = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db
    )
    let own = LibraryStore(alone)
    add(21...28, to: own)
    try await alone.erase([Book.ID(99)])
    try await alone.close()
    let path = try StorePath(directory.path("app.strata"), for: .archiving)
    var head = try #require(try await memory.head())
    // As a process sees it that has just led, and compares what it leads.
    head.leader = ArchivePolicy().leader(at: path)
    let relation = try await ArchiveRelation.find(of: path, to: memory, head).relation
    #expect(relation == (last == "app" ? .restarts : .diverged(after: nil)))
  }

  @Test
  func `a pull begins again if what it began with is removed`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    addSecret(to: store)
    add(1...3, to: store)
    try await persistence.replicated(through: persistence.revision)
    let former = await memory.contents
    try await persistence.erase([Book.ID(99)])
    try await persistence.replicated(through: persistence.revision)
    let (later, end) = (await memory.contents, try await memory.head()?.mark.revision)
    await memory.replace(by: former)

    let (calls, call) = AsyncStream.makeStream(of: Void.self)
    archive.fail {
      if $0 != "segments" { return nil }
      call.yield()
      return .paused
    }
    let path = directory.path("pulled.strata")
    let pull = ArchivePull(
      from: archive,
      to: try StorePath(path, for: .archiving),
      on: .system
    )
    async let position = pull.run()
    for await _ in calls { break }
    await memory.replace(by: later)
    archive.work()
    #expect(try await position.revision == end)
    #expect(try Inspector(path: path).verify().isSound)
    #expect(try StoreBytes(path).files(holding: secret).isEmpty)
    try await persistence.close()
  }

  @Test
  func `an archive that starts again has all that it had confirmed`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    addSecret(to: store)
    add(1...20, to: store)
    try await persistence.replicated(through: persistence.revision)
    // Nothing arrives after the restart, as from a machine that is lost.
    let hasRestarted = Lock(false)
    let (lost, loss) = AsyncStream.makeStream(of: Void.self)
    archive.fail { call in
      hasRestarted.withLock { hasRestarted in
        if hasRestarted {
          loss.yield()
          return .lost
        }
        hasRestarted = call == "restart"
        return nil
      }
    }
    try await persistence.erase([Book.ID(99)])
    for await _ in lost { break }
    try await persistence.close()
    #expect(try await archived() == store.state.db)
    #expect(try await memory.gaps() == [])
    // The history is there too, and not only its end.
    #expect(try await memory.segments(after: 0, bytes: .max).first?.start.revision == 0)
  }

  @Test
  func `an erasure while the archive is to start again for another one does not stop it`()
    async throws
  {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    add(1...4, to: store)
    for book in [1, 2] as [Book.ID] { store.commit { $0.db.books.remove(book) } }
    try await persistence.replicated(through: 6)
    let (lost, loss) = AsyncStream.makeStream(of: Void.self)
    archive.fail { call in
      if call == "restart" { loss.yield() }
      return call == "restart" ? .lost : nil
    }
    try await persistence.erase([Book.ID(1)])
    for await _ in lost { break }
    // The file is in a later lineage now than the one that was compared.
    try await persistence.erase([Book.ID(2)])
    archive.work()
    // Without an end, a leader that makes the same call for ever would keep this waiting.
    try await persistence.replicated(through: persistence.revision, within: .seconds(600))
    #expect(try await archived() == store.state.db)
    try await persistence.close()
  }

  @Test
  func `what is erased before it was sent leaves an archive that can be pulled`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    add(1...3, to: store)
    try await persistence.replicated(through: 3)
    archive.fail { $0 == "append" ? .lost : nil }
    addSecret(to: store)
    try await persistence.erase([Book.ID(99)])
    add(4...6, to: store)
    archive.work()
    try await persistence.replicated(through: persistence.revision)
    #expect(try await archived() == store.state.db)
    try await persistence.close()
  }

  @Test
  func `a leader that the archive has forgotten while it took over leads again`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    addSecret(to: store)
    try await persistence.replicated(through: 2)
    let before = await memory.contents
    let (lost, loss) = AsyncStream.makeStream(of: Void.self)
    archive.fail { call in
      guard call == "restart" else { return nil }
      loss.yield()
      return .lost
    }
    try await persistence.erase([Book.ID(99)])
    for await _ in lost { break }
    await memory.replace(by: before)
    archive.work()
    try await persistence.replicated(through: 2)
    #expect(try await archived() == store.state.db)
    try await persistence.close()
  }

  @Test
  func `a file with erasures that another leader has overtaken was not taken back`() async throws {
    let first = try await open()
    add(1...3, to: LibraryStore(first))
    try await first.replicated(through: 3)
    try await first.close()
    let second = try await open("other")
    add(4...20, to: LibraryStore(second))
    try await second.replicated(through: 20)
    try await second.close()
    // Each erasure starts a lineage.
    let alone = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db
    )
    addSecret(to: LibraryStore(alone))
    for _ in 1...3 { try await alone.erase([Book.ID(99)]) }
    try await alone.close()
    let error = await #expect(throws: PersistenceError.self) { try await open() }
    guard let refusal = error?.archive else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(refusal.reason == .lacksErasures(1))
  }

  @Test
  func `a follower that runs has no copy of what was erased`() async throws {
    let leader = try await open()
    let store = LibraryStore(leader)
    addSecret(to: store)
    add(1...5, to: store)
    try await leader.replicated(through: leader.revision)
    let follower = try await follow(memory)
    let copy = LibraryStore(follower)
    var heard = follower.events.makeAsyncIterator()
    try await follower.reach(leader.revision)
    try await leader.erase([Book.ID(99)])
    while let event = await heard.next() {
      if case .setAside(let set) = event { Issue.record("\(set)") }
      if case .rewound = event { break }
    }
    add(6...6, to: store)
    try await leader.replicated(through: leader.revision)
    try await follower.reach(leader.revision)
    #expect(copy.state.db == store.state.db)
    try await follower.close()
    try expectNoCopyOfSecret()
    try await leader.close()
  }

  /// A call of a follower's opening: how often calls of the name came before.
  struct Call: Sendable, CustomTestStringConvertible {
    let name: String
    let earlier: Int

    var testDescription: String { "\(name) after \(earlier) others" }
  }

  @Test(arguments: [
    Call(name: "segments", earlier: 0), Call(name: "segments", earlier: 1),
    Call(name: "catalog", earlier: 0), Call(name: "catalog", earlier: 1),
  ])
  func `an opening while the archive starts again leaves no copy of what was erased`(
    call: Call
  ) async throws {
    let leader = try await open()
    let store = LibraryStore(leader)
    addSecret(to: store)
    add(1...3, to: store)
    try await leader.replicated(through: leader.revision)
    try await follow(memory).close()
    add(4...6, to: store)
    try await leader.replicated(through: leader.revision)
    let link = FaultyArchive(memory)
    let (looks, look) = AsyncStream.makeStream(of: Void.self)
    let (earlier, isPaused) = (Lock(call.earlier), Lock(true))
    link.fail { name in
      guard name == call.name, isPaused.withLock({ $0 }) else { return nil }
      let isDue = earlier.withLock { earlier in
        earlier -= 1
        return earlier < 0
      }
      if isDue { look.yield() }
      return isDue ? .paused : nil
    }
    async let opening = follow(link)
    for await _ in looks { break }
    try await leader.erase([Book.ID(99)])
    add(7...8, to: store)
    try await leader.replicated(through: leader.revision)
    isPaused.withLock { $0 = false }
    let follower = try await opening
    #expect(follower.report.archive?.setAside == nil)
    let copy = LibraryStore(follower)
    try await follower.reach(leader.revision)
    #expect(copy.state.db == store.state.db)
    try await follower.close()
    try expectNoCopyOfSecret()
    try await leader.close()
  }

  @Test
  func `a follower's file that only has what was erased in snapshots gets others`() async throws {
    var initial = LibraryState()
    initial.db.books.insert(Book(id: 99, title: secret))
    let leader = try await open("app", initial)
    let store = LibraryStore(leader)
    add(1...2, to: store)
    try await leader.replicated(through: leader.revision)
    let chain = try await memory.head()?.mark
    try await follow(memory).close()
    try await leader.close()
    let entity = ErasedEntities([.init(table: "books", meantBy: "99")])
    _ = try StoreErasure.run(at: directory.path("app.strata"), entity, .refuse)
    let again = try await open()
    try await again.replicated(through: again.revision)
    #expect(try await memory.head()?.mark == chain)
    let follower = try await follow(memory)
    #expect(follower.initialState.db == again.initialState.db)
    try await follower.close()
    try expectNoCopyOfSecret()
    try await again.close()
  }

  @Test
  func `a file that is compared while its archive goes back is named with what it alone has`()
    async throws
  {
    let leader = try await open()
    let store = LibraryStore(leader)
    add(1...3, to: store)
    try await leader.replicated(through: 3)
    let backup = await memory.contents
    add(4...5, to: store)
    try await leader.replicated(through: 5)
    try await follow(memory).close()
    add(6...8, to: store)
    try await leader.replicated(through: 8)
    try await leader.close()
    let link = FaultyArchive(memory)
    let (looks, look) = AsyncStream.makeStream(of: Void.self)
    let isPaused = Lock(true)
    link.fail { name in
      guard name == "segments", isPaused.withLock({ $0 }) else { return nil }
      look.yield()
      return .paused
    }
    async let opening = follow(link)
    for await _ in looks { break }
    await memory.replace(by: backup)
    isPaused.withLock { $0 = false }
    let follower = try await opening
    #expect(follower.report.archive?.setAside?.revisions == 4...5)
    #expect(follower.initialState.db.books.count == 3)
    try await follower.close()
  }
}
