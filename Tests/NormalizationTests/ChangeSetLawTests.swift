import StrataNormalization
import TestSupport
import Testing

/// Databases that are made from one another by random edits.
struct RandomHistory {
  var databases = [LibraryDatabase()]
  var mutations: LibraryMutations

  init(seed: UInt64, length: Int) {
    mutations = LibraryMutations(seed: seed)
    var database = LibraryDatabase()
    for _ in 0..<length {
      mutations.mutate(&database)
      databases.append(database)
    }
  }

  mutating func any() -> LibraryDatabase { databases[mutations.number(below: databases.count)] }

  mutating func anyChanges() -> ChangeSet { ChangeSet(from: any(), to: any()) }
}

@Suite struct ChangeSetLawTests {
  @Test func `a database with the changes to another applied is the other`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 2_000)) {
      var history = RandomHistory(seed: seed, length: 6)
      for (old, new) in zip(history.databases, history.databases.dropFirst()) {
        #expect(old.applying(ChangeSet(from: old, to: new)) == new, "seed \(seed)")
      }
      let (old, new) = (history.any(), history.any())
      #expect(old.applying(ChangeSet(from: old, to: new)) == new, "seed \(seed), far apart")
    }
  }

  @Test func `no entity occurs twice in a change set`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 500)) {
      var history = RandomHistory(seed: seed, length: 6)
      let ids = history.anyChanges().changes(of: Book.self).map(\.id)
      #expect(ids.count == Set(ids).count, "seed \(seed)")
    }
  }

  @Test func `merged changes do what one after the other does, to any database`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 1_000)) {
      var history = RandomHistory(seed: seed, length: 6)
      let (a, b, database) = (history.anyChanges(), history.anyChanges(), history.any())
      #expect(database.applying(a.merging(b)) == database.applying(a).applying(b), "seed \(seed)")
    }
  }

  @Test func `merging is associative`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 1_000)) {
      var history = RandomHistory(seed: seed, length: 6)
      let (a, b, c) = (history.anyChanges(), history.anyChanges(), history.anyChanges())
      #expect(a.merging(b).merging(c) == a.merging(b.merging(c)), "seed \(seed)")
    }
  }

  @Test func `merging with nothing changes nothing`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 200)) {
      var history = RandomHistory(seed: seed, length: 6)
      let changes = history.anyChanges()
      #expect(changes.merging(ChangeSet()) == changes, "seed \(seed)")
      #expect(ChangeSet().merging(changes) == changes, "seed \(seed)")
    }
  }
}
