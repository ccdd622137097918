import Dispatch
import StrataCore
import TestSupport
import Testing

/// The mechanism under subscriptions to entities, with a dictionary in place of a table.
@Suite struct KeyedTests {
  struct Shelves: StateType {
    var numbers: [Int: Int] = [:]
    var other: [Int: Int] = [:]
    var count = 0

    /// A computed property, so that the offset of the numbers is unknown.
    var computed: [Int: Int] {
      get { numbers }
      set { numbers = newValue }
    }
  }

  /// The numbers that differ; it counts the comparisons, and records which parts are looked up.
  struct Numbers: KeyedDifference {
    let asked = Counter()
    let visits = Recorder<Int>()

    static func == (a: Numbers, b: Numbers) -> Bool { true }
    func hash(into hasher: inout Hasher) {}

    func elements(
      from old: [Int: Int],
      to new: [Int: Int],
      of commit: CommitAttachments
    ) -> [Int] {
      asked.add()
      return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
    }

    func key(of number: Int) -> Int { number }

    func part(of whole: [Int: Int], under key: Int) -> Int? {
      visits.record(key)
      return whole[key]
    }

    func isSame(_ old: Int?, _ new: Int?) -> Bool { old == new }
  }

  /// The tens whose numbers differ: many elements of one key.
  struct Tens: KeyedDifference {
    func elements(
      from old: [Int: Int],
      to new: [Int: Int],
      of commit: CommitAttachments
    ) -> [Int] {
      Numbers().elements(from: old, to: new, of: commit)
    }

    func key(of number: Int) -> Int { number / 10 }

    func part(of whole: [Int: Int], under ten: Int) -> Int {
      whole.filter { $0.key / 10 == ten }.values.reduce(0, +)
    }

    func isSame(_ old: Int, _ new: Int) -> Bool { old == new }
  }

  let store = Store<Shelves, Never>(initialState: Shelves())
  let numbers = Numbers()
  var visits: Recorder<Int> { numbers.visits }
  let received = Recorder<String>()

  func derived(_ key: Int, at path: StatePath<Shelves, [Int: Int]> = \.numbers) -> Derived<Int?> {
    store.keyed(by: numbers, at: path).part(under: key)
  }

  func follow(_ key: Int, at path: StatePath<Shelves, [Int: Int]> = \.numbers) -> StoreSubscription
  {
    let received = received
    return derived(key, at: path).sinkValue(first: .nextCommit) {
      received.record("\(key): \($0.value.map { "\($0)" } ?? "-")")
    }
  }

  @Test func `of ten thousand followers a commit visits those of the key that changed`() {
    let subscriptions = (0..<10_000).map { follow($0) }
    let before = visits.elements.count
    store.commit { $0.numbers[7_531] = 1 }
    // Before and after.
    #expect(visits.elements.dropFirst(before) == [7_531, 7_531])
    #expect(received.elements == ["7531: 1"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a commit to something else asks for no difference`() {
    let subscription = follow(1)
    let before = visits.elements.count
    store.commit { $0.count = 1 }
    store.commit { $0.other[1] = 1 }
    #expect(numbers.asked.count == 0)
    #expect(visits.elements.count == before)
    subscription.cancel()
  }

  @Test func `all who follow one value share one difference a commit`() {
    let subscriptions = (0..<10).map { follow($0) }
    let changes = store.keyed(by: Numbers(), at: \.numbers).differences
    let stream = changes.sinkValue(first: .nextCommit) { _ in }
    store.commit { $0.numbers = [1: 1, 2: 2] }
    #expect(numbers.asked.count == 1)
    #expect(received.elements.sorted() == ["1: 1", "2: 2"])
    stream.cancel()
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a value whose bytes are not known is asked for its difference at each version`() {
    let subscription = follow(1, at: \.computed)
    store.commit { $0.numbers[2] = 2 }
    store.commit { $0.numbers[1] = 1 }
    #expect(received.elements == ["1: 1"])
    subscription.cancel()
  }

  @Test func `two values of one kind are told apart`() {
    let subscriptions = [follow(1), follow(1, at: \.other)]
    store.commit { $0.other[1] = 5 }
    #expect(received.elements == ["1: 5"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a key with many elements is visited once`() {
    let keyed = store.keyed(by: Tens(), at: \.numbers)
    let received = received
    let subscriptions = (0..<10).map { ten in
      keyed.part(under: ten).sinkValue(first: .nextCommit) { received.record("\($0.value)") }
    }
    store.commit { $0.numbers = [31: 1, 32: 2, 33: 4, 55: 8] }
    #expect(received.elements.sorted() == ["7", "8"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `many followers under one key are all told, and those cancelled are not`() {
    var subscriptions = (0..<5).map { _ in follow(1) }
    subscriptions.remove(at: 3).cancel()
    subscriptions.remove(at: 0).cancel()
    store.commit { $0.numbers[1] = 1 }
    #expect(received.elements == ["1: 1", "1: 1", "1: 1"])
    subscriptions.forEach { $0.cancel() }
    store.commit { $0.numbers[1] = 2 }
    #expect(received.elements.count == 3)
  }

  @Test func `who no longer follows a key is neither visited nor kept, whoever else follows`() {
    let visits = visits
    let other = follow(1)
    var part: Derived<Int?>? = derived(2)
    weak let weakPart = part
    let subscription = part?.sinkValue { _ in }
    part = nil
    store.commit { $0.numbers[2] = 1 }
    #expect(weakPart != nil)
    subscription?.cancel()
    #expect(weakPart == nil)
    let before = visits.elements.count
    store.commit { $0.numbers = [1: 2, 2: 2] }
    #expect(visits.elements.dropFirst(before) == [1, 1])
    other.cancel()
  }

  @Test func `a part asked for twice is told to the followers of both`() {
    var first: Derived<Int?>? = derived(1)
    let received = received
    let one = first?.sinkValue(first: .nextCommit) { received.record("one \($0.value ?? 0)") }
    let two = derived(1).sinkValue(first: .nextCommit) { received.record("two \($0.value ?? 0)") }
    first = nil
    store.commit { $0.numbers[1] = 1 }
    one?.cancel()
    store.commit { $0.numbers[1] = 2 }
    #expect(received.elements == ["one 1", "two 1", "two 2"])
    two.cancel()
  }

  @Test func `a subscriber is given the part before, also by the first commit it hears of`() {
    let seen = Recorder<[Int?]>()
    store.commit { $0.numbers[1] = 1 }
    let subscription = derived(1).sinkValue(first: .nextCommit) { changes in
      seen.record([changes.value, changes.previous ?? -1])
    }
    store.commit { $0.numbers[1] = 2 }
    store.commit { $0.numbers[2] = 2 }
    store.commit { $0.numbers[1] = nil }
    store.commit { $0.numbers[1] = 3 }
    #expect(seen.elements == [[2, 1], [nil, 2], [3, nil]])
    subscription.cancel()
  }

  @Test func `a part combined with what is told before it is never half updated`() {
    let pairs = Recorder<[Int?]>()
    // The count is first, so the pair is reached before the numbers are compared.
    let count = store.derived(.map(\.count))
    let pair = Derived.combined(count, derived(1))
    let chained = Derived.combined(pair.chain(.map { $0.1 }), derived(2))
    let all = Derived.combined(pair, chained)
    let subscription = all.sinkValue(first: .nextCommit) { changes in
      let ((count, one), (same, two)) = changes.value
      pairs.record([count, one, same, two])
    }
    store.commit { state in
      state.count = 1
      state.numbers = [1: 10, 2: 20]
    }
    store.commit { $0.numbers[2] = 21 }
    store.commit { $0.numbers[3] = 30 }
    store.commit { $0.count = 2 }
    #expect(pairs.elements == [[1, 10, 10, 20], [1, 10, 10, 21], [2, 10, 10, 21]])
    subscription.cancel()
  }

  /// Objects instead of numbers, to find out what holds them.
  struct Objects: KeyedDifference {
    final class Held: Sendable {}

    func elements(
      from old: [Int: Held],
      to new: [Int: Held],
      of commit: CommitAttachments
    ) -> [Int] {
      Set(old.keys).union(new.keys).filter { old[$0] !== new[$0] }
    }

    func key(of number: Int) -> Int { number }
    func part(of whole: [Int: Held], under key: Int) -> Held? { whole[key] }
    func isSame(_ old: Held?, _ new: Held?) -> Bool { old === new }
  }

  struct Shelf: StateType {
    var objects: [Int: Objects.Held] = [:]
    var count = 0
  }

  @Test func `whoever follows a part keeps no copy of it between commits`() {
    let store = Store<Shelf, Never>(initialState: Shelf())
    let subscription = store.keyed(by: Objects(), at: \.objects).part(under: 1).sinkValue { _ in }
    var held: Objects.Held? = Objects.Held()
    weak let weakHeld = held
    store.commit { [held] in $0.objects[1] = held }
    held = nil
    store.commit { $0.objects[1] = Objects.Held() }
    #expect(weakHeld != nil)
    // The store holds one previous state; nothing holds more.
    store.commit { $0.count = 1 }
    #expect(weakHeld == nil)
    subscription.cancel()
  }

  @Test func `who begins late is told the differences from there`() {
    let changes = store.keyed(by: numbers, at: \.numbers).differences
    let received = received
    func sink() -> StoreSubscription {
      changes.sinkValue(first: .nextCommit) { changes in
        received.record("\(changes.version): \(changes.value.elements)")
      }
    }
    sink().cancel()
    store.commit { $0.numbers[1] = 1 }
    let subscription = sink()
    store.commit { $0.numbers[2] = 2 }
    store.commit { $0.count = 1 }
    store.commit { $0.numbers = [:] }
    #expect(received.elements == ["2: [2]", "4: [1, 2]"])
    subscription.cancel()
  }

  @Test func `after a preview the differences lead from what was shown`() throws {
    let received = received
    let subscription = store.keyed(by: numbers, at: \.numbers).differences
      .sinkValue(first: .nextCommit) { changes in
        received.record("\(changes.value.old) \(changes.value.elements) \(changes.value.new)")
      }
    let one = follow(1)
    let trace = CommitTrace(name: "", fileID: #fileID, function: #function, line: #line)
    let preview = Preview(of: store)
    var shown = store.state
    shown.numbers[1] = 1
    try preview.show(shown, trace)
    preview.notify()
    try preview.keep(trace)
    preview.notify()
    store.commit { $0.numbers[1] = 2 }
    #expect(received.elements == ["[:] [1] [1: 1]", "1: 1", "[1: 1] [1] [1: 2]", "1: 2"])
    subscription.cancel()
    one.cancel()
  }

  @Test func `what is shared is one object while someone keeps it`() {
    func part(_ key: Int) -> Derived<Int?> {
      store.keyed(by: Numbers(), at: \.numbers).part(under: key)
    }
    func shared(_ form: String, _ key: Int) -> Derived<Int> {
      let bare = part(key)
      return store.keyed(by: Numbers(), at: \.numbers).shared(form, under: key) {
        bare.chain(.map { $0 ?? 0 })
      }
    }
    var one: Derived<Int>? = shared("a", 1)
    weak let weakOne = one
    #expect(one === shared("a", 1))
    #expect(one !== shared("b", 1))
    #expect(one !== shared("a", 2))
    one = nil
    #expect(weakOne == nil)
    let bare = part(1)
    #expect(bare === part(1))
    #expect(bare !== part(2))
  }

  @Test func `reading looks again only when there is a new version`() {
    let one = derived(1)
    _ = (0..<5).map { _ in one.value }
    #expect(visits.elements == [1])
    store.commit { $0.numbers[1] = 2 }
    #expect(one.value == 2)
    #expect(one.value == 2)
    #expect(visits.elements == [1, 1])
  }

  @Test func `followers that come and go at random are told what a model says`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 200)) {
      var random = SeededGenerator(seed: seed)
      let store = Store<Shelves, Never>(initialState: Shelves())
      var live: [(key: Int, received: Recorder<Int?>, expected: [Int?], end: StoreSubscription)] =
        []
      var ended = live
      for _ in 0..<60 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          let key = Int.random(in: 0..<6, using: &random)
          let received = Recorder<Int?>()
          let derived = store.keyed(by: Numbers(), at: \.numbers)
            .part(under: key)
          let end = derived.sinkValue { received.record($0.value) }
          live.append((key, received, [store.state.numbers[key]], end))
        case 1 where !live.isEmpty:
          let gone = live.remove(at: Int.random(in: live.indices, using: &random))
          gone.end.cancel()
          ended.append(gone)
        case 2: store.commit { $0.count += 1 }
        default:
          let old = store.state.numbers
          store.commit { state in
            for _ in 0..<Int.random(in: 0...3, using: &random) {
              let key = Int.random(in: 0..<6, using: &random)
              state.numbers[key] = Int.random(in: -1..<3, using: &random)
              if state.numbers[key] == -1 { state.numbers[key] = nil }
            }
          }
          let new = store.state.numbers
          for index in live.indices where old[live[index].key] != new[live[index].key] {
            live[index].expected.append(new[live[index].key])
          }
        }
      }
      for one in live + ended { #expect(one.received.elements == one.expected, "\(random)") }
    }
  }
}
