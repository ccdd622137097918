import StrataCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ValuesTests {
  let store = LibraryStore()

  @Test func `values begin with the current one`() async {
    store.commit { $0.count = 4 }
    for await changes in store.values(buffering: .unbounded) {
      #expect(changes.count == 4)
      #expect(changes.previous == nil)
      break
    }
  }

  @Test func `an unbounded sequence has every version since the call, in order`() async {
    let values = store.values(buffering: .unbounded)
    for count in 1...1_000 { store.commit { $0.count = count } }
    var versions: [UInt64] = []
    for await changes in values {
      versions.append(changes.version)
      if changes.version == 1_000 { break }
    }
    #expect(versions == Array(0...1_000))
  }

  @Test func `a bounded sequence keeps the newest, and the skip shows as a gap in version`() async {
    let values = store.values(buffering: .newest(2))
    for count in 1...10 { store.commit { $0.count = count } }
    var versions: [UInt64] = []
    for await changes in values {
      versions.append(changes.version)
      if changes.version == 10 { break }
    }
    #expect(versions == [9, 10])
  }

  @Test func `after a gap the previous value is that of the version before`() async {
    let values = store.values(buffering: .newest(1))
    for count in 1...10 { store.commit { $0.count = count } }
    for await changes in values {
      #expect(changes.previous?.count == 9)
      break
    }
  }

  @Test func `values keep every version unless told otherwise`() async {
    let values = store.values()
    let counts = store.derived(.map(\.count)).values()
    for count in 1...1_000 { store.commit { $0.count = count } }
    var (versions, numbers): ([UInt64], [Int]) = ([], [])
    for await changes in values {
      versions.append(changes.version)
      if changes.version == 1_000 { break }
    }
    for await changes in counts {
      numbers.append(changes.value)
      if changes.value == 1_000 { break }
    }
    #expect(versions == Array(0...1_000))
    #expect(numbers == Array(0...1_000))
  }

  @Test func `activities are a sequence, in order, from the call on`() async {
    store.send(.opened)
    let activities = store.activities()
    let newest = store.detached(from: \.loggedIn).activities(buffering: .newest(1))
    for number in 1...3 { store.send(.rang(number)) }
    var received: [LibraryActivity] = []
    for await activity in activities {
      received.append(activity)
      if activity == .rang(3) { break }
    }
    #expect(received == [.rang(1), .rang(2), .rang(3)])
    for await activity in newest {
      #expect(activity == .rang(3))
      break
    }
  }

  @Test func `activities end when the store is released`() async {
    var store: LibraryStore? = LibraryStore()
    let activities = store?.activities()
    store?.send(.rang(1))
    store = nil
    var received: [LibraryActivity] = []
    if let activities { for await activity in activities { received.append(activity) } }
    #expect(received == [.rang(1)])
  }

  @Test func `values of a scope are those of the part`() async {
    let values = store.detached(from: \.loggedIn.visits).values(buffering: .unbounded)
    store.commit { $0.loggedIn.visits = 1 }
    var visits: [Int] = []
    for await changes in values {
      visits.append(changes.value)
      if changes.value == 1 { break }
    }
    #expect(visits == [0, 1])
  }

  @Test func `values end when the store goes`() async {
    var store: LibraryStore? = LibraryStore()
    let values = store?.values(buffering: .unbounded)
    store?.commit { $0.count = 1 }
    store = nil
    var counts: [Int] = []
    if let values { for await changes in values { counts.append(changes.count) } }
    #expect(counts == [0, 1])
  }

  @Test func `values and activities end when the store goes while a derived value of it lives`()
    async
  {
    var store: LibraryStore? = LibraryStore()
    let count = store?.derived(.map(\.count))
    let values = store?.values()
    let activities = store?.activities()
    store?.commit { $0.count = 1 }
    store?.send(.rang(1))
    store = nil
    var (counts, received): ([Int], [LibraryActivity]) = ([], [])
    if let values { for await changes in values { counts.append(changes.count) } }
    if let activities { for await activity in activities { received.append(activity) } }
    #expect(counts == [0, 1])
    #expect(received == [.rang(1)])
    #expect(count?.value == 1)
  }

  @Test func `the values of a derived value end when the store goes`() async {
    var store: LibraryStore? = LibraryStore()
    let visits = store?.derived(.map(\.loggedIn)).chain(.map(\.visits))
    let values = visits?.values(buffering: .unbounded)
    store?.commit { $0.loggedIn.visits = 1 }
    store = nil
    var seen: [Int] = []
    if let values { for await changes in values { seen.append(changes.value) } }
    if let late = visits?.values(buffering: .unbounded) {
      for await changes in late { seen.append(changes.value) }
    }
    #expect(seen == [0, 1, 1])
  }

  @Test func `values end when the task that reads them is cancelled`() async {
    let values = store.values(buffering: .unbounded)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for await _ in values {
        count += 1
        start.finish()
      }
      return count
    }
    for await _ in started {}
    task.cancel()
    #expect(await task.value == 1)
  }

  @Test func `a sequence that is dropped lets go of its subscription`() {
    final class Held: Sendable {}
    struct HeldState: StateType {
      var held: Held?
      var count = 0
    }
    let store = Store<HeldState, Never>(initialState: HeldState())
    var held: Held? = Held()
    weak let weakHeld = held
    store.commit { [held] in $0.held = held }
    var values: AsyncStream<Changes<HeldState>>? = store.values(buffering: .unbounded)
    _ = values
    held = nil
    store.commit { $0.held = nil }
    store.commit { $0.count = 1 }
    #expect(weakHeld != nil)
    values = nil
    #expect(weakHeld == nil)
  }

  @Test func `each reader has a sequence of its own`() async {
    let one = store.values(buffering: .unbounded)
    let other = store.values(buffering: .unbounded)
    store.commit { $0.count = 1 }
    for values in [one, other] {
      var counts: [Int] = []
      for await changes in values {
        counts.append(changes.count)
        if changes.count == 1 { break }
      }
      #expect(counts == [0, 1])
    }
  }

  @Test func `the values of a derived value are those that differ`() async {
    let values = store.derived(.map(\.count)).values(buffering: .unbounded)
    store.commit { $0.loggedIn.visits = 1 }
    store.commit { $0.count = 1 }
    var versions: [UInt64] = []
    for await changes in values {
      versions.append(changes.version)
      if changes.value == 1 { break }
    }
    #expect(versions == [0, 2])
  }
}
