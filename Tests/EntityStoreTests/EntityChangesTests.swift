import Dispatch
import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

@Suite struct EntityChangesTests {
  let store = LibraryStore()
  let received = Recorder<EntityChanges<Book>>()
  let solaris = Book(id: 1, title: "Solaris")
  let eden = Book(id: 2, title: "Eden")

  func sink() -> StoreSubscription {
    let received = received
    return store.sinkEntityChanges(in: \.db.books) { received.record($0) }
  }

  @Test func `each commit that touches the table is told once, with its version and trace`() {
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    let subscription = sink()
    store.commit { $0.count = 1 }
    store.commit { $0.db.authors.insert(Author(id: "lem")) }
    store.commit("both") { [eden] state in
      state.db.books.remove(1)
      state.db.books.insert(eden)
    }
    #expect(received.elements.count == 1)
    #expect(received.elements.first?.version == 4)
    #expect(received.elements.first?.traces.map(\.name) == ["both"])
    #expect(received.elements.first?.put == [eden])
    #expect(received.elements.first?.removed == [1])
    #expect(received.elements.first?.changes.count == 2)
    #expect(received.elements.first?.previous == [solaris])
    #expect(received.elements.first?.table == [eden])
    subscription.cancel()
  }

  @Test func `the entities put are accumulated by a scan`() {
    let counts = Recorder<Int>()
    let puts = Scan<EntityChanges<Book>, Int>(seed: 0) { $0 += $1.put.count }
    let subscription = store.sinkEntityChanges(in: \.db.books, scan: puts) { counts.record($1) }
    store.commit { [solaris, eden] in $0.db.books.insert(contentsOf: [solaris, eden]) }
    store.commit { $0.db.books.remove(1) }
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    #expect(counts.elements == [2, 2, 3])
    subscription.cancel()
  }

  @Test func `a subscriber of the whole state and one of the changes see one version`() {
    let store = store
    let versions = Recorder<[UInt64]>()
    let subscription = store.sinkEntityChanges(in: \.db.books) { changes in
      versions.record([changes.version, store.changes.version])
    }
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    store.commit { $0.db.books.remove(1) }
    #expect(versions.elements == [[1, 1], [2, 2]])
    subscription.cancel()
  }

  @Test func `a cancelled subscriber is told no more, and a later one begins where it begins`() {
    sink().cancel()
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    let subscription = sink()
    store.commit { [eden] in $0.db.books.insert(eden) }
    #expect(received.elements.map(\.put) == [[eden]])
    subscription.cancel()
  }

  @Test func `the changes of concurrent commits lead from the first table to the last`() {
    let subscription = sink()
    DispatchQueue.concurrentPerform(iterations: 400) { [store] number in
      store.commit { state in
        state.db.books.insert(Book(id: Book.ID(number % 40), title: "\(number)"))
        state.db.books.remove(Book.ID((number + 7) % 40))
      }
    }
    #expect(store.waitForDeliveries())
    #expect(received.elements.map(\.version) == Array(1...400))
    var books = EntityTable<Book>()
    for changes in received.elements {
      #expect(changes.previous == books)
      books.insert(contentsOf: changes.put)
      books.remove(in: changes.removed)
    }
    #expect(books == store.state.db.books)
    subscription.cancel()
  }

  @Test func `the sequence gives every commit in order and ends with its store`() async {
    var store: LibraryStore? = LibraryStore()
    let sequence = store?.entityChanges(in: \.db.books, buffering: .unbounded)
    for number in 0..<10 { store?.commit { $0.db.books.insert(Book(id: Book.ID(number))) } }
    store?.commit { $0.db.books.removeAll() }
    store = nil
    var puts: [Book.ID] = []
    var removals = 0
    if let sequence {
      for await changes in sequence {
        puts += changes.put.map(\.id)
        removals += changes.removed.count
      }
    }
    #expect(puts == (0..<10).map { Book.ID($0) })
    #expect(removals == 10)
  }

  @Test func `a reader that falls behind sees by the table before that it skipped`() async {
    let sequence = store.entityChanges(in: \.db.books, buffering: .newest(1))
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    store.commit { [eden] in $0.db.books.insert(eden) }
    var iterator = sequence.makeAsyncIterator()
    let changes = await iterator.next()
    #expect(changes?.put == [eden])
    #expect(changes?.previous == [solaris])
  }

  @Test func `changes are told on an actor, in order`() async {
    actor Shelf {
      var titles: [String] = []
      let done = AsyncStream.makeStream(of: Void.self)

      func take(_ changes: EntityChanges<Book>) {
        titles += changes.put.map(\.title)
        if titles.count == 2 { done.continuation.finish() }
      }
    }
    let shelf = Shelf()
    let subscription = store.sinkEntityChanges(in: \.db.books, queue: .actor(shelf)) {
      $0.take($1)
    }
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    store.commit { [eden] in $0.db.books.insert(eden) }
    for await _ in shelf.done.stream {}
    #expect(await shelf.titles == ["Solaris", "Eden"])
    subscription.cancel()
  }

  @Test func `a table dispatcher tells the changes of its table`() throws {
    let books = LibraryStore.TableDispatcher<Book>(targetStore: store, table: \.db.books)
    let received = received
    let subscription = books.sinkEntityChanges { received.record($0) }
    try books.insert(solaris)
    #expect(received.elements.map(\.put) == [[solaris]])
    subscription.cancel()
  }
}
