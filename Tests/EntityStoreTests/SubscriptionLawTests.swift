import Dispatch
import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

/// Random subscribers compared with a model: a dictionary, and a list for each of them.
@Suite struct SubscriptionLawTests {
  /// A subscriber, what it received, and what the model expects it to receive.
  struct Follower {
    enum Form: CaseIterable { case present, kept, pair }

    let form: Form
    let id: Book.ID
    let received = Recorder<String>()
    var expected: [String] = []
    /// The last value of a retained entity.
    var last = ""
    var subscription: StoreSubscription?
  }

  /// A store and the values its table had; in every second one commits carry their change set.
  struct Run {
    let store = LibraryStore()
    var random: SeededGenerator
    var older: [EntityTable<Book>] = []
    var number = 0

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      if seed.isMultiple(of: 2) { store.databaseHook(\.db) }
    }

    mutating func id() -> Book.ID { Book.ID(Int.random(in: 0..<8, using: &random)) }

    /// No two books that are put have one title, so that every put is a change.
    mutating func book() -> Book {
      number += 1
      return Book(id: id(), title: "\(number)", rating: number % 3 == 0 ? .nan : 1)
    }

    mutating func mutate(_ books: inout EntityTable<Book>) {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<5: books.insert(book())
        case 5..<9: books.remove(id())
        case 9: books.insert(contentsOf: [book(), book(), book()])
        case 10: books.removeAll()
        default: if let table = older.randomElement(using: &random) { books = table }
        }
      }
    }

    mutating func commit() {
      older.append(store.state.db.books)
      store.commit { state in
        switch Int.random(in: 0..<5, using: &random) {
        case 0: state.count += 1
        case 1: mutate(&state.db.archivedBooks)
        default: mutate(&state.db.books)
        }
      }
    }
  }

  static func text(_ book: Book?) -> String { book?.title ?? "-" }

  static func begin(_ form: Follower.Form, _ id: Book.ID, in store: LibraryStore) -> Follower? {
    var follower = Follower(form: form, id: id)
    let received = follower.received
    let book = store.derived(from: id, in: \.db.books)
    switch form {
    case .present:
      follower.subscription = book.sinkValue { received.record(text($0.value)) }
    case .kept:
      guard let kept = store.derivedNonNull(from: [id], in: \.db.books).first else { return nil }
      follower.subscription = kept.sinkValue {
        received.record("\($0.value.title) \($0.value.isRemoved)")
      }
    case .pair:
      let next = store.derived(from: Book.ID(id.raw + 1), in: \.db.books)
      follower.subscription = Derived.combined(book.chain(.map { text($0) }), next)
        .sinkValue { received.record("\($0.value.0) \(text($0.value.1))") }
    }
    follower.expect(store.state.db.books, after: nil)
    return follower
  }

  @Test func `every subscriber is told what a model says, whatever is committed`() {
    for seed in 0..<UInt64(loopCount("STRATA_SUBSCRIPTION_RUNS", 400)) {
      var run = Run(seed: seed)
      var live: [Follower] = []
      var ended: [Follower] = []
      for _ in 0..<60 {
        switch Int.random(in: 0..<10, using: &run.random) {
        case 0..<3:
          let form = Follower.Form.allCases.randomElement(using: &run.random) ?? .present
          if let follower = Self.begin(form, run.id(), in: run.store) { live.append(follower) }
        case 3 where !live.isEmpty:
          let gone = live.remove(at: Int.random(in: live.indices, using: &run.random))
          gone.subscription?.cancel()
          ended.append(gone)
        default:
          let old = run.store.state.db.books
          run.commit()
          for index in live.indices { live[index].expect(run.store.state.db.books, after: old) }
        }
      }
      for one in live + ended { #expect(one.received.elements == one.expected, "seed \(seed)") }
    }
  }

  @Test func `and so is every subscriber when many threads commit`() {
    for seed in 0..<UInt64(20) {
      var run = Run(seed: seed)
      let store = run.store
      run.commit()
      let tables = Recorder<EntityTable<Book>>()
      tables.record(store.state.db.books)
      let watching = store.sinkState(first: .nextCommit) { tables.record($0.db.books) }
      let ids = (0..<12).map { _ in run.id() }
      var live = zip(ids, Follower.Form.allCases + Follower.Form.allCases).compactMap { id, form in
        Self.begin(form, id, in: store)
      }
      DispatchQueue.concurrentPerform(iterations: 200) { number in
        var random = SeededGenerator(seed: seed << 32 | UInt64(number))
        let id = Book.ID(Int.random(in: 0..<8, using: &random))
        let isGone = Int.random(in: 0..<3, using: &random) == 0
        store.commit { state in
          if isGone {
            state.db.books.remove(id)
          } else {
            state.db.books.insert(Book(id: id, title: "by \(number)"))
          }
        }
      }
      #expect(store.waitForDeliveries())
      for (old, new) in zip(tables.elements, tables.elements.dropFirst()) {
        for index in live.indices { live[index].expect(new, after: old) }
      }
      #expect(live.count > 1)
      for one in live { #expect(one.received.elements == one.expected, "seed \(seed)") }
      watching.cancel()
    }
  }

  @Test func `the changes of a table lead from each value to the next, whatever is committed`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 200)) {
      var run = Run(seed: seed)
      let received = Recorder<EntityChanges<Book>>()
      let subscription = run.store.sinkEntityChanges(in: \.db.books) { received.record($0) }
      var titles: [Book.ID: String] = [:]
      var versions: [UInt64] = []
      for _ in 0..<40 {
        let old = run.store.state.db.books.titles
        run.commit()
        if run.store.state.db.books.titles != old { versions.append(run.store.changes.version) }
      }
      for changes in received.elements {
        #expect(changes.previous.titles == titles, "seed \(seed)")
        for book in changes.put { titles[book.id] = book.title }
        for id in changes.removed { titles[id] = nil }
        #expect(changes.table.titles == titles, "seed \(seed)")
      }
      #expect(titles == run.store.state.db.books.titles, "seed \(seed)")
      #expect(Set(versions).isSubset(of: received.elements.map(\.version)), "seed \(seed)")
      subscription.cancel()
    }
  }
}

extension SubscriptionLawTests.Follower {
  /// Records what a commit from one table to another delivers; without a table before, the first value.
  mutating func expect(_ new: EntityTable<Book>, after old: EntityTable<Book>?) {
    func text(_ id: Book.ID, _ table: EntityTable<Book>) -> String { table[id]?.title ?? "-" }
    let next = Book.ID(id.raw + 1)
    let isNews = old.map { text(id, $0) != text(id, new) } ?? true
    let isNextNews = old.map { text(next, $0) != text(next, new) } ?? true
    switch form {
    case .present: if isNews { expected.append(text(id, new)) }
    case .kept:
      last = new[id]?.title ?? last
      if isNews { expected.append("\(last) \(new[id] == nil)") }
    case .pair:
      if isNews || isNextNews { expected.append("\(text(id, new)) \(text(next, new))") }
    }
  }
}

extension EntityTable<Book> {
  fileprivate var titles: [Book.ID: String] {
    Dictionary(uniqueKeysWithValues: map { ($0.id, $0.title) })
  }
}
