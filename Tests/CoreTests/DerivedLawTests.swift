import Dispatch
import StrataBase
import StrataCore
import TestSupport
import Testing

/// Random derived values of random derived values, with functions of the state that must give the same.
struct DerivedLawTests {
  @Test(arguments: 0..<200)
  func `whoever subscribes is told each new value once, in order, with the one before`(
    seed: UInt64
  ) {
    var life = BoardLife(seed: seed)
    for _ in 0..<120 { life.step() }
    life.end()
    #expect(life.faults == [], "seed \(seed)")
  }

  @Test(arguments: 0..<20)
  func `and so it is when many threads commit`(seed: UInt64) {
    var life = BoardLife(seed: seed)
    for _ in 0..<20 { life.derive() }
    for _ in 0..<20 { life.subscribe() }
    let store = life.store
    DispatchQueue.concurrentPerform(iterations: 200) { number in
      var random = SeededGenerator(seed: seed << 32 | UInt64(number))
      store.commit { $0.change(&random) }
    }
    #expect(store.waitForDeliveries())
    life.end()
    #expect(life.faults == [], "seed \(seed)")
  }
}

private struct Board: ExtendedStateType {
  struct Extended: ExtendedType {
    let total = Field.Computed<Int> { $0.list.reduce(0, +) }.ifChanged(selector: \.list)
  }

  var a = 0
  var b = 0
  var list: [Int] = []
  var sum: Int { a + b }

  mutating func change(_ random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: a = Int.random(in: 0..<4, using: &random)
      case 1: b = Int.random(in: 0..<4, using: &random)
      case 2: swap(&a, &b)
      case 3: list.append(Int.random(in: 0..<3, using: &random))
      case 4: list = []
      default: list.sort()
      }
    }
  }
}

/// A derived value, and the function it must equal.
private struct Pair: Sendable {
  let derived: Derived<Int>
  let model: @Sendable (Board) -> Int
}

/// A subscriber, and what it received.
private struct Follower {
  struct Told: Equatable {
    let value: Int
    let previous: Int?
  }

  let model: @Sendable (Board) -> Int
  let subscription: StoreSubscription
  let received: Recorder<Told>
  let first: FirstDelivery
  /// Its position among the versions.
  let begin: Int

  /// A fault in what it received up to a version, or nil.
  func fault(_ boards: ArraySlice<Board>) -> String? {
    let values = boards[begin...].map(model)
    var expected = first == .current ? [Told(value: values[0], previous: nil)] : []
    for (old, new) in zip(values, values.dropFirst()) where old != new {
      expected.append(Told(value: new, previous: old))
    }
    return received.elements == expected
      ? nil : "received \(received.elements), and not \(expected)"
  }
}

/// A store whose derived values, subscribers and commits come and go.
private struct BoardLife {
  let store = Store<Board, Never>(initialState: Board())
  private(set) var faults: [String] = []

  private var random: SeededGenerator
  private var pairs: [Pair] = []
  private var followers: [Follower] = []
  /// Of every version, in order.
  private let boards = Recorder<Board>()
  private let watching: StoreSubscription
  /// What sinks commit, as long as there is any.
  private let inside: Lock<(random: SeededGenerator, left: Int)>

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    inside = Lock((SeededGenerator(seed: ~seed), 30))
    watching = store.sinkState { [boards] in boards.record($0.value) }
  }

  mutating func step() {
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: derive()
    case 2, 3: subscribe()
    case 4: if let place = followers.indices.randomElement(using: &random) { leave(place) }
    case 5: if let place = pairs.indices.randomElement(using: &random) { pairs.remove(at: place) }
    default: store.commit { $0.change(&random) }
    }
    guard let pair = pairs.randomElement(using: &random) else { return }
    let (value, expected) = (pair.derived.value, pair.model(store.state))
    if value != expected { faults.append("\(value) is read, and not \(expected)") }
  }

  mutating func end() {
    while !followers.isEmpty { leave(0) }
    watching.cancel()
  }

  mutating func subscribe() {
    guard let pair = pairs.randomElement(using: &random) else { return }
    let first: FirstDelivery = Bool.random(using: &random) ? .current : .nextCommit
    let received = Recorder<Follower.Told>()
    let commits = Int.random(in: 0..<4, using: &random) == 0
    let begin = boards.elements.count - 1
    let subscription = pair.derived.sinkValue(first: first) { [store, inside] changes in
      received.record(Follower.Told(value: changes.value, previous: changes.previous))
      guard commits else { return }
      let change = inside.withLock { inside -> SeededGenerator? in
        guard inside.left > 0 else { return nil }
        inside.left -= 1
        return SeededGenerator(seed: inside.random.next())
      }
      if var change { store.commit { $0.change(&change) } }
    }
    followers.append(
      Follower(
        model: pair.model,
        subscription: subscription,
        received: received,
        first: first,
        begin: begin
      )
    )
  }

  private mutating func leave(_ place: Int) {
    let follower = followers.remove(at: place)
    follower.subscription.cancel()
    if let fault = follower.fault(boards.elements[...]) { faults.append(fault) }
  }

  mutating func derive() {
    let (one, other) = (pairs.randomElement(using: &random), pairs.randomElement(using: &random))
    guard let one, let other, Bool.random(using: &random) else {
      pairs.append(simple())
      return
    }
    let (first, second) = (one.model, other.model)
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      pairs.append(Pair(derived: one.derived.chain(.map { $0 / 2 })) { first($0) / 2 })
    case 1:
      let parity = Pipeline<Int, Int>.map { $0 % 2 }
        .dropsInput { ($0.previous ?? $0.value + 1) % 2 == $0.value % 2 }
      pairs.append(Pair(derived: one.derived.chain(parity)) { first($0) % 2 })
    case 2:
      let list = one.derived.chain(.map { [$0, 1] }, dropsOutput: nil)
      pairs.append(Pair(derived: list.chain(.map { $0[0] + 1 })) { first($0) + 1 })
    case 3:
      let both = Derived.combined(one.derived, other.derived)
      pairs.append(
        Pair(derived: both.chain(.map { $0.0 * 7 - $0.1 })) {
          first($0) * 7 - second($0)
        }
      )
    default:
      let all = Derived.combined(one.derived, other.derived, store.derived(.map(\.a)))
      pairs.append(
        Pair(derived: all.chain(.map { max($0.0, $0.1, $0.2) })) {
          max(first($0), second($0), $0.a)
        }
      )
    }
  }

  private mutating func simple() -> Pair {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: Pair(derived: store.derived(.map(\.a))) { $0.a }
    case 1: Pair(derived: store.derived(.map(\.sum))) { $0.sum }
    case 2: Pair(derived: store.derived(.mapChanges { $0.list.count })) { $0.list.count }
    case 3: Pair(derived: store.derived(.mapChanges { $0.computed.total })) { $0.list.reduce(0, +) }
    case 4:
      Pair(
        derived: store.derived(.map(derive: { $0.list }, compute: { $0.first ?? -1 }))
      ) { $0.list.first ?? -1 }
    default: Pair(derived: store.derived(.map(\.b)).chain(.map { $0 + 1 })) { $0.b + 1 }
    }
  }
}
