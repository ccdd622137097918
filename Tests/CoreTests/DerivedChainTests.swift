import StrataCore
import TestSupport
import Testing

@Suite struct DerivedChainTests {
  let store = LibraryStore()

  @Test func `a chain is derived from a derived value`() {
    let visits = store.derived(.map(\.loggedIn)).chain(.map(\.visits))
    store.commit { $0.loggedIn.visits = 3 }
    #expect(visits.value == 3)
  }

  @Test func `a chain is told only when its own value changes`() {
    let received = Recorder<Int>()
    let visits = store.derived(.map(\.loggedIn)).chain(.map(\.visits))
    let subscription = visits.sinkValue { received.record($0.value) }
    store.commit { $0.loggedIn.myInfo.name = "Ada" }
    store.commit { $0.loggedIn.visits = 1 }
    store.commit { $0.count = 1 }
    #expect(received.elements == [0, 1])
    subscription.cancel()
  }

  @Test func `a chain is looked at only when what it chains from has changed`() {
    let calls = Counter()
    let chain = store.derived(.map(\.loggedIn)).chain(
      .map { changes in
        calls.add()
        return changes.visits
      }
    )
    let subscription = chain.sinkValue { _ in }
    for number in 1...5 { store.commit { $0.count = number } }
    #expect(calls.count == 1)
    subscription.cancel()
  }

  @Test func `a chain without equality is told whenever what it chains from is`() {
    struct Opaque: Sendable { let visits: Int }
    let received = Recorder<Int>()
    let chain = store.derived(.map(\.loggedIn)).chain(.map { Opaque(visits: $0.visits) })
    let subscription = chain.sinkValue { received.record($0.value.visits) }
    store.commit { $0.loggedIn.myInfo.name = "Ada" }
    store.commit { $0.count = 1 }
    #expect(received.elements == [0, 0])
    subscription.cancel()
  }

  @Test func `combined values are told together`() {
    let received = Recorder<[Int]>()
    let both = Derived.combined(
      store.derived(.map(\.count)),
      store.derived(.map(\.loggedIn.visits))
    )
    let subscription = both.sinkValue { received.record([$0.value.0, $0.value.1]) }
    store.commit {
      $0.count = 1
      $0.loggedIn.visits = 1
    }
    #expect(received.elements == [[0, 0], [1, 1]])
    subscription.cancel()
  }

  @Test func `combined values are told when either changes, and not by other commits`() {
    let received = Recorder<[Int]>()
    let both = Derived.combined(
      store.derived(.map(\.count)),
      store.derived(.map(\.loggedIn.visits))
    )
    let subscription = both.sinkValue { received.record([$0.value.0, $0.value.1]) }
    store.commit { $0.count = 1 }
    store.commit { $0.loggedOut.attempts = 1 }
    store.commit { $0.loggedIn.visits = 1 }
    #expect(received.elements == [[0, 0], [1, 0], [1, 1]])
    #expect(both.value == (1, 1))
    subscription.cancel()
  }

  @Test func `each of combined values has its own changes`() {
    let changed = Recorder<String>()
    let both = Derived.combined(
      store.derived(.map(\.count)),
      store.derived(.map(\.loggedIn.visits))
    )
    let subscription = both.sinkValue { changes in
      changes.ifChanged(\.0) { changed.record("count \($0)") }
      changes.ifChanged(\.1) { changed.record("visits \($0)") }
    }
    store.commit { $0.count = 1 }
    store.commit { $0.loggedIn.visits = 1 }
    #expect(changed.elements == ["count 0", "visits 0", "count 1", "visits 1"])
    subscription.cancel()
  }

  @Test func `three and four values can be combined`() {
    let count = store.derived(.map(\.count))
    let visits = store.derived(.map(\.loggedIn.visits))
    let attempts = store.derived(.map(\.loggedOut.attempts))
    let three = Derived.combined(count, visits, attempts)
    let four = Derived.combined(count, visits, attempts, store.derived(.map(\.search)))
    let received = Recorder<Int>()
    let subscriptions = [
      three.sinkValue { received.record($0.value.0 + $0.value.1 + $0.value.2) },
      four.sinkValue { received.record($0.value.3 == nil ? 0 : 1) },
    ]
    store.commit {
      $0.count = 1
      $0.loggedIn.visits = 2
      $0.loggedOut.attempts = 3
      $0.search = LibraryState.Search(text: "Lem")
    }
    #expect(received.elements == [0, 0, 6, 1])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `no commit on any thread shows a half-updated combination`() {
    let store = store
    let both = Derived.combined(
      store.derived(.map(\.count)),
      store.derived(.map(\.loggedIn)).chain(.map { $0.visits })
    )
    let wrong = Counter()
    let received = Recorder<Int>()
    let subscription = both.sinkValue { changes in
      if changes.value.0 != changes.value.1 { wrong.add() }
      received.record(changes.value.0)
    }
    let reading = inBackground {
      for _ in 0..<1_000 {
        let value = both.value
        if value.0 != value.1 { wrong.add() }
      }
    }
    for _ in 0..<1_000 {
      store.commit {
        $0.count += 1
        $0.loggedIn.visits += 1
      }
    }
    #expect(reading.wait())
    #expect(wrong.count == 0)
    #expect(received.elements == Array(0...1_000))
    subscription.cancel()
  }

  @Test func `a value combined with itself is told once`() {
    let count = store.derived(.map(\.count))
    let received = Recorder<Int>()
    let subscription = Derived.combined(count, count).sinkValue { received.record($0.value.1) }
    store.commit { $0.count = 1 }
    #expect(received.elements == [0, 1])
    subscription.cancel()
  }

  @Test func `combining values of two stores traps and says what to do`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let a = LibraryStore().derived(.map(\.count))
      let b = LibraryStore().derived(.map(\.count))
      _ = Derived.combined(a, b)
    }
    #expect(result?.standardErrorContent.text.contains("of two stores") == true)
  }
}
