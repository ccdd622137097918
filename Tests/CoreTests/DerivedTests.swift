import Dispatch
import StrataBase
import StrataCore
import TestSupport
import Testing

@Suite struct DerivedTests {
  let store = LibraryStore()
  let seen = Recorder<Int>()

  @Test func `a derived value is the part of the state its key path leads to`() {
    let count: Derived<Int> = store.derived(.map(\.count))
    #expect(count.value == 0)
    store.commit { $0.count = 4 }
    #expect(count.value == 4)
  }

  @Test func `a derived value may be a function of the state`() {
    let doubled = store.derived(.map { $0.count * 2 })
    store.commit { $0.count = 4 }
    #expect(doubled.value == 8)
  }

  @Test func `a derived value may be computed from a computed property`() {
    let store = ComputedStore()
    let large = store.derived(.mapChanges { $0.computed.filteredArray })
    store.commit { $0.items = [1, 400] }
    #expect(large.value == [400])
    #expect(store.changes.computed.filteredArray == [400])
    #expect(store.state.work.computed.count == 1)
  }

  @Test func `a derived value is as new as the state, also where a delivery waits`() {
    let count = store.derived(.map(\.count))
    let store = store
    let agree = Recorder<Bool>()
    let subscription = store.sinkState(first: .nextCommit) { changes in
      if changes.count == 1 { store.commit { $0.count = 2 } }
      agree.record(count.value == store.state.count)
    }
    store.commit { $0.count = 1 }
    #expect(agree.elements == [true, true])
    subscription.cancel()
  }

  @Test func `a subscriber is told the current value before the call returns`() {
    store.commit { $0.count = 4 }
    let subscription = store.derived(.map(\.count)).sinkValue { [seen] in seen.record($0.value) }
    #expect(seen.elements == [4])
    subscription.cancel()
  }

  @Test func `sinkChanges is told the same as sinkValue`() {
    let subscription = store.derived(.map(\.count)).sinkChanges { [seen] (changes: Changes<Int>) in
      seen.record(changes.value)
    }
    store.commit { $0.count = 1 }
    #expect(seen.elements == [0, 1])
    subscription.cancel()
  }

  @Test func `a subscriber is told each new value once, and nothing of other commits`() {
    let subscription = store.derived(.map(\.count)).sinkValue { [seen] in seen.record($0.value) }
    store.commit { $0.loggedIn.visits = 1 }
    store.commit { $0.count = 1 }
    store.commit { $0.loggedIn.visits = 2 }
    store.commit { $0.count = 2 }
    #expect(seen.elements == [0, 1, 2])
    subscription.cancel()
  }

  @Test func `a subscriber of a function is told nothing while its result is equal`() {
    let isOdd = store.derived(.map { $0.count % 2 == 1 })
    let received = Recorder<Bool>()
    let subscription = isOdd.sinkValue { received.record($0.value) }
    for count in [1, 3, 5, 6, 8, 9] { store.commit { $0.count = count } }
    #expect(received.elements == [false, true, false, true])
    subscription.cancel()
  }

  @Test func `a subscriber of a computed key path is told when its value changes`() {
    let length = store.derived(.map(\.loggedIn.myInfo.name.count))
    let subscription = length.sinkValue { [seen] in seen.record($0.value) }
    store.commit { $0.loggedIn.myInfo.name = "Ada" }
    store.commit { $0.loggedIn.myInfo.name = "Eva" }
    store.commit { $0.loggedIn.myInfo.name = "Evita" }
    #expect(seen.elements == [0, 3, 5])
    subscription.cancel()
  }

  @Test func `the changes of a derived value have the value before and the version of the store`() {
    let received = Recorder<[Int?]>()
    let subscription = store.derived(.map(\.count)).sinkValue { changes in
      received.record([changes.previous, changes.value, Int(changes.version)])
    }
    store.commit { $0.count = 4 }
    store.commit { $0.loggedIn.visits = 1 }
    store.commit { $0.count = 5 }
    #expect(received.elements == [[nil, 0, 0], [0, 4, 1], [4, 5, 3]])
    subscription.cancel()
  }

  @Test func `the changes of a derived value carry the trace of the commit`() {
    let names = Recorder<[String]>()
    let subscription = store.derived(.map(\.count)).sinkValue(first: .nextCommit) {
      names.record($0.traces.map(\.name))
    }
    store.commit("four") { $0.count = 4 }
    #expect(names.elements == [["four"]])
    subscription.cancel()
  }

  @Test func `a subscriber that asks for the next commit misses nothing in between`() {
    let count = store.derived(.map(\.count))
    _ = count.value
    store.commit { $0.count = 1 }
    let received = Recorder<[Int?]>()
    let subscription = count.sinkValue(first: .nextCommit) {
      received.record([$0.previous, $0.value])
    }
    store.commit { $0.count = 2 }
    #expect(received.elements == [[1, 2]])
    subscription.cancel()
  }

  @Test func `a value that is not equatable is told when its bytes change`() {
    struct Opaque: Sendable { var number: Int }
    struct OpaqueState: StateType {
      var opaque = Opaque(number: 0)
      var count = 0
    }
    let store = Store<OpaqueState, Never>(initialState: OpaqueState())
    let subscription = store.derived(.map(\.opaque)).sinkValue { [seen] in
      seen.record($0.value.number)
    }
    store.commit { $0.count = 1 }
    store.commit { $0.opaque.number = 1 }
    #expect(seen.elements == [0, 1])
    subscription.cancel()
  }

  @Test func `dropsOutput keeps the value it holds for`() {
    let count = store.derived(.map(\.count), dropsOutput: { $0.value % 10 != 0 })
    let subscription = count.sinkValue { [seen] in seen.record($0.value) }
    for number in [3, 10, 14, 20] { store.commit { $0.count = number } }
    #expect(seen.elements == [0, 10, 20])
    #expect(count.value == 20)
    subscription.cancel()
  }

  @Test func `dropsInput keeps the value while it holds`() {
    let calls = Counter()
    let pipeline: Pipeline<LibraryState, Int> = .map { changes in
      calls.add()
      return changes.count
    }
    let count = store.derived(pipeline.dropsInput { $0.noChanges(\.count) })
    let subscription = count.sinkValue { [seen] in seen.record($0.value) }
    for number in 1...5 { store.commit { $0.loggedIn.visits = number } }
    store.commit { $0.count = 1 }
    #expect(seen.elements == [0, 1])
    #expect(calls.count == 2)
    subscription.cancel()
  }

  @Test func `a function of a part is called only when the part has changed`() {
    let calls = Counter()
    let count = store.derived(
      .map(
        derive: { $0.count },
        compute: { count in
          calls.add()
          return "\(count)"
        }
      )
    )
    let subscription = count.sinkValue { _ in }
    for number in 1...5 { store.commit { $0.loggedIn.visits = number } }
    #expect(calls.count == 1)
    subscription.cancel()
  }

  @Test func `reading computes once a version`() {
    let calls = Counter()
    let count = store.derived(
      .map { changes in
        calls.add()
        return changes.count
      }
    )
    for number in 1...3 {
      store.commit { $0.count = number }
      for _ in 0..<5 { _ = count.value }
    }
    #expect(calls.count == 3)
  }

  @Test func `a derived value without subscribers costs a commit no call`() {
    let calls = Counter()
    let count = store.derived(
      .map { changes in
        calls.add()
        return changes.count
      }
    )
    store.commit { $0.count = 1 }
    #expect(calls.count == 0)
    #expect(count.value == 1)
  }

  @Test func `a dispatcher derives from its scope`() {
    let visits = store.detached(from: \.loggedIn).derived(.map(\.visits))
    let doubled = store.detached(from: \.loggedIn).derived(.map { $0.visits * 2 })
    store.commit { $0.loggedIn.visits = 3 }
    #expect([visits.value, doubled.value] == [3, 6])
  }

  @Test func `a dispatcher of an optional part derives from the optional`() {
    let text = store.detached(from: \.search).derived(.map { $0?.text ?? "-" })
    let received = Recorder<String>()
    let subscription = text.sinkValue { received.record($0.value) }
    store.commit { $0.search = LibraryState.Search(text: "Lem") }
    store.commit { $0.search = nil }
    #expect(received.elements == ["-", "Lem", "-"])
    subscription.cancel()
  }

  @Test func `a commit inside a subscriber is told after the present value has reached everyone`() {
    let store = store
    let received = Recorder<String>()
    let count = store.derived(.map(\.count))
    let subscriptions = [
      count.sinkValue(first: .nextCommit) { changes in
        received.record("first \(changes.value)")
        if changes.value == 1 { store.commit { $0.count = 2 } }
      },
      count.sinkValue(first: .nextCommit) { received.record("second \($0.value)") },
    ]
    store.commit { $0.count = 1 }
    #expect(received.elements == ["first 1", "second 1", "first 2", "second 2"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `subscribers of different values are called in the order of their subscription`() {
    let received = Recorder<String>()
    let paths: [(String, Derived<Int>)] = [
      ("visits", store.derived(.map(\.loggedIn.visits))),
      ("count", store.derived(.map(\.count))),
      ("sum", store.derived(.map { $0.count + $0.loggedIn.visits })),
      ("attempts", store.derived(.map(\.loggedOut.attempts))),
    ]
    let subscriptions = paths.map { name, derived in
      derived.sinkValue(first: .nextCommit) { _ in received.record(name) }
    }
    store.commit {
      $0.count = 1
      $0.loggedIn.visits = 1
      $0.loggedOut.attempts = 1
    }
    #expect(received.elements == paths.map(\.0))
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a dispatch queue gets the values in order`() {
    let queue = DispatchQueue(label: "derived")
    let subscription = store.derived(.map(\.count)).sinkValue(queue: .dispatch(queue)) { [seen] in
      seen.record($0.value)
    }
    for count in 1...100 { store.commit { $0.count = count } }
    queue.sync {}
    #expect(seen.elements == Array(0...100))
    subscription.cancel()
  }

  @Test func `a hundred concurrent commits reach every subscriber once and in order`() {
    for _ in 0..<50 {
      let store = LibraryStore()
      let recorders = (0..<4).map { _ in Recorder<Int>() }
      let sources: [Derived<Int>] = [
        store.derived(.map(\.count)), store.derived(.map { $0.count }),
        store.derived(.map(\.count)).chain(.map { $0 }),
        store.derived(.map(\.loggedIn)).chain(.map(\.visits)),
      ]
      let subscriptions = zip(sources, recorders).map { source, recorder in
        source.sinkValue(first: .nextCommit) { recorder.record($0.value) }
      }
      DispatchQueue.concurrentPerform(iterations: 100) { _ in
        store.commit {
          $0.count += 1
          $0.loggedIn.visits += 1
        }
        _ = sources.map(\.value)
      }
      #expect(store.waitForDeliveries())
      #expect(recorders.map(\.elements) == recorders.map { _ in Array(1...100) })
      subscriptions.forEach { $0.cancel() }
    }
  }

  @Test func `subscribers that come and go during commits see rising values without gaps`() {
    let store = store
    let count = store.derived(.map(\.count))
    let gaps = Recorder<[Int]>()
    let committing = inBackground {
      DispatchQueue.concurrentPerform(iterations: 2_000) { _ in store.commit { $0.count += 1 } }
    }
    for _ in 0..<300 {
      let seen = Recorder<Int>()
      let subscription = count.sinkValue { seen.record($0.value) }
      store.commit { $0.count += 1 }
      subscription.cancel()
      let run = seen.elements
      if let first = run.first, run != Array(first..<first + run.count) { gaps.record(run) }
    }
    #expect(committing.wait())
    #expect(gaps.elements == [])
  }

  @Test func `asking for a derived value inside its own function traps and says what to do`() async
  {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let store = LibraryStore()
      let own = Lock<Derived<Int>?>(nil)
      let derived = store.derived(.map { _ in own.withLock { $0 }?.value ?? 0 })
      own.withLock { $0 = derived }
      _ = derived.value
    }
    #expect(
      result?.standardErrorContent.text.contains("use what the closure is given") == true
    )
  }
}
