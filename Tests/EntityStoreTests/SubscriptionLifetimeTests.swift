import Dispatch
import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

@Suite struct SubscriptionLifetimeTests {
  final class Held: Sendable {}

  @Test func `a store keeps no derived entity, and a subscription keeps its own`() {
    let store = LibraryStore()
    var book: Derived<Book?>? = store.derived(from: 1, in: \.db.books)
    weak let weakBook = book
    let subscription = book?.sinkValue { _ in }
    book = nil
    #expect(weakBook != nil)
    subscription?.cancel()
    #expect(weakBook == nil)
  }

  @Test func `a kept entity keeps the entity it is made from, and both go together`() throws {
    let store = LibraryStore()
    store.commit { $0.db.books.insert(Book(id: 1)) }
    var present: Derived<Book?>? = store.derived(from: 1, in: \.db.books)
    weak let weakPresent = present
    var kept: Derived<RetainedEntity<Book>>? = try store.derivedNonNull(from: 1, in: \.db.books)
    weak let weakKept = kept
    present = nil
    #expect(weakPresent != nil)
    kept = nil
    #expect(weakKept == nil)
    #expect(weakPresent == nil)
  }

  @Test func `nothing that follows entities keeps the store`() async throws {
    var store: LibraryStore? = LibraryStore()
    weak let weakStore = store
    store?.commit { $0.db.books.insert(Book(id: 1)) }
    let entity = store?.derived(from: 1, in: \.db.books)
    let kept = try store?.derivedNonNull(from: 1, in: \.db.books)
    let entities = store?.derivedEntities(in: \.db.books) { Array($0.ids) }
    let sequence = store?.entityChanges(in: \.db.books, buffering: .unbounded)
    let subscriptions = [
      entity?.sinkValue { _ in }, kept?.sinkValue { _ in }, entities?.sinkValue { _ in },
      store?.sinkEntityChanges(in: \.db.books) { _ in },
    ]
    store = nil
    #expect(weakStore == nil)
    #expect(entity?.value?.id == 1)
    #expect(kept?.value.isRemoved == false)
    #expect(entities?.value.count == 1)
    if let sequence { for await _ in sequence { Issue.record("a commit after the end") } }
    subscriptions.forEach { $0?.cancel() }
  }

  @Test func `what sinks hold goes with their subscriptions or with the store`() {
    var store: LibraryStore? = LibraryStore()
    store?.commit { $0.db.books.insert(Book(id: 1)) }
    var held: Held? = Held()
    weak let weakHeld = held
    let sinks: [StoreSubscription?] = [
      store?.derived(from: 1, in: \.db.books).sinkValue { [held] _ in _ = held },
      store?.sinkEntityChanges(in: \.db.books) { [held] _ in _ = held },
      store?.derivedEntities(in: \.db.books) { [held] books in
        _ = held
        return Array(books.ids)
      }
      .sinkValue { [held] _ in _ = held },
    ]
    held = nil
    store?.commit { $0.db.books.insert(Book(id: 2)) }
    #expect(weakHeld != nil)
    sinks[0]?.cancel()
    sinks[1]?.cancel()
    #expect(weakHeld != nil)
    sinks[2]?.cancel()
    #expect(weakHeld == nil)
    store = nil
  }

  @Test func `entities of a query that is followed to the end of its store are let go`() {
    var store: LibraryStore? = LibraryStore()
    var held: Held? = Held()
    weak let weakHeld = held
    var subscription = store?.derivedEntities(in: \.db.books) { [held] books in
      _ = held
      return Array(books.ids)
    }
    .sinkValue { _ in }
    held = nil
    store?.commit { $0.db.books.insert(Book(id: 2)) }
    store = nil
    subscription = nil
    #expect(weakHeld == nil)
    _ = subscription
  }

  @Test func `an entity can be followed again after its last subscriber has gone`() {
    let store = LibraryStore()
    let received = Recorder<String?>()
    let book = store.derived(from: 1, in: \.db.books)
    book.sinkValue { _ in }.cancel()
    store.commit { $0.db.books.insert(Book(id: 1, title: "Eden")) }
    let subscription = book.sinkValue(first: .nextCommit) { received.record($0.value?.title) }
    store.commit { $0.db.books.insert(Book(id: 2)) }
    store.commit { $0.db.books.remove(1) }
    #expect(received.elements == [nil])
    subscription.cancel()
  }

  @Test func `subscribers that come and go during commits see rising values without gaps`() {
    let store = LibraryStore()
    store.commit { $0.db.books.insert(Book(id: 1, title: "0")) }
    let step: @Sendable (inout LibraryState) -> Void = { state in
      let count = Int(state.db.books[1]?.title ?? "") ?? -1
      state.db.books.insert(Book(id: 1, title: "\(count + 1)"))
    }
    let gaps = Recorder<[Int]>()
    let committing = inBackground {
      DispatchQueue.concurrentPerform(iterations: 2_000) { _ in store.commit { step(&$0) } }
    }
    for _ in 0..<300 {
      let seen = Recorder<Int>()
      let subscription = store.derived(from: 1, in: \.db.books).sinkValue { changes in
        seen.record(Int(changes.value?.title ?? "") ?? -1)
      }
      store.commit { step(&$0) }
      subscription.cancel()
      let run = seen.elements
      if let first = run.first, run != Array(first..<first + run.count) { gaps.record(run) }
    }
    #expect(committing.wait())
    #expect(gaps.elements == [])
  }
}
