import Dispatch
import StrataCore
import TestSupport
import Testing

/// A state with a property that reads itself.
struct EndlessState: ExtendedStateType {
  struct Extended: ExtendedType {
    let number: Field.Computed<Int> = Field.Computed { _, computed in computed.number + 1 }
  }
}

@Suite struct ComputedTests {
  let store = ComputedStore()
  var work: ComputedState.Work { store.state.work }

  @Test func `a computed property is a function of the state`() {
    store.commit { $0.items = [100, 400, 500] }
    #expect(store.changes.computed.filteredArray == [400, 500])
  }

  @Test func `nothing is computed before it is asked for`() {
    store.commit { $0.items = [100, 400, 500] }
    #expect(work.computed.count == 0)
  }

  @Test func `a property that was computed is remembered`() {
    for _ in 0..<5 { _ = store.changes.computed.filteredArray }
    #expect(work.computed.count == 1)
  }

  @Test func `a property is kept while its source does not change`() {
    _ = store.changes.computed.filteredArray
    for number in 0..<5 {
      store.commit { $0.name = "\(number)" }
      _ = store.changes.computed.filteredArray
    }
    #expect(work.computed.count == 1)
  }

  @Test func `a property is computed again when its source has changed`() {
    _ = store.changes.computed.filteredArray
    store.commit { $0.items = [301] }
    #expect(store.changes.computed.filteredArray == [301])
    #expect(work.computed.count == 2)
  }

  @Test func `what is remembered survives versions that nobody asked about`() {
    _ = store.changes.computed.filteredArray
    for number in 0..<5 { store.commit { $0.name = "\(number)" } }
    _ = store.changes.computed.filteredArray
    #expect(work.computed.count == 1)
  }

  @Test func `the source is looked at once a version`() {
    _ = store.changes.computed.filteredArray
    store.commit { $0.name = "a" }
    let before = work.selected.count
    for _ in 0..<5 { _ = store.changes.computed.filteredArray }
    #expect(work.selected.count - before == 1)
  }

  @Test func `a property without a condition is computed once a version`() {
    for number in 0..<3 {
      store.commit { $0.items = [number] }
      for _ in 0..<5 { _ = store.changes.computed.nameAndCount }
    }
    #expect(work.everything.count == 3)
  }

  @Test func `dropsInput keeps the property while its predicate holds`() {
    _ = store.changes.computed.count
    store.commit { $0.name = "a" }
    store.commit { $0.name = "b" }
    #expect(store.changes.computed.count == 0)
    store.commit { $0.items = [1] }
    #expect(store.changes.computed.count == 1)
    #expect(work.computed.count == 2)
  }

  @Test func `dropsInput is asked about the version the property was computed from`() {
    _ = store.changes.computed.count
    store.commit { $0.items = [1] }
    store.commit { $0.name = "a" }
    #expect(store.changes.computed.count == 1)
  }

  @Test func `a property of a part is computed from the part`() {
    store.commit { $0.name = "four" }
    #expect(store.changes.computed.length == 4)
  }

  @Test func `a property may be computed from another`() {
    store.commit { $0.items = [100, 400, 500] }
    #expect(store.changes.computed.sum == 900)
    _ = store.changes.computed.filteredArray
    #expect([work.nested.count, work.computed.count] == [1, 1])
  }

  @Test func `five hundred readers at once compute once`() {
    store.commit { $0.items = [400] }
    let changes = store.changes
    DispatchQueue.concurrentPerform(iterations: 500) { _ in
      if changes.computed.filteredArray != [400] { Issue.record("wrong value") }
    }
    #expect(work.computed.count == 1)
  }

  @Test func `readers of changing versions get the value of their own version`() {
    let store = store
    let committing = inBackground {
      for number in 301..<801 { store.commit { $0.items = [number] } }
    }
    DispatchQueue.concurrentPerform(iterations: 500) { _ in
      let changes = store.changes
      if changes.computed.filteredArray != changes.items { Issue.record("of another version") }
    }
    #expect(committing.wait())
  }

  @Test func `concurrent commits and readers agree on what has changed`() {
    let store = store
    let wrong = Counter()
    let subscription = store.sinkState(first: .nextCommit) { changes in
      if changes.computed.hasChanges(\.filteredArray) != changes.hasChanges(\.items) { wrong.add() }
    }
    DispatchQueue.concurrentPerform(iterations: 500) { number in
      store.commit { number % 2 == 0 ? ($0.items = [400 + number]) : ($0.name = "\(number)") }
    }
    #expect(wrong.count == 0)
    subscription.cancel()
  }

  @Test func `each store remembers on its own`() {
    let other = ComputedStore()
    other.commit { $0.items = [999] }
    store.commit { $0.items = [301] }
    #expect(other.changes.computed.filteredArray == [999])
    #expect(store.changes.computed.filteredArray == [301])
  }

  @Test func `a property that its commit changed has changes`() {
    store.commit { $0.items = [400] }
    #expect(store.changes.computed.hasChanges(\.filteredArray))
  }

  @Test func `a property whose source changed without effect has no changes`() {
    store.commit { $0.items = [400] }
    store.commit { $0.items = [400, 1] }
    #expect(store.changes.computed.noChanges(\.filteredArray))
  }

  @Test func `comparing with the version before computes nothing again`() {
    for number in 1...10 {
      store.commit { $0.items = [300 + number] }
      for _ in 0..<3 { #expect(store.changes.computed.hasChanges(\.filteredArray)) }
    }
    #expect(work.computed.count == 11)
  }

  @Test func `ifChanged calls with a computed property that changed`() {
    store.commit { $0.items = [400] }
    #expect(store.changes.computed.ifChanged(\.filteredArray) { $0.count } == 1)
    store.commit { $0.name = "a" }
    #expect(store.changes.computed.ifChanged(\.filteredArray) { $0.count } == nil)
  }

  @Test func `ifChanged of two computed properties calls when either changed`() {
    store.commit { $0.items = [400] }
    store.commit { $0.name = "ab" }
    let both = store.changes.computed.ifChanged(\.filteredArray, \.length) { "\($0) \($1)" }
    #expect(both == "[400] 2")
    store.commit { $0.left.books = ["a"] }
    #expect(store.changes.computed.ifChanged(\.filteredArray, \.length) { _, _ in 1 } == nil)
  }

  @Test func `a part with computed properties has them at its place`() {
    store.commit {
      $0.left.books = ["b", "a"]
      $0.right.books = ["d", "c"]
    }
    #expect(store.changes.map(\.left).computed.sorted == ["a", "b"])
    #expect(store.changes.map(\.right).computed.sorted == ["c", "d"])
  }

  @Test func `the scope of a dispatcher has its computed properties`() {
    let left = store.detached(from: \.left)
    let seen = Recorder<[String]>()
    let subscription = left.sinkState { seen.record($0.computed.sorted) }
    left.commit { $0.books = ["b", "a"] }
    #expect(seen.elements == [[], ["a", "b"]])
    subscription.cancel()
  }

  @Test func `computed properties of a function's result are computed each time`() {
    store.commit { $0.left.books = ["b", "a"] }
    #expect(store.changes.map { $0.left }.computed.sorted == ["a", "b"])
  }

  @Test func `computed properties do not keep their store`() {
    var store: ComputedStore? = ComputedStore()
    weak let weakStore = store
    let subscription = store?.sinkState { _ = $0.map(\.left).computed.sorted }
    store?.commit { $0.left.books = ["a"] }
    _ = store?.changes.computed.sum
    store = nil
    #expect(weakStore == nil)
    subscription?.cancel()
  }

  @Test func `a property that asks for itself traps and says what to do`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = Store<EndlessState, Never>(initialState: EndlessState()).changes.computed.number
    }
    #expect(
      result?.standardErrorContent.text.contains("A computed property reads itself") == true
    )
  }
}
