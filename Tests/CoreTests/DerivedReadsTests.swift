import StrataBase
import StrataCore
import TestSupport
import Testing

/// A closure is called again only when what it has read has changed.
@Suite struct DerivedReadsTests {
  let store = LibraryStore()
  let calls = Counter()
  let seen = Recorder<Int>()

  /// Subscribes to a closure whose calls are counted.
  private func follow(
    _ function: @escaping @Sendable (Changes<LibraryState>) -> Int
  ) -> StoreSubscription {
    let derived = store.derived(
      .mapChanges { [calls] changes in
        calls.add()
        return function(changes)
      }
    )
    return derived.sinkValue { [seen] in seen.record($0.value) }
  }

  @Test func `a closure is not called while the properties that it has read are unchanged`() {
    let subscription = follow { $0.count + $0.loggedOut.attempts }
    for visits in 1...5 { store.commit { $0.loggedIn.visits = visits } }
    #expect(calls.count == 1)
    store.commit { $0.loggedOut.attempts = 1 }
    store.commit { $0.count = 10 }
    #expect(calls.count == 3)
    #expect(seen.elements == [0, 1, 11])
    subscription.cancel()
  }

  @Test func `a closure follows the properties that it has read the last time`() {
    let subscription = follow { $0.count == 0 ? $0.loggedIn.visits : -$0.loggedOut.attempts }
    store.commit { $0.loggedOut.attempts = 1 }
    #expect(calls.count == 1)
    store.commit { $0.count = 1 }
    store.commit { $0.loggedIn.visits = 7 }
    #expect(calls.count == 2)
    store.commit { $0.loggedOut.attempts = 2 }
    store.commit { $0.count = 0 }
    #expect(seen.elements == [0, -1, -2, 7])
    #expect(calls.count == 4)
    subscription.cancel()
  }

  @Test func `a closure that has read more than properties is called for each version`() {
    let readers: [@Sendable (Changes<LibraryState>) -> Int] = [
      { $0.value.count },
      { Int($0.version) },
      { $0.previous?.count ?? -1 },
      { $0.hasChanges(\.count) ? $0.count : -2 },
      { $0.traces.count },
      { $0.map { $0.count }.value },
      { $0.droppedPrevious().count },
      { $0[dynamicMember: \.self].count },
    ]
    for reader in readers {
      let before = calls.count
      let subscription = follow(reader)
      for visits in 1...3 { store.commit { $0.loggedIn.visits += visits } }
      #expect(calls.count == before + 4)
      subscription.cancel()
    }
  }

  @Test func `a map takes the value, and is called for each version of it`() {
    let visits = store.derived(.map(\.loggedIn)).chain(
      .map { [calls] loggedIn in
        calls.add()
        return [loggedIn.visits].suffix(1).count
      }
    )
    let subscription = visits.sinkValue { [seen] in seen.record($0.value) }
    store.commit { $0.loggedIn.visits = 1 }
    store.commit { $0.count = 1 }
    #expect(calls.count == 2)
    #expect(seen.elements == [1])
    subscription.cancel()
  }

  @Test func `a closure that reads a computed property of a state follows every version`() {
    let store = ComputedStore()
    let seen = Recorder<[Int]>()
    let large = store.derived(.mapChanges { $0.computed.filteredArray })
    let subscription = large.sinkValue { seen.record($0.value) }
    store.commit { $0.items = [1, 400] }
    store.commit { $0.items = [1, 400, 500] }
    #expect(seen.elements == [[], [400], [400, 500]])
    subscription.cancel()
  }

  @Test func `a closure of a dispatcher follows what it has read of the scope`() {
    let scoped = store.detached(from: \.loggedIn)
    let derived = scoped.derived(
      .mapChanges { [calls] changes in
        calls.add()
        return changes.visits
      }
    )
    let subscription = derived.sinkValue { [seen] in seen.record($0.value) }
    store.commit { $0.loggedIn.myInfo.name = "Ada" }
    store.commit { $0.count = 1 }
    #expect(calls.count == 1)
    store.commit { $0.loggedIn.visits = 3 }
    #expect(seen.elements == [0, 3])
    subscription.cancel()
  }

  @Test func `the value of a dispatcher's scope is one property`() {
    let scoped = store.detached(from: \.loggedIn)
    let derived = scoped.derived(
      .mapChanges { [calls] changes in
        calls.add()
        return changes.value.visits
      }
    )
    let subscription = derived.sinkValue { [seen] in seen.record($0.value) }
    store.commit { $0.count = 1 }
    #expect(calls.count == 1)
    store.commit { $0.loggedIn.visits = 3 }
    #expect(seen.elements == [0, 3])
    subscription.cancel()
  }

  /// Equal while the counts are, which are read after the closure.
  private struct Kept: Equatable, Sendable {
    let changes: Changes<LibraryState>

    static func == (a: Kept, b: Kept) -> Bool { a.changes.count == b.changes.count }
  }

  @Test func `changes that outlive the closure count as everything`() {
    let derived = store.derived(.mapChanges { Kept(changes: $0) })
    let subscription = derived.sinkValue { [seen] in seen.record($0.value.changes.count) }
    store.commit { $0.count = 1 }
    store.commit { $0.loggedIn.visits = 1 }
    store.commit { $0.count = 2 }
    #expect(seen.elements == [0, 1, 2])
    subscription.cancel()
  }

  @Test func `a closure that reads nothing is called once`() {
    let subscription = follow { _ in 5 }
    store.commit { $0.count = 1 }
    store.commit { $0.loggedIn.visits = 1 }
    #expect(calls.count == 1)
    #expect(seen.elements == [5])
    subscription.cancel()
  }

  @Test func `a closure is followed again after all its subscribers have left`() {
    let derived = store.derived(.mapChanges { $0.count == 0 ? 0 : $0.loggedIn.visits })
    let first = derived.sinkValue { [seen] in seen.record($0.value) }
    store.commit { $0.count = 1 }
    first.cancel()
    store.commit { $0.loggedIn.visits = 2 }
    let second = derived.sinkValue { [seen] in seen.record($0.value) }
    store.commit { $0.loggedIn.visits = 3 }
    #expect(seen.elements == [0, 2, 3])
    second.cancel()
  }

  @Test func `a reader of a closure and its subscribers agree on what was read`() {
    let derived = store.derived(.mapChanges { $0.count == 0 ? 0 : $0.loggedIn.visits })
    let subscription = derived.sinkValue { [seen] in seen.record($0.value) }
    for visits in 1...3 {
      store.commit {
        $0.count = 1
        $0.loggedIn.visits = visits
      }
      #expect(derived.value == visits)
    }
    #expect(seen.elements == [0, 1, 2, 3])
    subscription.cancel()
  }

  @Test func `closures give what the same functions give of the whole state`() {
    struct Numbers: StateType {
      var parts = (0, 0, 0, 0)
      var a = 0
      var b = 0
      var c = 0
    }
    for seed in 0..<100 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let store = Store<Numbers, Never>(initialState: Numbers())
      let (tracked, whole) = (Recorder<Int>(), Recorder<Int>())
      let subscriptions = [
        store.derived(.mapChanges { $0.a > 1 ? $0.b : $0.c > 1 ? $0.a : $0.parts.2 })
          .sinkValue { tracked.record($0.value) },
        store.derived(
          .map { it in
            it.a > 1 ? it.b : it.c > 1 ? it.a : it.parts.2
          }
        )
        .sinkValue { whole.record($0.value) },
      ]
      for _ in 0..<60 {
        let number = Int.random(in: 0..<4, using: &random)
        let property = Int.random(in: 0..<4, using: &random)
        store.commit { state in
          switch property {
          case 0: state.a = number
          case 1: state.b = number
          case 2: state.c = number
          default: state.parts.2 = number
          }
        }
      }
      #expect(tracked.elements == whole.elements, "seed \(seed)")
      for subscription in subscriptions { subscription.cancel() }
    }
  }
}
