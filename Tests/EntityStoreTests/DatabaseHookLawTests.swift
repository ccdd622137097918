import Dispatch
import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

@Suite struct DatabaseHookLawTests {
  /// Two databases of one type, one of them also listed as part of a larger one.
  struct Shelves: StateType, DatabaseType {
    var upper = LibraryDatabase()
    var lower = LibraryDatabase()

    static let schema = DatabaseSchema<Shelves> {
      Entities(\.upper.authors, named: "upper_authors")
      Entities(\.upper.books, named: "upper_books")
      Entities(\.upper.loans, named: "upper_loans")
      Entities(\.upper.archivedBooks, named: "upper_archived_books")
      Entities(\.lower.authors, named: "lower_authors")
      Entities(\.lower.books, named: "lower_books")
      Entities(\.lower.loans, named: "lower_loans")
      Entities(\.lower.archivedBooks, named: "lower_archived_books")
    }
  }

  @Test func `the change set of every commit leads from the value before to the value after`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 2_000)) {
      let store = LibraryStore()
      let key = store.databaseHook(\.db).key
      var mutations = LibraryMutations(seed: seed)
      for _ in 0..<6 {
        let old = store.changes
        store.commit { mutations.mutate(&$0.db) }
        // Mutations without an effect make no version.
        guard store.changes.version > old.version else { continue }
        let changes = store.changes.attachments[key]
        #expect(changes.map(old.db.applying) == store.state.db, "seed \(seed)")
      }
    }
  }

  @Test func `the change sets of all commits lead from the first value to the last`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 200)) {
      let store = LibraryStore()
      let key = store.databaseHook(\.db).key
      let received = Recorder<ChangeSet?>()
      let subscription = store.sinkState(first: .nextCommit) {
        received.record($0.attachments[key])
      }
      var mutations = LibraryMutations(seed: seed)
      for _ in 0..<10 { store.commit { mutations.mutate(&$0.db) } }
      #expect(store.waitForDeliveries())
      let merged = received.elements.compactMap { $0 }.reduce(ChangeSet()) { $0.merging($1) }
      #expect(LibraryDatabase().applying(merged) == store.state.db, "seed \(seed)")
      subscription.cancel()
    }
  }

  @Test func `hooks on two databases each see their own`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 200)) {
      let store = Store<Shelves, Never>(initialState: Shelves())
      let upper = store.databaseHook(\.upper).key
      let lower = store.databaseHook(\.lower).key
      var mutations = LibraryMutations(seed: seed)
      for step in 0..<6 {
        let old = store.changes
        store.commit { state in
          switch step {
          case 3: state.lower = state.upper
          case 1, 4: mutations.mutate(&state.lower)
          default: mutations.mutate(&state.upper)
          }
        }
        guard store.changes.version > old.version else { continue }
        let attachments = store.changes.attachments
        #expect(attachments[upper].map(old.upper.applying) == store.state.upper, "seed \(seed)")
        #expect(attachments[lower].map(old.lower.applying) == store.state.lower, "seed \(seed)")
      }
    }
  }

  @Test func `hooks on overlapping databases each see the whole of theirs`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 200)) {
      let store = Store<Shelves, Never>(initialState: Shelves())
      let upper = store.databaseHook(\.upper).key
      let whole = store.databaseHook(\.self).key
      var mutations = LibraryMutations(seed: seed)
      for _ in 0..<6 {
        let old = store.changes
        store.commit { mutations.mutate(&$0.upper) }
        guard store.changes.version > old.version else { continue }
        let attachments = store.changes.attachments
        #expect(attachments[upper].map(old.upper.applying) == store.state.upper, "seed \(seed)")
        #expect(attachments[whole].map(old.value.applying) == store.state, "seed \(seed)")
      }
    }
  }

  @Test func `change sets of concurrent commits lead from the first value to the last`() {
    let store = LibraryStore()
    let key = store.databaseHook(\.db).key
    let received = Recorder<ChangeSet?>()
    let subscription = store.sinkState(first: .nextCommit) { received.record($0.attachments[key]) }
    DispatchQueue.concurrentPerform(iterations: 400) { number in
      store.commit { state in
        state.db.books.insert(Book(id: Book.ID(number % 40), title: "\(number)"))
        state.db.books.remove(Book.ID((number + 7) % 40))
      }
    }
    #expect(store.waitForDeliveries())
    let merged = received.elements.compactMap { $0 }.reduce(ChangeSet()) { $0.merging($1) }
    #expect(received.elements.count == 400)
    #expect(LibraryDatabase().applying(merged) == store.state.db)
    subscription.cancel()
  }

  @Test func `a hook installed during concurrent commits sees each commit from then on`() {
    for _ in 0..<50 {
      let store = LibraryStore()
      let committing = inBackground {
        DispatchQueue.concurrentPerform(iterations: 100) { number in
          store.commit { $0.db.books.insert(Book(id: Book.ID(number))) }
        }
      }
      let key = store.databaseHook(\.db).key
      let missing = Recorder<UInt64>()
      let subscription = store.sinkState(first: .nextCommit) { changes in
        if changes.attachments[key] == nil { missing.record(changes.version) }
      }
      #expect(committing.wait())
      #expect(missing.elements == [])
      subscription.cancel()
    }
  }
}
