import Dispatch
import Strata
import TestSupport
import Testing

/// What the tests of Verge's computed and derived values ask for, by the names they have there.
@Suite struct VergeDerivedAcceptanceTests {
  let store = LibraryStore()
  let shelf = ComputedStore()
  var work: ComputedState.Work { shelf.state.work }

  @Test func `testChangesChain: version, one previous level and changes over five states`() {
    let seen = Recorder<[Int]>()
    let subscription = shelf.sinkState { changes in
      seen.record([
        Int(changes.version),
        changes.previous?.items.count ?? -1,
        changes.hasChanges(\.name) ? 1 : 0,
        changes.computed.hasChanges(\.filteredArray) ? 1 : 0,
      ])
    }
    shelf.commit { $0.name = "a" }
    shelf.commit { $0.items = [1] }
    shelf.commit { $0.items = [1, 400] }
    shelf.commit { $0.name = "b" }
    #expect(
      seen.elements == [
        [0, -1, 1, 1], [1, 0, 1, 0], [2, 0, 0, 0], [3, 1, 0, 1], [4, 2, 1, 0],
      ]
    )
    subscription.cancel()
  }

  @Test func `testCompose: ifChanged over a computed value and over two fires only on change`() {
    let one = Counter()
    let two = Counter()
    let subscription = shelf.sinkState { changes in
      changes.computed.ifChanged(\.filteredArray) { _ in one.add() }
      changes.computed.ifChanged(\.filteredArray, \.length) { _, _ in two.add() }
    }
    shelf.commit { $0.items = [400] }
    shelf.commit { $0.left.books = ["a"] }
    shelf.commit { $0.name = "ab" }
    #expect([one.count, two.count] == [2, 3])
    subscription.cancel()
  }

  @Test func `testMinimumizeComupting: five hundred reads at once compute once`() {
    let shelf = shelf
    DispatchQueue.concurrentPerform(iterations: 500) { _ in
      _ = shelf.changes.computed.filteredArray
    }
    #expect(work.computed.count == 1)
  }

  @Test func `testPreFilterCount: three reads a version compute and select as little as can be`() {
    func read() -> [Int] {
      for _ in 0..<3 { _ = shelf.changes.computed.filteredArray }
      return [work.computed.count, work.selected.count]
    }
    #expect(read() == [1, 1])
    shelf.commit { $0.items = [1] }
    // Compared, then kept for the next comparison.
    #expect(read() == [2, 3])
    shelf.commit { $0.name = "a" }
    #expect(read() == [2, 4])
  }

  @Test func `testRetainCylcle: computed values of a part do not keep the store`() {
    var shelf: ComputedStore? = ComputedStore()
    weak let weakShelf = shelf
    let subscription = shelf?.sinkState { _ = $0.map(\.left).computed.sorted }
    shelf?.commit { $0.left.books = ["b", "a"] }
    shelf = nil
    #expect(weakShelf == nil)
    subscription?.cancel()
  }

  @Test func `testDerivedInitializer: a value of a part skips unrelated commits`() {
    shelf.commit { $0.name = "four" }
    #expect(shelf.changes.computed.length == 4)
    shelf.commit { $0.items = [1] }
    #expect(shelf.changes.computed.noChanges(\.length))
  }

  @Test func `testConcurrency: five hundred comparisons at once agree`() {
    shelf.commit { $0.items = [400] }
    let changes = shelf.changes
    let wrong = Counter()
    DispatchQueue.concurrentPerform(iterations: 500) { _ in
      if changes.computed.noChanges(\.filteredArray) { wrong.add() }
    }
    #expect(wrong.count == 0)
  }

  @Test func `testSlice: the value and its version stay on empty commits`() {
    let versions = Recorder<UInt64>()
    let slice = store.derived(.map(\.count))
    let subscription = slice.sinkValue { versions.record($0.version) }
    store.commit { $0.count += 1 }
    store.commit { _ in }
    store.commit { $0.loggedIn.visits += 1 }
    #expect(slice.value == 1)
    #expect(versions.elements == [0, 1])
    subscription.cancel()
  }

  @Test func `testSlice2: without equality every version that may matter is told`() {
    let plain = Recorder<Int>()
    let dropping = Recorder<Int>()
    let number: Pipeline<LibraryState, Int> = .map { $0.count }
    let subscriptions = [
      store.derived(number, dropsOutput: { _ in false }).sinkValue { plain.record($0.value) },
      store.derived(number, dropsOutput: { !$0.hasChanges }).sinkValue {
        dropping.record($0.value)
      },
    ]
    store.commit { $0.count += 1 }
    store.commit { $0.loggedIn.visits += 1 }
    #expect(plain.elements == [0, 1, 1])
    #expect(dropping.elements == [0, 1])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `testBinding: setting commits, and the store flows back`() {
    let count = store.bindingDerived(get: .map(\.count), set: { $0.count = $1 })
    count.value = 1
    #expect(store.state.count == 1)
    store.commit { $0.count = 2 }
    #expect(count.value == 2)
  }

  @Test func `testRetain: a subscription keeps its derived value until it is cancelled`() {
    var slice: Derived<Int>? = store.derived(.map { $0.count })
    weak let weakSlice = slice
    let subscription = slice?.sinkValue { _ in }
    slice = nil
    #expect(weakSlice != nil)
    subscription?.cancel()
    #expect(weakSlice == nil)
  }

  @Test func `testSliceChain: a chain keeps what it chains from, and frees both`() {
    var slice: Derived<Int>? = store.derived(.map(\.count))
    weak let weakSlice = slice
    var chain = slice?.chain(.map { $0 * 2 })
    weak let weakChain = chain
    slice = nil
    #expect(weakSlice != nil)
    store.commit { $0.count = 2 }
    #expect(chain?.value == 4)
    chain = nil
    #expect(weakChain == nil)
    #expect(weakSlice == nil)
  }

  @Test func `testCombine2: one delivery a commit, and each element knows its own changes`() {
    let deliveries = Counter()
    let counts = Counter()
    let names = Counter()
    let both = Derived.combined(
      store.derived(.map(\.count)),
      store.derived(.map(\.loggedIn.myInfo.name))
    )
    let subscription = both.sinkValue { changes in
      deliveries.add()
      changes.ifChanged(\.0) { _ in counts.add() }
      changes.ifChanged(\.1) { _ in names.add() }
    }
    store.commit { $0.count += 1 }
    store.commit { $0.loggedIn.myInfo.name = "Ada" }
    #expect([deliveries.count, counts.count, names.count] == [3, 2, 2])
    store.commit {
      $0.count += 1
      $0.loggedIn.myInfo.name = "Eva"
    }
    #expect([deliveries.count, counts.count, names.count] == [4, 3, 3])
    subscription.cancel()
  }

  @Test func `testCombine2computed: computed values combine`() {
    let received = Recorder<[Int]>()
    let both = Derived.combined(
      shelf.derived(.mapChanges { $0.computed.filteredArray }),
      shelf.derived(.mapChanges { $0.computed.length })
    )
    let subscription = both.sinkValue { received.record($0.value.0 + [$0.value.1]) }
    shelf.commit { $0.items = [400] }
    shelf.commit { $0.left.books = ["a"] }
    shelf.commit { $0.name = "ab" }
    #expect(received.elements == [[0], [400, 0], [400, 2]])
    #expect(work.computed.count == 2)
    subscription.cancel()
  }

  @Test func `test_identify: key paths are the same value, closures are not`() {
    let one = store.derived(.map(\.count))
    #expect(one === store.derived(.map(\.count)))
    #expect(store.derived(.map { $0.count }) !== store.derived(.map { $0.count }))
  }

  @Test func `test_cachingDerived_concurrent: ten thousand lookups at once give one instance`() {
    let store = store
    let one = store.derived(.map(\.count))
    let others = Counter()
    DispatchQueue.concurrentPerform(iterations: 10_000) { _ in
      if store.derived(.map(\.count)) !== one { others.add() }
    }
    #expect(others.count == 0)
  }
}
