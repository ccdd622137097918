import Foundation
import Strata
import StrataBase
import StrataCore
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Who and why, from the commit into the file and back.
struct CommitContextInFileTests {
  private struct Rename: Codable, Equatable {
    var id: Book.ID
    var title: String
    var at = Date(timeIntervalSince1970: 1)
  }

  let file: TestStore

  init() throws { file = try TestStore() }

  private func log() throws -> [DeltaSummary] {
    try Inspector(path: file.path).log(.last(100)).deltas
  }

  private func deltas(_ persistence: TestStore.Opened) async throws -> [Delta] {
    var deltas: [Delta] = []
    for try await delta in persistence.deltas() { deltas.append(delta) }
    return deltas
  }

  @Test
  func `a context is in the delta, the history and the log, and after a restart`() async throws {
    let rename = Rename(id: 1, title: "B")
    let context = CommitContext(
      user: "ann",
      request: "7",
      traceID: "4bf9",
      call: RecordedCall("rename", arguments: rename),
      fields: ["source": "web"]
    )
    try await file.run([]) { store, _ throws in
      store.commit("add") { $0.db.books.insert(Book(id: 1, title: "A")) }
      try store.commit("rename", context: context) { state throws in
        try state.db.books.update(1) { $0.title = "B" }
      }
    }
    try await file.run([]) { _, persistence throws in
      let deltas = try await deltas(persistence)
      #expect(deltas.map { $0.context?.user } == [nil, "ann"])
      let read = try #require(deltas.last?.context)
      #expect(read.request == "7" && read.traceID == "4bf9" && read.fields == ["source": "web"])
      #expect(read.call?.name == "rename")
      #expect(try read.call?.arguments(as: Rename.self) == rename)
      #expect(throws: DecodingError.self) { try read.call?.arguments(as: String.self) }
      let versions = try await persistence.history(of: EntityID<Book>(1))
      #expect(versions.map { $0.context?.user } == [nil, "ann"])
      // Both were read from the file.
      #expect(versions.last?.context == read)
    }
    let shown = try #require(try log().last?.contexts?.first)
    #expect(shown.user == "ann" && shown.trace == "4bf9" && shown.cut == nil)
    #expect(shown.call?.arguments?.contains(#""title":"B""#) == true)
    #expect(try Inspector(path: file.path).verify().isSound)
  }

  @Test
  func `the chain covers the context, and is the one that the page states`() async throws {
    let header = DeltaHeader(
      revision: 1,
      first: 1,
      lineage: Lineage.ID(1),
      time: 5,
      origin: 1,
      trace: nil,
      name: "a",
      place: "b",
      entities: 0,
      blocks: 1,
      bytes: 1
    )
    var other = header
    let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    let chain = header.chain(after: .init(of: []), storeID: id, blocks: [], layouts: [:])
    // Computed from the page by another program.
    #expect("\(chain)" == "02459eba8b0b7154d9e08615ee454aca")
    other.context = []
    #expect(other.chain(after: .init(of: []), storeID: id, blocks: [], layouts: [:]) != chain)
  }

  @Test
  func `commits merged while the disk failed keep their contexts`() async throws {
    let vfs = try FaultVFS(name: "contexts")
    var configuration = PersistenceConfiguration(recoveryInterval: .milliseconds(2))
    configuration.vfs = vfs.name
    let persistence = try await file.open([], LibraryState(), configuration)
    let store = LibraryStore(persistence)
    vfs.failNext(.write, in: .wal, code: .full, times: .sticky)
    vfs.failNext(.open, in: .database, code: .cantOpen, times: .sticky)
    store.commit(context: CommitContext(user: "first")) { $0.db.books.insert(Book(id: 1)) }
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    for number in 2...250 {
      let context = number % 2 == 0 ? CommitContext(user: "\(number)") : nil
      store.commit(context: context) { $0.db.books.insert(Book(id: EntityID(number))) }
    }
    let attempts = vfs.count(of: .open, in: .database)
    while vfs.count(of: .open, in: .database) < attempts + 3 { await Task.yield() }
    vfs.heal()
    while persistence.status.condition != .healthy { await Task.yield() }
    try await persistence.flush()
    let deltas = try await deltas(persistence)
    let merged = try #require(deltas.last)
    #expect(merged.revisions.upperBound == 250)
    #expect(deltas.reduce(0) { $0 + $1.contexts.count } >= 100)
    for delta in deltas {
      for (revision, context) in delta.contexts {
        #expect(context.user == (revision == 1 ? "first" : "\(revision)"))
        #expect(delta.revisions.contains(revision))
      }
    }
    try await persistence.close()
    let log = try log()
    let kept = log.reduce(0) { $0 + ($1.contexts?.count ?? 0) + ($1.contextsLeftOut ?? 0) }
    #expect(kept == 126)
    #expect(try Inspector(path: file.path).verify().isSound)
  }

  @Test
  func `a redaction of contexts keeps out of the file what it removes`() async throws {
    var configuration = PersistenceConfiguration()
    configuration.commitContexts = .redacted { context in
      context.user = context.user.map { _ in "someone" }
      context.call = context.call.map { RecordedCall($0.name) }
    }
    let context = CommitContext(
      user: secret,
      request: "7",
      call: RecordedCall("rename", arguments: secret)
    )
    try await file.run([], LibraryState(), configuration) { store, persistence throws in
      store.commit(context: context) { $0.db.books.insert(Book(id: 1)) }
      #expect(store.changes.context == context)
      let delta = try #require(try await deltas(persistence).last)
      #expect(delta.context?.user == "someone" && delta.context?.request == "7")
      #expect(delta.context?.call == RecordedCall("rename"))
    }
    #expect(try StoreBytes(file.path).files(holding: secret) == [])
  }

  @Test
  func `contexts can be left out of the file`() async throws {
    var configuration = PersistenceConfiguration()
    configuration.commitContexts = .none
    try await file.run([], LibraryState(), configuration) { store, persistence throws in
      store.commit(context: CommitContext(user: secret)) { $0.db.books.insert(Book(id: 1)) }
      #expect(try await deltas(persistence).last?.contexts == [:])
    }
    #expect(try StoreBytes(file.path).files(holding: secret) == [])
  }

  @Test
  func `arguments are left out where a table is redacted, unless contexts are redacted too`()
    async throws
  {
    let context = CommitContext(user: "ann", call: RecordedCall("add", arguments: secret))
    let options: TestStore.Options = [.redacted(\.books) { $0.title = "" }]
    try await file.run(options) { store, persistence throws in
      store.commit(context: context) { $0.db.books.insert(Book(id: 1, title: secret)) }
      let delta = try #require(try await deltas(persistence).last)
      #expect(delta.context?.user == "ann")
      #expect(delta.context?.call == RecordedCall("add"))
    }
    #expect(try log().last?.contexts?.first?.call?.omitted == "tables are redacted or sealed")
    #expect(try StoreBytes(file.path).files(holding: secret) == [])
    var configuration = PersistenceConfiguration()
    configuration.commitContexts = .redacted { _ in }
    try await file.run(options, LibraryState(), configuration) { store, persistence throws in
      store.commit(context: context) { $0.db.books.insert(Book(id: 2)) }
      let delta = try #require(try await deltas(persistence).last)
      #expect(try delta.context?.call?.arguments(as: String.self) == secret)
    }
  }

  @Test
  func `arguments that cannot be encoded cost the commit nothing`() async throws {
    struct Unspeakable: Codable, Equatable {
      struct Refusal: Error {}
      func encode(to encoder: any Encoder) throws { throw Refusal() }
    }
    try await file.run([]) { store, persistence throws in
      let context = CommitContext(call: RecordedCall("say", arguments: Unspeakable()))
      store.commit(context: context) { $0.db.books.insert(Book(id: 1)) }
      try await persistence.flush()
      #expect(try await deltas(persistence).last?.context?.call == RecordedCall("say"))
    }
    let call = try log().last?.contexts?.first?.call
    #expect(call?.omitted?.hasPrefix("they cannot be encoded: Refusal") == true)
  }

  @Test
  func `an undo, a revert and an awaited commit carry the context of their caller`() async throws {
    try await file.run([]) { store, persistence throws in
      let undo = UndoStack(of: store, database: \.db)
      store.commit(context: CommitContext(user: "ann")) { $0.db.books.insert(Book(id: 1)) }
      try undo.undo(context: CommitContext(user: "bob"))
      try await CommitContext.with(CommitContext(user: "cid")) {
        try undo.redo()
        try await store.commitDurably("durable", context: CommitContext(request: "9")) {
          $0.db.books.insert(Book(id: 2))
        }
        try await persistence.revert(to: .revision(1))
      }
      let contexts = try await deltas(persistence).map(\.context)
      #expect(contexts.map { $0?.user } == ["ann", "bob", "cid", "cid", "cid"])
      #expect(contexts[3]?.request == "9")
    }
  }
}
