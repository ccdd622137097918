import Dispatch
import StrataBase
import StrataCore
import TestSupport
import Testing

@Suite struct DerivedLifetimeTests {
  @Test func `a key path gives the same derived value while someone keeps it`() {
    let store = LibraryStore()
    let one = store.derived(.map(\.count))
    #expect(one === store.derived(.map(\.count)))
    #expect(one === LibraryStore.Dispatcher(target: store).derived(.map(\.count)))
  }

  @Test func `different key paths give different derived values`() {
    let store = LibraryStore()
    #expect(store.derived(.map(\.loggedIn.visits)) !== store.derived(.map(\.loggedOut.attempts)))
  }

  @Test func `a key path in a scope is the one written whole`() {
    let store = LibraryStore()
    let visits = store.derived(.map(\.loggedIn.visits))
    #expect(visits === store.detached(from: \.loggedIn).derived(.map(\.visits)))
  }

  @Test func `closures give different derived values`() {
    let store = LibraryStore()
    #expect(store.derived(.map { $0.count }) !== store.derived(.map { $0.count }))
  }

  @Test func `another store gives another derived value`() {
    let one = LibraryStore().derived(.map(\.count))
    #expect(one !== LibraryStore().derived(.map(\.count)))
  }

  @Test func `ten thousand lookups at once give one derived value`() {
    let store = LibraryStore()
    let first = store.derived(.map(\.count))
    DispatchQueue.concurrentPerform(iterations: 10_000) { _ in
      if store.derived(.map(\.count)) !== first { Issue.record("another one") }
    }
  }

  @Test func `lookups at once of a value nobody has yet give one derived value`() {
    for _ in 0..<200 {
      let store = LibraryStore()
      let found = Recorder<Derived<Int>>()
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        found.record(store.derived(.map(\.count)))
      }
      #expect(Set(found.elements.map { ObjectIdentifier($0) }).count == 1)
    }
  }

  @Test func `a store does not keep a derived value`() {
    let store = LibraryStore()
    var derived: Derived<Int>? = store.derived(.map(\.count))
    weak let weakDerived = derived
    derived = nil
    #expect(weakDerived == nil)
  }

  @Test func `a subscription keeps its derived value until it is cancelled`() {
    let store = LibraryStore()
    let received = Recorder<Int>()
    var derived: Derived<Int>? = store.derived(.map { $0.count })
    weak let weakDerived = derived
    let subscription = derived?.sinkValue { received.record($0.value) }
    derived = nil
    store.commit { $0.count = 1 }
    #expect(weakDerived != nil)
    #expect(received.elements == [0, 1])
    subscription?.cancel()
    #expect(weakDerived == nil)
    store.commit { $0.count = 2 }
    #expect(received.elements == [0, 1])
  }

  @Test func `a chain keeps what it chains from, and both go together`() {
    let store = LibraryStore()
    var parent: Derived<LibraryState.LoggedIn>? = store.derived(.map(\.loggedIn))
    weak let weakParent = parent
    var chain = parent?.chain(.map(\.visits))
    weak let weakChain = chain
    var subscription = chain?.sinkValue { _ in }
    parent = nil
    #expect(weakParent != nil)
    chain = nil
    #expect(weakParent != nil)
    subscription?.cancel()
    subscription = nil
    #expect(weakChain == nil)
    #expect(weakParent == nil)
  }

  @Test func `a derived value does not keep its store, and stays what it was`() {
    var store: LibraryStore? = LibraryStore()
    weak let weakStore = store
    let count = store?.derived(.map(\.count))
    let chain = count?.chain(.map { $0 + 1 })
    let subscription = chain?.sinkValue { _ in }
    store?.commit { $0.count = 4 }
    store = nil
    #expect(weakStore == nil)
    #expect([count?.value, chain?.value] == [4, 5])
    subscription?.cancel()
  }

  @Test func `a cancelled subscription lets go of what its closure held`() {
    final class Held: Sendable {}
    let store = LibraryStore()
    var held: Held? = Held()
    weak let weakHeld = held
    let subscription = store.derived(.map(\.count)).sinkValue { [held] _ in _ = held }
    held = nil
    subscription.cancel()
    #expect(weakHeld == nil)
  }

  @Test func `a derived value lets go of what its closure held`() {
    final class Held: Sendable {}
    let store = LibraryStore()
    var held: Held? = Held()
    weak let weakHeld = held
    var derived: Derived<Int>? = store.derived(
      .map { [held] changes in
        _ = held
        return changes.count
      }
    )
    let subscription = derived?.chain(.map { $0 }).sinkValue { _ in }
    held = nil
    derived = nil
    store.commit { $0.count = 1 }
    #expect(weakHeld != nil)
    subscription?.cancel()
    store.commit { $0.count = 2 }
    #expect(weakHeld == nil)
  }

  @Test func `a subscriber cancelled inside another of the same version is not told it`() {
    let store = LibraryStore()
    let received = Recorder<Int>()
    let later = Lock<StoreSubscription?>(nil)
    let first = store.derived(.map(\.count)).sinkValue(first: .nextCommit) { _ in
      later.withLock { $0 }?.cancel()
    }
    let second = store.derived(.map { $0.count }).sinkValue(first: .nextCommit) {
      received.record($0.value)
    }
    later.withLock { $0 = second }
    store.commit { $0.count = 1 }
    #expect(received.elements == [])
    first.cancel()
  }

  @Test func `a derived value can be followed again after its last subscriber has gone`() {
    let store = LibraryStore()
    let count = store.derived(.map(\.count))
    count.sinkValue { _ in }.cancel()
    store.commit { $0.count = 1 }
    let received = Recorder<[Int?]>()
    let subscription = count.sinkValue { received.record([$0.previous, $0.value]) }
    store.commit { $0.count = 2 }
    #expect(received.elements == [[nil, 1], [1, 2]])
    subscription.cancel()
  }

  @Test func `cancelling in any order keeps the others`() {
    var generator = SeededGenerator(seed: 12)
    let store = LibraryStore()
    let received = Recorder<Int>()
    let sources = [
      store.derived(.map(\.count)), store.derived(.map { $0.count }),
      store.derived(.map(\.count)).chain(.map { $0 }),
    ]
    var all = (0..<300).map { number in
      (number, sources[number % 3].sinkValue(first: .nextCommit) { _ in received.record(number) })
    }
    for _ in 0..<250 { all.remove(at: Int.random(in: all.indices, using: &generator)).1.cancel() }
    store.commit { $0.count = 1 }
    #expect(received.elements.sorted() == all.map(\.0), "\(generator)")
    for (_, subscription) in all { subscription.cancel() }
  }

  @Test func `a derived value without subscribers holds no old state`() {
    let store = Store<Holder, Never>(initialState: Holder())
    let whole = store.derived(.map(\.self), dropsOutput: nil)
    let held: [(Derived<Holder>, StoreSubscription)] = [
      (whole, whole.sinkValue { _ in }),
      (whole, whole.chain(.map { $0 }, dropsOutput: nil).sinkValue { _ in }),
      (whole, Derived.combined(whole, store.derived(.map(\.count))).sinkValue { _ in }),
    ]
    weak var first: Counter?
    weak var second: Counter?
    do {
      let (one, other) = (Counter(), Counter())
      (first, second) = (one, other)
      store.commit { $0.object = one }
      store.commit { $0.object = other }
    }
    #expect(first != nil)
    for (_, subscription) in held { subscription.cancel() }
    store.commit { $0.object = nil }
    store.commit { $0.count += 1 }
    #expect(first == nil)
    #expect(second == nil)
    withExtendedLifetime(held) {}
  }

  private struct Holder: StateType {
    var object: Counter?
    var count = 0
  }
}
