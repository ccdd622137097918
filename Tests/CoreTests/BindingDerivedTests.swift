import StrataCore
import TestSupport
import Testing

@Suite struct BindingDerivedTests {
  let store = LibraryStore()

  @Test func `setting a binding commits to the store`() {
    let count = store.bindingDerived(\.count)
    count.value = 4
    #expect(store.state.count == 4)
    #expect(store.changes.version == 1)
  }

  @Test func `a change of the store comes back through the binding`() {
    let count = store.bindingDerived(\.count)
    store.commit { $0.count = 4 }
    #expect(count.value == 4)
  }

  @Test func `a binding may set by a closure`() {
    let doubled = store.bindingDerived(get: .map { $0.count * 2 }, set: { $0.count = $1 / 2 })
    doubled.value = 8
    #expect(store.state.count == 4)
    #expect(doubled.value == 8)
  }

  @Test func `a binding of a scope sets the scope`() {
    let name = store.detached(from: \.loggedIn).bindingDerived(\.myInfo.name, name: "rename")
    name.value = "Ada"
    #expect(store.state.loggedIn.myInfo.name == "Ada")
    #expect(store.changes.traces.map(\.name) == ["rename"])
  }

  @Test func `the subscribers of a binding are told what was set`() {
    let count = store.bindingDerived(\.count)
    let received = Recorder<Int>()
    let subscription = count.projectedValue.sinkValue { received.record($0.value) }
    count.value = 4
    count.value = 4
    #expect(received.elements == [0, 4])
    subscription.cancel()
  }

  @Test func `a binding is followed as a derived value is`() {
    let count = store.bindingDerived(\.count)
    let (received, counted, doubled) = (Recorder<Int>(), Recorder<Int>(), Recorder<Int>())
    let subscriptions = [
      count.sinkValue { received.record($0.value) },
      count.sinkValue(scan: .counter(), first: .nextCommit) { counted.record($1) },
      count.chain(.map { $0 * 2 }).sinkValue { doubled.record($0.value) },
    ]
    count.value = 4
    #expect(received.elements == [0, 4])
    #expect(counted.elements == [1])
    #expect(doubled.elements == [0, 8])
    #expect([count.version, count.changes.version] == [1, 1])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a binding is a property wrapper`() {
    struct Screen {
      @BindingDerived var count: Int
      init(store: LibraryStore) { _count = store.bindingDerived(\.count) }
    }
    let screen = Screen(store: store)
    screen.count += 3
    #expect(store.state.count == 3)
    #expect(screen.$count.value == 3)
  }

  @Test func `a binding keeps its store`() {
    var store: LibraryStore? = LibraryStore()
    weak let weakStore = store
    var binding = store?.bindingDerived(\.count)
    store = nil
    binding?.value = 2
    #expect(weakStore?.state.count == 2)
    binding = nil
    #expect(weakStore == nil)
  }
}

@Suite struct AssigningTests {
  let source = LibraryStore()
  let target = LibraryStore()

  @Test func `a store assigns its versions to another store`() {
    let subscription = source.detached(from: \.count).assign(to: target.assignee(\.count))
    source.commit { $0.count = 4 }
    #expect(target.state.count == 4)
    subscription.cancel()
    source.commit { $0.count = 5 }
    #expect(target.state.count == 4)
  }

  @Test func `a version that is no longer the state is not assigned, and the last one is`() {
    let (source, target) = (source, target)
    let seen = Recorder<Int>()
    let first = source.sinkState(first: .nextCommit) { changes in
      if changes.count < 5 { source.commit { $0.count += 1 } }
    }
    let subscriptions = [
      source.assign(to: { seen.record($0.count) }),
      source.derived(.map(\.count)).assign(to: target.assignee(\.count)),
    ]
    let assigned = Recorder<Int>()
    let watching = target.sinkState(first: .nextCommit) { assigned.record($0.count) }
    source.commit { $0.count = 1 }
    #expect(seen.elements == [0, 5])
    // Each delivery of a value that a sink has replaced assigns the one that replaced it.
    #expect(assigned.elements == [2, 3, 4, 5])
    for subscription in subscriptions + [first, watching] { subscription.cancel() }
  }

  @Test(.timeLimit(.minutes(5)))
  func `two stores assigned to each other come to rest when two threads have committed`() {
    for round in 0..<loopCount("STRATA_SEQUENCES", 100) {
      let stores = [LibraryStore(), LibraryStore()]
      let (one, other) = (stores[0], stores[1])
      let subscriptions = [
        one.derived(.map(\.count)).assign(to: other.assignee(\.count)),
        other.derived(.map(\.count)).assign(to: one.assignee(\.count)),
      ]
      let committing = stores.indices.map { index in
        inBackground {
          for number in 1...20 { stores[index].commit { $0.count = number * 2 + index } }
        }
      }
      for thread in committing { #expect(thread.wait()) }
      var versions: [UInt64] = []
      repeat {
        versions = stores.map(\.changes.version)
        #expect(one.waitForDeliveries() && other.waitForDeliveries())
      } while versions != stores.map(\.changes.version)
      #expect(one.state.count == other.state.count, "round \(round)")
      subscriptions.forEach { $0.cancel() }
    }
  }

  @Test func `a derived value is assigned to another store`() {
    let subscription = source.derived(.map { $0.count * 2 })
      .assign(to: target.detached(from: \.loggedIn).assignee(\.visits))
    source.commit { $0.count = 4 }
    #expect(target.state.loggedIn.visits == 8)
    subscription.cancel()
  }

  @Test func `a value is assigned to an optional part`() {
    let subscription = source.derived(.map { LibraryState.Search(text: "\($0.count)") })
      .assign(to: target.assignee(\.search))
    source.commit { $0.count = 4 }
    #expect(target.state.search?.text == "4")
    subscription.cancel()
  }

  @Test func `a change is assigned whole`() {
    struct Mirror: StateType { var count: Changes<Int> }
    let target = Store<Mirror, Never>(
      initialState: Mirror(count: source.changes.map(\.count))
    )
    let subscription = source.derived(.map(\.count)).assign(to: target.assignee(\.count))
    source.commit { $0.count = 4 }
    #expect(target.state.count.value == 4)
    #expect(target.state.count.previous == 0)
    subscription.cancel()
  }

  @Test func `an assignee does not keep its store`() {
    var target: LibraryStore? = LibraryStore()
    weak let weakTarget = target
    let subscription = target.map { source.derived(.map(\.count)).assign(to: $0.assignee(\.count)) }
    target = nil
    #expect(weakTarget == nil)
    source.commit { $0.count = 4 }
    subscription?.cancel()
  }
}
