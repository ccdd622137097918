import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

@Suite struct DerivedQueryTests {
  let store = LibraryStore()
  let calls = Counter()
  let received = Recorder<String>()
  let solaris = Book(id: 1, title: "Solaris")
  let eden = Book(id: 2, title: "Eden")

  func touchOthers() {
    store.commit { $0.count += 1 }
    store.commit { $0.db.authors.insert(Author(id: "lem")) }
    store.commit { [solaris] in $0.db.archivedBooks.insert(solaris) }
  }

  func count() -> Derived<Int> {
    let calls = calls
    return store.derived(in: \.db.books) { books in
      calls.add()
      return books.count
    }
  }

  @Test func `a query is run once for subscribers for each version that touches the table`() {
    let received = received
    let subscription = count().sinkValue { received.record("\($0.value)") }
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    touchOthers()
    #expect(calls.count == 2)
    store.commit { [eden] in $0.db.books.insert(eden) }
    #expect(calls.count == 3)
    #expect(received.elements == ["0", "1", "2"])
    subscription.cancel()
  }

  @Test func `a query is run once for readers for each version that touches the table`() {
    let count = count()
    #expect(count.value == 0)
    touchOthers()
    #expect(count.value == 0)
    #expect(calls.count == 1)
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    touchOthers()
    #expect([count.value, count.value] == [1, 1])
    #expect(calls.count == 2)
  }

  @Test func `a query is told when its output differs, and otherwise only run`() {
    let (calls, received) = (calls, received)
    let subscription = store.detached(from: \.db).derived(in: \.books) { books in
      calls.add()
      return books.isEmpty
    }
    .sinkValue { received.record("\($0.value)") }
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    store.commit { [eden] in $0.db.books.insert(eden) }
    #expect(received.elements == ["true", "false"])
    #expect(calls.count == 3)
    subscription.cancel()
  }

  @Test func `a query without equality is told whenever the table was touched`() {
    struct Opaque: Sendable { var count: Int }
    let received = received
    let all = store.derived(in: \.db.books) { Opaque(count: $0.count) }
    let even = store.derived(in: \.db.books, dropsOutput: { $0.value.count % 2 == 1 }) {
      Opaque(count: $0.count)
    }
    let subscriptions = [
      all.sinkValue { received.record("all \($0.value.count)") },
      even.sinkValue { received.record("even \($0.value.count)") },
    ]
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    touchOthers()
    store.commit { [eden] in $0.db.books.insert(eden) }
    #expect(received.elements == ["all 0", "even 0", "all 1", "all 2", "even 2"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `the entities of a query are told when others are found, not when one changes`() {
    let received = received
    let books = store.derivedEntities(in: \.db.books) { $0.ids.sorted() }
    let subscription = books.sinkValue { changes in
      received.record(changes.value.map { $0.value?.title ?? "-" }.joined(separator: ", "))
    }
    let one = store.derived(from: 1, in: \.db.books)
    let inner = one.sinkValue(first: .nextCommit) {
      received.record("1: \($0.value?.title ?? "-")")
    }
    touchOthers()
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    #expect(books.value.map { $0 === one } == [true])
    store.commit { $0.db.books.insert(Book(id: 1, title: "Solyaris")) }
    store.commit { [eden] in $0.db.books.insert(eden) }
    #expect(books.value.map { $0 === one } == [true, false])
    store.commit { $0.db.books.remove(1) }
    #expect(
      received.elements
        == ["", "Solaris", "1: Solaris", "1: Solyaris", "Solyaris, Eden", "Eden", "1: -"]
    )
    [subscription, inner].forEach { $0.cancel() }
  }
}
