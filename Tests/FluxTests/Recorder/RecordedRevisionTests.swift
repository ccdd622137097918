import Foundation
import Strata
import StrataFlux
import StrataFluxRecorder
import StrataRecords
import TestSupport
import Testing

/// The recording of a persisted store names the revisions of its commits.
struct RecordedRevisionTests {
  private struct ShelfState: StateType, Equatable, Codable {
    var db = LibraryDatabase()
    var opened = 0

    private enum CodingKeys: CodingKey { case books, opened }

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      db.books = try container.decode(EntityTable<Book>.self, forKey: .books)
      opened = try container.decode(Int.self, forKey: .opened)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(db.books, forKey: .books)
      try container.encode(opened, forKey: .opened)
    }
  }

  private enum ShelfAction: FluxAction, Codable {
    case add(Book)
    case open
  }

  private final class ShelfReducer: Reducer<ShelfState, ShelfAction>, @unchecked Sendable {
    override func reduce(_ state: inout ShelfState, _ action: ShelfAction) {
      switch action {
      case .add(let book): state.db.books.insert(book)
      case .open: state.opened += 1
      }
    }
  }

  private struct Shelf {
    let directory: TemporaryDirectory
    let persistence: Persistence<ShelfState, LibraryDatabase>
    let hub = StrataFlux.Dispatcher()
    let recorder = RecorderMiddleware()
    let store: FluxStore<ShelfState, ShelfAction>

    init() async throws {
      directory = try TemporaryDirectory()
      persistence = try await Persistence.open(
        at: directory.path("shelf.strata"),
        initialState: ShelfState(),
        database: \.db
      )
      store = FluxStore(persistence, identifier: "shelf", reducer: ShelfReducer())
      try hub.register(store: store)
      hub.register(middleware: recorder)
    }

    func dispatch(_ actions: ShelfAction...) {
      for action in actions { hub.dispatch(action, mode: .sync) }
    }

    var revisions: [Int64?] { recorder.entries.map { $0.revisions["shelf"] } }
  }

  @Test func `entries name the revisions of their commits, and the file has those commits`()
    async throws
  {
    let shelf = try await Shelf()
    shelf.dispatch(.add(Book(id: 1)), .open, .add(Book(id: 2)))
    shelf.store.commit { $0.db.books.insert(Book(id: 3)) }
    try await shelf.store.commitDurably { $0.db.books.insert(Book(id: 4)) }

    #expect(shelf.revisions == [1, nil, 2, 3, 4])
    for (entry, id) in zip(shelf.recorder.entries.filter { !$0.revisions.isEmpty }, 1...) {
      let revision = try #require(entry.revisions["shelf"])
      let before = try await shelf.persistence.state(at: .revision(Revision(revision - 1)))
      let after = try await shelf.persistence.state(at: .revision(Revision(revision)))
      #expect(after.books.count == before.books.count + 1)
      #expect(after.books.contains(EntityID(id)))
    }
    try await shelf.persistence.close()
  }

  @Test func `revisions continue after a travel`() async throws {
    let shelf = try await Shelf()
    shelf.dispatch(.add(Book(id: 1)), .add(Book(id: 2)))
    try shelf.recorder.back()
    try shelf.recorder.returnToPresent()
    shelf.dispatch(.add(Book(id: 3)))

    #expect(shelf.revisions == [1, 2, 3])
    try await shelf.persistence.close()
  }

  @Test func `an entry whose shown state becomes the recorded one has no revision any more`()
    async throws
  {
    let shelf = try await Shelf()
    shelf.dispatch(.add(Book(id: 1)), .add(Book(id: 2)), .add(Book(id: 3)))
    try shelf.recorder.skip(2)
    try shelf.recorder.branch()

    // Revision 3 holds book 2; the entry that is left does not.
    #expect(shelf.revisions == [1, nil])
    try await shelf.persistence.close()
  }

  @Test func `a recording has the revisions, and another program reads them without the file`()
    async throws
  {
    let shelf = try await Shelf()
    shelf.dispatch(.add(Book(id: 1)), .open, .add(Book(id: 2)))
    let data = try shelf.recorder.export()
    try await shelf.persistence.close()

    let other = try await Shelf()
    #expect(try other.recorder.import(data) == [])
    #expect(other.revisions == [1, nil, 2])
    #expect(other.store.state.db.books.map(\.id.raw).sorted() == [1, 2])
    try other.recorder.returnToPresent()
    try await other.persistence.close()
  }

  @Test(arguments: [0, -1, 1 << 54]) func `a revision out of range is refused`(number: Int)
    async throws
  {
    let shelf = try await Shelf()
    shelf.dispatch(.add(Book(id: 1)))
    var file = try EditedRecording(shelf.recorder.export())
    let path = ["fields", "entries", "0", "parts", "0", "part", "revision"]
    file.set(path, to: .integer(number))
    let data = try file.data()

    #expect {
      try shelf.recorder.import(data)
    } throws: { error in
      "\(error)".contains("revision \(number)")
    }
    try await shelf.persistence.close()
  }
}
