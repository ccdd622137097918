import Dispatch
import StrataBase
import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

@Suite struct DerivedEntityTests {
  let store = LibraryStore()
  let received = Recorder<String?>()
  let solaris = Book(id: 1, title: "Solaris")
  let eden = Book(id: 2, title: "Eden")

  func follow(
    _ id: Book.ID,
    in table: StatePath<LibraryState, EntityTable<Book>> = \.db.books
  ) -> StoreSubscription {
    let received = received
    return store.derived(from: id, in: table).sinkValue { received.record($0.value?.title) }
  }

  @Test func `an entity is followed through insert, update, removal and insert again`() {
    let subscription = follow(1)
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    store.commit { $0.db.books.insert(Book(id: 1, title: "Solyaris")) }
    store.commit { $0.db.books.remove(1) }
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    #expect(received.elements == [nil, "Solaris", "Solyaris", nil, "Solaris"])
    subscription.cancel()
  }

  @Test func `its value is that of the last commit, with or without subscribers`() throws {
    let book = store.derived(from: 1, in: \.db.books)
    #expect(book.value == nil)
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    #expect(book.value == solaris)
    let subscription = book.sinkValue { _ in }
    try store.commit { try $0.db.books.update(1) { $0.title = "Eden" } }
    #expect(book.value?.title == "Eden")
    subscription.cancel()
    store.commit { $0.db.books.removeAll() }
    #expect(book.value == nil)
  }

  @Test func `unrelated commits, other tables and other rows tell nothing`() {
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    let subscription = follow(1)
    store.commit { $0.count = 1 }
    store.commit { $0.db.authors.insert(Author(id: "lem")) }
    store.commit { [eden] in $0.db.books.insert(eden) }
    store.commit { $0.db.books.remove(2) }
    store.commit { [solaris] in $0.db.archivedBooks.insert(solaris) }
    #expect(received.elements == ["Solaris"])
    subscription.cancel()
  }

  @Test func `two tables of one entity type are told apart`() {
    let subscriptions = [follow(1), follow(1, in: \.db.archivedBooks)]
    store.commit { $0.db.archivedBooks.insert(Book(id: 1, title: "old")) }
    store.commit { $0.db.books.insert(Book(id: 1, title: "new")) }
    #expect(received.elements == [nil, nil, "old", "new"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `two batches in one commit tell everyone whom they concern, once`() {
    let subscriptions = (1...3).map { follow(Book.ID($0)) }
    store.commit { [solaris, eden] state in
      state.db.books.insert(solaris)
      state.db.books.insert(Book(id: 1, title: "Solyaris"))
      state.db.books.insert(eden)
    }
    #expect(received.elements == [nil, nil, nil, "Solyaris", "Eden"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `an insert that its own commit removes again tells nothing`() {
    let subscription = follow(1)
    store.commit { [solaris, eden] state in
      state.db.books.insert(solaris)
      state.db.books.remove(1)
      state.db.books.insert(eden)
    }
    #expect(received.elements == [nil])
    subscription.cancel()
  }

  @Test func `a whole older table assigned tells what differs`() {
    let old = store.state.db.books
    store.commit { [solaris, eden] in $0.db.books = [solaris, eden] }
    let newer = store.state.db.books
    let subscriptions = [follow(1), follow(2), follow(3)]
    store.commit { $0.db.books.insert(Book(id: 1, title: "Solyaris")) }
    store.commit { $0.db.books = newer }
    store.commit { $0.db.books = old }
    store.commit { $0.db.books = newer }
    #expect(
      received.elements.dropFirst(3).map { $0 ?? "-" }.sorted()
        == ["-", "-", "Eden", "Solaris", "Solaris", "Solyaris"]
    )
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `an entity whose equality looks at the ID alone is told its changes`() throws {
    let store = LabelStore()
    let received = received
    let subscription = store.derived(from: "a", in: \.db.labels).sinkValue {
      received.record($0.value?.text)
    }
    store.commit { $0.db.labels.insert(Label(id: "a", text: "one")) }
    try store.commit { try $0.db.labels.update("a") { $0.text = "two" } }
    #expect(store.derived(from: "a", in: \.db.labels).value?.text == "two")
    store.commit { $0.db.labels.insert(Label(id: "b")) }
    #expect(received.elements == [nil, "one", "two"])
    subscription.cancel()
  }

  @Test func `an entity that is not equal to itself is told only its changes`() throws {
    let store = LabelStore()
    let received = received
    let subscription = store.derived(from: 1, in: \.db.readings).sinkValue {
      received.record($0.value.map { "\($0.value) \($0.note ?? "-")" })
    }
    store.commit { $0.db.readings.insert(Reading(id: 1, value: .nan)) }
    for number in 2..<60 {
      store.commit { $0.db.readings.insert(Reading(id: Reading.ID(number), value: .nan)) }
    }
    try store.commit { try $0.db.readings.update(1) { $0.note = "x" } }
    for number in 2..<60 { store.commit { $0.db.readings.remove(Reading.ID(number)) } }
    #expect(received.elements == [nil, "nan -", "nan x"])
    subscription.cancel()
  }

  @Test func `the changes carry the version, the trace and the entity before`() {
    let received = received
    let subscription = store.derived(from: 1, in: \.db.books).sinkValue(first: .nextCommit) {
      let before = $0.previous.map { $0?.title ?? "absent" } ?? "none"
      received.record("\($0.version) \($0.traces.map(\.name)) \(before)")
    }
    store.commit { $0.count = 1 }
    store.commit("add") { [solaris] in $0.db.books.insert(solaris) }
    store.commit("drop") { $0.db.books.remove(1) }
    #expect(received.elements == ["2 [\"add\"] absent", "3 [\"drop\"] Solaris"])
    subscription.cancel()
  }

  @Test func `an entity is derived through every dispatcher, and is one object for all`() {
    let one = store.derived(from: 1, in: \.db.books)
    let table = LibraryStore.TableDispatcher<Book>(targetStore: store, table: \.db.books)
    #expect(one === store.derived(from: 1, in: \.db.books))
    #expect(one === store.detached(from: \.db).derived(from: 1, in: \.books))
    #expect(one === LibraryStore.Dispatcher(target: store).derived(from: 1, in: \.db.books))
    #expect(one === table.derived(from: 1))
    #expect(one !== store.derived(from: 2, in: \.db.books))
    #expect(one !== store.derived(from: 1, in: \.db.archivedBooks))
  }

  @Test func `several entities come in the order of their IDs, each as when asked for alone`() {
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    let books = store.derived(from: [2, 1], in: \.db.books)
    #expect(books.map(\.value) == [nil, solaris])
    #expect(books[1] === store.derived(from: 1, in: \.db.books))
  }

  @Test func `an entity chains and combines like any derived value`() {
    let length = store.derived(from: 1, in: \.db.books).chain(.map { $0?.title.count ?? 0 })
    let both = Derived.combined(length, store.derived(from: 2, in: \.db.books))
    let received = received
    let subscription = both.sinkValue {
      received.record("\($0.value.0) \($0.value.1?.title ?? "-")")
    }
    store.commit { [solaris, eden] in $0.db.books = [solaris, eden] }
    store.commit { $0.db.books.insert(Book(id: 1, title: "Fiasco!")) }
    store.commit { $0.db.books.insert(Book(id: 3)) }
    store.commit { $0.db.books.remove(2) }
    #expect(received.elements == ["0 -", "7 Eden", "7 -"])
    #expect(length.value == 7)
    subscription.cancel()
  }

  @Test func `deliveries of commits from several threads come in order, none missing`() throws {
    store.commit { $0.db.books.insert(Book(id: 1, title: "0")) }
    let subscriptions = [follow(1), follow(2)]
    DispatchQueue.concurrentPerform(iterations: 400) { [store] number in
      store.commit { state in
        let count = Int(state.db.books[1]?.title ?? "") ?? -1
        state.db.books.insert(Book(id: 1, title: "\(count + 1)"))
        state.db.books.insert(Book(id: Book.ID(number + 10)))
      }
    }
    #expect(store.waitForDeliveries())
    #expect(received.elements == ["0", nil] + (1...400).map { "\($0)" })
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a subscriber cancelled during the delivery of its entity is told no more`() {
    let received = received
    let other = Lock<StoreSubscription?>(nil)
    let book = store.derived(from: 1, in: \.db.books)
    let first = book.sinkValue(first: .nextCommit) { _ in
      received.record("first")
      other.withLock { $0 }?.cancel()
    }
    let second = book.sinkValue(first: .nextCommit) { _ in received.record("second") }
    other.withLock { $0 = second }
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    store.commit { [eden] in $0.db.books.insert(eden) }
    store.commit { $0.db.books.remove(1) }
    #expect(received.elements == ["first", "first"])
    first.cancel()
  }

  @Test func `a commit inside a subscriber is told after the present one has reached everyone`() {
    let (store, received) = (store, received)
    let subscriptions = [
      store.derived(from: 1, in: \.db.books).sinkValue(first: .nextCommit) { changes in
        received.record("1 \(changes.value?.title ?? "-")")
        if changes.value != nil { store.commit { $0.db.books = [] } }
      },
      store.derived(from: 2, in: \.db.books).sinkValue(first: .nextCommit) { changes in
        received.record("2 \(changes.value?.title ?? "-")")
      },
    ]
    store.commit { [solaris, eden] in $0.db.books = [solaris, eden] }
    #expect(received.elements == ["1 Solaris", "2 Eden", "1 -", "2 -"])
    subscriptions.forEach { $0.cancel() }
  }
}
