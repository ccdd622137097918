import Strata
import Testing

/// One test for each sentence of `5-verge-computed-derived.md` that states a behaviour.
@Suite(.serialized) struct VergeComputedTests {
  let store = VergeComputed.MyStore()

  @Test func `a plain computed property works as a stored one does`() {
    var state = VergeComputed.Stored.MyState()
    state.items = [VergeComputed.Item(number: 1)]
    let store = Store<VergeComputed.Stored.MyState, Never>(initialState: state)
    #expect(store.state.itemsCount == 1)
    #expect(store.changes.itemsCount == 1)
  }

  @Test func `a computed field is read through the changes of the store`() {
    store.commit { $0.items = [1, 301] }
    #expect(store.changes.computed.filteredArray == [301])
  }

  @Test func `the computed array is calculated only if the specified value changed`() {
    _ = VergeComputed.computations.takeAll()
    store.commit { $0.items = [1, 301] }
    _ = store.changes.computed.counted
    store.commit { $0.name = "Ada" }
    _ = store.changes.computed.counted
    store.commit { $0.items = [302] }
    _ = store.changes.computed.counted
    #expect(VergeComputed.computations.all == [[1, 301], [302]])
  }

  @Test func `it caches the result of the first access and returns it until the source changes`() {
    store.commit { $0.items = [7, 777] }
    _ = VergeComputed.computations.takeAll()
    for _ in 0..<10 { #expect(store.changes.computed.counted == [777]) }
    #expect(VergeComputed.computations.all == [[7, 777]])
  }

  @Test func `a slice derives a value from the state`() {
    let derived: Derived<Int> = store.derived(.map(\.count))
    store.commit { $0.count = 4 }

    // take a value
    #expect(derived.value == 4)
  }

  @Test func `a slice tells its changes`() {
    let derived: Derived<Int> = store.derived(.map(\.count))
    let seen = LockedList<Int>()

    // subscribe a value changes
    let subscription = derived.sinkChanges { (changes: Changes<Int>) in
      seen.append(changes.value)
    }

    store.commit { $0.name = "Ada" }
    store.commit { $0.count = 4 }
    #expect(seen.all == [0, 4])
    subscription.cancel()
  }

  @Test func `a dispatcher is an object that dispatches to the store`() {
    let dispatcher = VergeComputed.MyDispatcher(target: store)

    dispatcher.moreOperation()

    #expect(store.state.count == 1)
  }
}
