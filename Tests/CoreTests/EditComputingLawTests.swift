import StrataCore
import TestSupport
import Testing

/// Computed and derived values read at random places of edits, against computing them each time.
struct EditComputingLawTests {
  @Test func `what is read of an edit or a version is what its state gives`() {
    let start = randomSeed()
    for number in 0..<loopCount("STRATA_PROGRAMS", 1_000) {
      let seed = start &+ UInt64(number)
      let life = SheetLife(seed: seed)
      for step in 0..<12 { life.step(step) }
      life.end()
      #expect(life.faults.elements == [], "seed \(seed)")
      if !life.faults.elements.isEmpty { return }
    }
  }
}

private struct Sheet: ExtendedStateType {
  struct Extended: ExtendedType {
    let total = Field.Computed<Int> { $0.list.reduce(0, +) }.ifChanged(selector: \.list)
    let shown = Field.Computed<[Int]> { state in state.list.filter { $0 > state.limit } }
      .ifChanged(selector: \.list)
      .ifChanged(selector: \.limit)
    let length = Field.Computed<Int> { $0.list.count }
      .dropsInput { $0.noChanges(\.list) }
      .dropsInput { $0.list.count == $0.previous?.list.count }
    let all = Field.Computed<Int> { $0.list.count * 10 + $0.limit }
    let nested = Field.Computed<Int> { state, computed in computed.total * 3 + state.limit }
    let parted = Field.Computed<Int>(derive: { $0.list.first }, compute: { $0 ?? -1 })
  }

  var list: [Int] = []
  var limit = 0
  var stamp = 0

  mutating func change(_ random: inout SeededGenerator) {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: limit = Int.random(in: 0..<4, using: &random)
    case 1: list.append(Int.random(in: 0..<5, using: &random))
    case 2: list = []
    case 3: list = [Int.random(in: 0..<5, using: &random)]
    default: stamp += 1
    }
  }

  /// Every computed property, without a store.
  var values: [Int] {
    let total = list.reduce(0, +)
    let shown = list.filter { $0 > limit }
    return [
      total, shown.count, shown.reduce(0, +), list.count, list.count * 10 + limit,
      total * 3 + limit, list.first ?? -1,
    ]
  }
}

/// A store whose middleware reads, changes and refuses by a seed.
private final class SheetLife: Sendable {
  struct Refusal: Error {}

  let store = Store<Sheet, Never>(initialState: Sheet())
  let faults = Recorder<String>()
  let seed: UInt64
  private let subscriptions: [StoreSubscription]
  private let derived: [(Derived<Int>, @Sendable (Sheet) -> Int)]

  init(seed: UInt64) {
    self.seed = seed
    store.refusedCommitHandler = { _ in }
    let faults = faults
    for stage in 1...3 {
      store.add(
        middleware: .modify { edit in
          var random = SeededGenerator(seed: seed &* 31 &+ UInt64(stage), step: edit.state.stamp)
          for _ in 0..<Int.random(in: 0..<4, using: &random) {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: edit.state.change(&random)
            case 1 where Int.random(in: 0..<3, using: &random) == 0: throw Refusal()
            default:
              Self.check(edit.changes, &random) { faults.record("edit, stage \(stage): \($0)") }
            }
          }
        }
      )
    }
    let dropped = store.derived(.map(\.self), dropsOutput: { $0.limit == 2 })
    derived = [
      (store.derived(.mapChanges { $0.computed.total }), { $0.list.reduce(0, +) }),
      (
        store.derived(
          .map { $0.list.count }.dropsInput { $0.noChanges(\.list) }
            .dropsInput { $0.list.count == $0.previous?.list.count }
        ), { $0.list.count }
      ),
      (
        store.derived(.mapChanges { $0.computed.shown.count + $0.limit }),
        { state in state.list.count { $0 > state.limit } + state.limit }
      ),
    ]
    let sink: @Sendable (Changes<Sheet>) -> Void = { changes in
      var random = SeededGenerator(seed: seed, step: Int(changes.version) + 1_000)
      Self.check(changes, &random) { faults.record("version \(changes.version): \($0)") }
    }
    subscriptions = [store.sinkState(receive: sink), dropped.sinkValue(receive: sink)]
  }

  func step(_ number: Int) {
    var random = SeededGenerator(seed: seed, step: number)
    store.commit { state in
      state.stamp = number * 100
      for _ in 0..<Int.random(in: 1...2, using: &random) { state.change(&random) }
    }
    if Bool.random(using: &random) {
      Self.check(store.changes, &random) { [faults] in faults.record("read \(number): \($0)") }
    }
    for (value, model) in derived where Bool.random(using: &random) {
      let (found, expected) = (value.value, model(store.state))
      if found != expected { faults.record("derived \(number): \(found), not \(expected)") }
    }
  }

  func end() { subscriptions.forEach { $0.cancel() } }

  /// Reads some of the values, and whether they have changed.
  private static func check(
    _ changes: Changes<Sheet>,
    _ random: inout SeededGenerator,
    fault: (String) -> Void
  ) {
    let computed = changes.computed
    let (expected, before) = (changes.value.values, changes.previous?.values)
    for index in expected.indices where Bool.random(using: &random) {
      let found: Int
      let hasChanged: Bool
      switch index {
      case 0: (found, hasChanged) = (computed.total, computed.hasChanges(\.total))
      case 1: (found, hasChanged) = (computed.shown.count, before?[1] != expected[1])
      case 2: (found, hasChanged) = (computed.shown.reduce(0, +), before?[2] != expected[2])
      case 3: (found, hasChanged) = (computed.length, computed.hasChanges(\.length))
      case 4: (found, hasChanged) = (computed.all, computed.hasChanges(\.all))
      case 5: (found, hasChanged) = (computed.nested, computed.hasChanges(\.nested))
      default: (found, hasChanged) = (computed.parted, computed.hasChanges(\.parted))
      }
      if found != expected[index] { fault("value \(index) is \(found), not \(expected[index])") }
      if hasChanged != (before?[index] != expected[index]) {
        fault("value \(index) has changed: \(hasChanged), from \(before?[index] as Int?)")
      }
    }
  }
}
