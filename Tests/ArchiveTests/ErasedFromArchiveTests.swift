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

/// Archives that went back to before an erasure, as a backup of their server does.
struct ErasedFromArchiveTests {
  private static let secret = "the secret of volume one"

  let directory: TemporaryDirectory
  let memory = MemoryArchive()

  init() throws { directory = try TemporaryDirectory() }

  private func path(_ name: String) -> String { directory.path("\(name).strata") }

  private func configuration(_ leader: String) -> PersistenceConfiguration {
    let configuration = PersistenceConfiguration(durability: .grouped(maxDelay: .milliseconds(1)))
    return configuration
  }

  private func policy(_ leader: String) -> ArchivePolicy {
    var policy = ArchivePolicy(
      leader: leader,
      lease: .milliseconds(100),
      maxDelay: .zero
    )
    policy.pollInterval = .milliseconds(2)
    policy.closingLimit = .seconds(600)
    return policy
  }

  private func open(
    _ name: String = "first",
    initial: LibraryState = LibraryState()
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path(name),
      initialState: initial,
      database: \.db,
      configuration: configuration(name),
      with: [.archive(memory, policy: policy(name))]
    )
  }

  private func follow(
    _ archive: (any Archive)? = nil
  ) async throws -> Follower<LibraryState, LibraryDatabase> {
    try await Persistence.follow(
      archive ?? memory,
      at: path("replica"),
      initialState: LibraryState(),
      database: \LibraryState.db,
      policy: policy("replica"),
      configuration: configuration("replica")
    )
  }

  private func add(_ numbers: ClosedRange<Int>, to store: LibraryStore) {
    for number in numbers {
      let title = number == 1 ? Self.secret : "Volume \(number)"
      store.commit("add \(number)") {
        $0.db.books.insert(Book(id: EntityID(number), title: title))
      }
    }
  }

  /// Five commits, then a backup of the archive, then the erasure of the first entity; returns the backup.
  private func erase(
    _ leader: Persistence<LibraryState, LibraryDatabase>,
    _ store: LibraryStore,
    before: () async throws -> Void = {}
  ) async throws -> MemoryArchive.Contents {
    add(1...5, to: store)
    try await leader.replicated(through: 5)
    try await before()
    let backup = await memory.contents
    #expect(try await archiveHasSecret())
    store.commit("forget") { $0.db.books.remove(1) }
    try await leader.erase([Book.ID(1)])
    add(6...6, to: store)
    try await leader.replicated(through: 7)
    #expect(try await !archiveHasSecret())
    return backup
  }

  /// Whether the archive has the text, in a delta or in a chunk.
  private func archiveHasSecret() async throws -> Bool {
    let text = Data(Self.secret.utf8)
    let segments = try await memory.segments(after: 0, bytes: .max)
    if segments.contains(where: { Data($0.body).range(of: text) != nil }) { return true }
    for snapshot in try await memory.snapshots() {
      let list = try await memory.list(of: snapshot.mark.revision)
      let chunks = try await memory.chunks(Array(list.chunks.values))
      if chunks.contains(where: { Data($0.body).range(of: text) != nil }) { return true }
    }
    return false
  }

  private func books(_ store: LibraryStore) -> [Int] {
    store.state.db.books.map(\.id.raw).sorted()
  }

  @Test
  func `a leader that opens its file erases again from an archive that went back`() async throws {
    let first = try await open()
    let backup = try await erase(first, LibraryStore(first))
    try await first.close()
    await memory.replace(by: backup)
    let again = try await open()
    #expect(again.report.archive?.setAside == nil)
    let store = LibraryStore(again)
    #expect(books(store) == Array(2...6))
    add(7...7, to: store)
    try await again.replicated(through: 8)
    #expect(try await !archiveHasSecret())
    try await again.close()
    let next = try await open()
    #expect(next.report.archive?.setAside == nil)
    #expect(books(LibraryStore(next)) == Array(2...7))
    try await next.close()
  }

  @Test
  func `a leader that runs erases again from an archive that goes back under it`() async throws {
    let leader = try await open()
    let store = LibraryStore(leader)
    let backup = try await erase(leader, store)
    await memory.replace(by: backup)
    add(7...7, to: store)
    try await leader.replicated(through: 8)
    #expect(try await !archiveHasSecret())
    #expect(try await memory.head()?.mark.revision == 8)
    #expect(books(store) == Array(2...7))
    try await leader.close()
  }

  @Test
  func `an entity that only snapshots have leaves the archive too`() async throws {
    try await eraseFromSnapshots(.before) {}
  }

  /// Where the file of another machine ends, compared with the archive.
  enum End: CaseIterable {
    case before, same, after
  }

  /// Three books of which the first leaves the store of the leader, and the archive; no delta has it.
  private func eraseFromSnapshots(_ end: End, after prepare: () async throws -> Void) async throws {
    var initial = LibraryState()
    initial.db.books.insert(Book(id: 1, title: Self.secret))
    let leader = try await open(initial: initial)
    let store = LibraryStore(leader)
    add(2...3, to: store)
    try await leader.replicated(through: 2)
    try await leader.close()
    #expect(try await archiveHasSecret())
    try await prepare()
    let chain = try Inspector(path: path("first")).query { $0.position.chain }
    let entity = ErasedEntities([.init(table: "books", meantBy: "1")])
    _ = try StoreErasure.run(at: path("first"), entity, .refuse)
    #expect(try Inspector(path: path("first")).query { $0.position.chain } == chain)
    let again = try await open()
    let later = LibraryStore(again)
    #expect(books(later) == [2, 3])
    if end == .before { add(4...4, to: later) }
    try await again.replicated(through: again.revision)
    try await again.close()
    #expect(try await !archiveHasSecret())
  }

  @Test(arguments: End.allCases)
  func `a file from before an erasure of what only snapshots have does not bring it back`(
    _ end: End
  ) async throws {
    try await eraseFromSnapshots(end) {
      try await open("second").close()
      if end != .after { return }
      let alone = try await Persistence.open(
        at: path("second"),
        initialState: LibraryState(),
        database: \LibraryState.db
      )
      let store = LibraryStore(alone)
      add(21...22, to: store)
      try await alone.close()
    }
    let second = try await open("second")
    let store = LibraryStore(second)
    #expect(books(store) == (end == .before ? [2, 3, 4] : [2, 3]))
    let lost = second.report.archive?.setAside?.revisions
    #expect(lost == (end == .after ? 3...4 : nil))
    add(5...5, to: store)
    _ = try await second.snapshot(named: "all")
    try await second.replicated(through: second.revision)
    #expect(try await !archiveHasSecret())
    try await second.close()
    // Moved aside, it has what it had.
    if end == .after { return }
    #expect(try StoreBytes(path("second")).files(holding: Self.secret).isEmpty)
  }

  @Test(arguments: [false, true])
  func `a running follower lets go of what was erased from snapshots`(_ ofFile: Bool) async throws {
    var following: Follower<LibraryState, LibraryDatabase>?
    var events: AsyncStream<FollowerEvent>?
    var copy: LibraryStore?
    try await eraseFromSnapshots(.same) {
      let follower =
        ofFile
        ? try await Persistence.follow(
          at: path("first"),
          initialState: LibraryState(),
          database: \LibraryState.db
        ) : try await follow()
      (following, events, copy) = (follower, follower.events, LibraryStore(follower))
      #expect(copy.map(books) == [1, 2, 3])
    }
    let follower = try #require(following)
    for await event in try #require(events) { if case .rewound = event { break } }
    #expect(copy.map(books) == [2, 3])
    #expect(follower.revision == 2)
    try await follower.close()
    if !ofFile { #expect(try StoreBytes(path("replica")).files(holding: Self.secret).isEmpty) }
  }

  @Test
  func `a follower does not take an erased entity back, and goes on when a leader erases again`()
    async throws
  {
    let first = try await open()
    let store = LibraryStore(first)
    let archive = FaultyArchive(memory)
    let following = Lock<Follower<LibraryState, LibraryDatabase>?>(nil)
    let backup = try await erase(first, store) {
      let follower = try await follow(archive)
      following.withLock { $0 = follower }
    }
    let follower = try #require(following.withLock { $0 })
    var heard = follower.events.makeAsyncIterator()
    let copy = LibraryStore(follower)
    while let event = await heard.next() { if case .rewound = event { break } }
    try await follower.reach(7)
    #expect(copy.state.db == store.state.db)
    try await first.close()
    let sets = try Quarantine.all(besideStoreAt: path("replica"))
    await memory.replace(by: backup)
    let (calls, call) = AsyncStream.makeStream(of: Void.self)
    archive.fail { name in
      if name == "catalog" { call.yield() }
      return nil
    }
    // It looks again and again, with two such calls each time.
    var called = calls.makeAsyncIterator()
    for _ in 1...6 { _ = await called.next() }
    archive.work()
    var detail: String?
    if case .failed(let text) = follower.status { detail = text }
    #expect(detail?.contains("1 entity that was erased from the file") == true, "\(detail ?? "")")
    #expect(books(copy) == Array(2...6))
    #expect(try Quarantine.all(besideStoreAt: path("replica")) == sets)
    let leader = try await open()
    add(7...7, to: LibraryStore(leader))
    try await follower.reach(8)
    #expect(books(copy) == Array(2...7))
    try await follower.close()
    try await leader.close()
  }

  @Test
  func `a follower's file is not opened over an archive that went back, and may lead it`()
    async throws
  {
    let first = try await open()
    let backup = try await erase(first, LibraryStore(first))
    let follower = try await follow()
    try await follower.close()
    try await first.close()
    await memory.replace(by: backup)
    let error = await #expect(throws: PersistenceError.self) { try await follow().close() }
    let refusal = ArchiveError(.lacksErasures(1), archive: memory.name)
    #expect(error?.reason == .archive(refusal))
    // The leader's machine is lost.
    let leader = try await open("replica")
    #expect(leader.report.archive?.setAside == nil)
    let store = LibraryStore(leader)
    #expect(books(store) == Array(2...6))
    add(7...7, to: store)
    try await leader.replicated(through: 8)
    #expect(try await !archiveHasSecret())
    try await leader.close()
  }

  @Test
  func `a file does not take an entity back from a leader that knows nothing of its erasure`()
    async throws
  {
    let first = try await open()
    let backup = try await erase(first, LibraryStore(first))
    try await first.close()
    await memory.replace(by: backup)
    // Nothing on a new machine knows of it.
    let second = try await open("second")
    let other = LibraryStore(second)
    #expect(books(other) == Array(1...5))
    add(11...14, to: other)
    try await second.replicated(through: 9)
    try await second.close()
    let bytes = try StoreBytes(path("first"))
    for _ in 1...2 {
      let error = await #expect(throws: PersistenceError.self) { try await open().close() }
      #expect(error?.reason == .archive(ArchiveError(.lacksErasures(1), archive: memory.name)))
    }
    #expect(try StoreBytes(path("first")) == bytes)
    let again = try await open("second")
    LibraryStore(again).commit("forget") { $0.db.books.remove(1) }
    try await again.erase([Book.ID(1)])
    try await again.replicated(through: 10)
    #expect(try await !archiveHasSecret())
    try await again.close()
    let last = try await open()
    #expect(last.report.archive?.setAside != nil)
    #expect(books(LibraryStore(last)) == Array(2...5) + Array(11...14))
    try await last.close()
  }
}
