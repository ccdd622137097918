import Dispatch
import StrataBase
import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// A recorder against a model, over random sequences of dispatches that overlap, commits, travels, skips,
/// branches and exports.
struct RecorderLawTests {
  @Test(arguments: 0..<10)
  func `what is shown, refused and exported is what the model says`(part: UInt64) throws {
    let seed = randomSeed() &+ part
    var random = SeededGenerator(seed: seed)
    for round in 0..<loopCount("STRATA_RECORDINGS", 8) {
      let run = try RecordedRun(seed: "seed \(seed), round \(round)", random)
      try run.run()
      random = run.random
    }
  }

  @Test func `threads that dispatch and commit while another travels leave what the entries have`()
    throws
  {
    let hub = StrataFlux.Dispatcher(mainThread: .callingThread)
    let stores = ["a", "b", "c"].map { name in
      name == "b"
        ? CounterStore(identifier: name, reducer: CounterReducer())
        : CounterStore(identifier: name, reducer: PureCounterReducer())
    }
    for store in stores { try hub.register(store: store) }
    let other = NumbersStore(identifier: "other", reducer: ChoosyReducer())
    try hub.register(store: other)
    let recorder = RecorderMiddleware(limit: 20, patience: .milliseconds(2))
    hub.register(middleware: recorder)
    let done = Lock(0)
    let ended = Recorder<Int>()
    let travels = Recorder<Int>()
    DispatchQueue.concurrentPerform(iterations: 6) { thread in
      switch thread {
      case 5:
        while done.withLock({ $0 }) < 5 || travels.elements.isEmpty {
          do throws(RecorderError) {
            try recorder.back()
            travels.record(1)
            try recorder.jump(to: 0)
            try recorder.returnToPresent()
          } catch {
            if case .inProgress = error { continue }
            Issue.record("\(error)")
          }
        }
      case 4:
        for number in 0..<400 { other.commit { $0.all.append(number) } }
        done.withLock { $0 += 1 }
      default:
        for _ in 0..<100 {
          let latch = Latch()
          let mode = DispatchMode.allCases[thread]
          let dispatch = hub.dispatch(CounterAction.increase, mode: mode) { latch.open() }
          #expect(latch.wait())
          if dispatch.error == nil { ended.record(1) }
        }
        done.withLock { $0 += 1 }
      }
    }
    #expect(stores.map(\.state.count) == Array(repeating: ended.elements.count, count: 3))
    let last = try #require(recorder.entries.last).id
    #expect(try recorder.state(of: other, afterEntry: last) == other.state)
  }
}

/// Adds to `slow` in two commits, the second one when the test continues it; an even number goes to `pure`
/// at the start.
private struct SlowNumber: FluxAction, Codable {
  let number: Int
}

/// Refuses a number that 3 divides after one that 5 divides.
private func add(_ number: Int, to all: inout [Int]) throws {
  if number % 3 == 0, let last = all.last, last % 5 == 0 { throw TestError() }
  all.append(number)
}

private final class ChoosyReducer: Reducer<Numbers, AddNumber>, @unchecked Sendable {
  override func reduce(_ state: inout Numbers, _ action: AddNumber) throws {
    try add(action.number, to: &state.all)
  }
}

private final class SlowReducer: Reducer<Numbers, SlowNumber>, @unchecked Sendable {
  typealias Operation = ActionOperation<Numbers, SlowNumber>
  private let held = Lock<[Int: Operation]>([:])
  private let pure: NumbersStore

  init(_ pure: NumbersStore) { self.pure = pure }

  override func operation(for action: SlowNumber, in store: FluxStore<Numbers, SlowNumber>) throws
    -> Operation
  {
    let wait = Operation(action: action, store: store) { [held, pure] operation, action, store in
      if action.number % 2 == 0 { pure.updateState { $0.all.append(action.number) } }
      store.updateState { $0.all.append(action.number) }
      held.withLock { $0[action.number] = operation }
    }
    let end = Operation(action: action, store: store) { operation, action, store in
      store.updateState { $0.all.append(-action.number) }
      operation.finish()
    }
    try end.addDependency(wait)
    return end
  }

  func resume(_ number: Int) { held.withLock { $0.removeValue(forKey: number) }?.finish() }
}

/// Three stores and their recorder.
private struct RecordedNumbers {
  let hub = StrataFlux.Dispatcher(mainThread: .callingThread)
  let pure = NumbersStore(identifier: "pure", reducer: ChoosyReducer())
  let waiting = NumbersStore(identifier: "waiting", reducer: ChoosyReducer())
  let slow: FluxStore<Numbers, SlowNumber>
  let reducer: SlowReducer
  let recorder: RecorderMiddleware

  init(limit: Int) throws {
    reducer = SlowReducer(pure)
    slow = FluxStore(identifier: "slow", reducer: reducer)
    recorder = RecorderMiddleware(limit: limit, patience: .zero)
    try hub.register(store: pure)
    try hub.register(store: waiting, waitingFor: ["pure"])
    try hub.register(store: slow)
    hub.register(middleware: recorder)
  }

  var numbers: [String: [Int]] {
    ["pure": pure.state.all, "waiting": waiting.state.all, "slow": slow.state.all]
  }

  /// What is shown at every position; ends at the one that was shown before.
  func allNumbers() throws -> [[String: [Int]]] {
    let position = recorder.position
    let all = try (0...recorder.entries.count).map { position in
      try recorder.jump(to: position)
      return numbers
    }
    try recorder.jump(to: position)
    return all
  }
}

/// What a recorder shows, over stores of numbers.
private struct RecorderModel {
  struct Part {
    enum Change {
      case reduced(Int)
      case appended(Int)
      case unknown
    }

    var changes: [Change] = []
    /// For a store that did not do what it would on another state.
    var failed: Int?
    var isBlocked = false
    var recorded: [Int]?
    var shown: [Int]?
    var isWhole = true
  }

  struct Entry {
    var id = 0
    var parts: [String: Part] = [:]
    var isSkipped = false
  }

  static let order = ["pure", "waiting", "slow"]

  let limit: Int
  var current = ["pure": [Int](), "waiting": [], "slow": []]
  var base = ["pure": [Int](), "waiting": [], "slow": []]
  var partialBase: Set<String> = []
  var entries: [Entry] = []
  var position = 0
  var lastID = 0
  /// The stores with commits of dispatches that are not finished.
  var open: Set<String> = []

  /// Adds an entry with the states that its stores have now.
  mutating func append(_ new: Entry) {
    var entry = new
    lastID += 1
    entry.id = lastID
    for (store, var part) in entry.parts where !part.changes.isEmpty {
      part.recorded = current[store]
      part.shown = part.recorded
      part.isWhole = !open.contains(store)
      entry.parts[store] = part
    }
    entries.append(entry)
    position = entries.count
    merge()
  }

  mutating func merge() {
    while entries.count > limit {
      base = shown(at: 1)
      for (store, part) in entries.removeFirst().parts where part.recorded != nil {
        if part.isWhole { partialBase.remove(store) } else { partialBase.insert(store) }
      }
      position = max(0, position - 1)
    }
  }

  func shown(at position: Int) -> [String: [Int]] {
    entries.prefix(position).reduce(into: base) { states, entry in
      for (store, part) in entry.parts { states[store] = part.shown ?? states[store] }
    }
  }

  /// Where the stores are first shown otherwise; nil if the base has what is skipped.
  private func starts() -> [String: Int]? {
    var starts: [String: Int] = [:]
    for (index, entry) in entries.enumerated() where entry.isSkipped {
      for (store, part) in entry.parts where part.recorded != nil {
        let earlier = entries.indices.prefix(index)
          .filter { entries[$0].parts[store]?.recorded != nil }
        let partial = earlier.reversed().prefix { entries[$0].parts[store]?.isWhole == false }
        if partial.count == earlier.count, partialBase.contains(store) { return nil }
        starts[store] = min(starts[store] ?? index, partial.last ?? index)
      }
    }
    return starts
  }

  /// Computes what is shown; false if it is refused.
  mutating func replay() -> Bool {
    guard let starts = starts() else { return false }
    var different: Set<String> = []
    for index in entries.indices {
      different.formUnion(starts.filter { $0.value == index }.keys)
      let entry = entries[index]
      for (store, part) in entry.parts {
        entries[index].parts[store]?.shown = entry.isSkipped ? nil : part.recorded
      }
      if entry.isSkipped { continue }
      let before = shown(at: index)
      var pureFails = entries[index].parts["pure"]?.failed != nil
      for store in Self.order {
        guard var part = entries[index].parts[store] else { continue }
        var number = part.failed
        if case .reduced(let reduced)? = part.changes.first { number = reduced }
        if store == "waiting", let number {
          // It is reached if the other one does not fail.
          if pureFails {
            if part.recorded != nil { different.insert(store) }
            part.shown = nil
          } else if part.isBlocked || different.contains(store) {
            different.insert(store)
            var all = before[store] ?? []
            do { try add(number, to: &all) } catch { /* unchanged */  }
            part.shown = all
          }
        } else if different.contains(store), let number {
          var all = before[store] ?? []
          do {
            try add(number, to: &all)
            (part.shown, pureFails) = (all, false)
          } catch {
            (part.shown, pureFails) = (nil, true)
          }
        } else if different.contains(store), !part.changes.isEmpty {
          var all = before[store] ?? []
          for change in part.changes {
            guard case .appended(let number) = change else { return false }
            all.append(number)
          }
          part.shown = all
        }
        entries[index].parts[store] = part
      }
    }
    return true
  }

  mutating func branch() {
    entries = entries.prefix(position).filter { !$0.isSkipped }
    var seen: Set<String> = []
    for index in entries.indices.reversed() {
      for store in Self.order {
        guard var part = entries[index].parts[store] else { continue }
        if part.shown != part.recorded { part.isWhole = true }
        var number = part.failed
        if case .reduced(let reduced)? = part.changes.first { number = reduced }
        if let number, part.shown != nil {
          (part.changes, part.failed) = ([.reduced(number)], nil)
        } else if let number {
          (part.changes, part.failed) = ([], number)
        }
        if store == "waiting", number != nil {
          part.isBlocked = entries[index].parts["pure"]?.failed != nil
        }
        part.recorded = part.shown
        if part.recorded != nil, seen.insert(store).inserted, !part.isWhole {
          (part.changes, part.isWhole, part.failed) = ([.unknown], true, nil)
        }
        entries[index].parts[store] = part
      }
    }
    position = entries.count
    current = shown(at: position)
  }

  mutating func commit() {
    base = shown(at: position)
    (partialBase, entries, position, current) = ([], [], 0, base)
  }
}

private final class RecordedRun {
  private let start: String
  /// What was done, for the message of a failure.
  private var steps: [String] = []
  private var seed: String { "\(start): \(steps.joined(separator: " "))" }
  var random: SeededGenerator
  let one: RecordedNumbers
  var model: RecorderModel
  private var active: [Int: RecorderModel.Entry] = [:]
  private var lastNumber = 0

  init(seed: String, _ given: SeededGenerator) throws {
    start = seed
    random = given
    let limit = Bool.random(using: &random) ? 100 : 4
    one = try RecordedNumbers(limit: limit)
    model = RecorderModel(limit: limit)
  }

  func run() throws {
    for _ in 0..<2 {
      for _ in 0..<Int.random(in: 3..<12, using: &random) { act() }
      try #require(one.numbers == model.current, "\(seed)")
      if !active.isEmpty {
        let error = #expect(throws: RecorderError.self) { try one.recorder.jump(to: 0) }
        if case .inProgress? = error {} else { Issue.record("\(seed)") }
        for number in active.keys.sorted().shuffled(using: &random) { finish(number) }
      }
      try #require(one.recorder.entries.map(\.id) == model.entries.map(\.id), "\(seed)")
      for _ in 0..<4 { try travel() }
      try end()
    }
  }

  private func act() {
    lastNumber += 1
    let number = lastNumber
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2:
      steps.append("dispatch\(number)")
      dispatch(number)
    case 3, 4:
      steps.append("slow\(number)")
      one.hub.dispatch(SlowNumber(number: number), mode: .mainThread)
      var entry = RecorderModel.Entry()
      if number % 2 == 0 { change("pure", .appended(number), in: &entry) }
      change("slow", .appended(number), in: &entry)
      active[number] = entry
    case 5:
      if let number = active.keys.sorted().randomElement(using: &random) { finish(number) }
    case 6:
      steps.append("update\(number)")
      one.pure.updateState { $0.all.append(number) }
      var entry = RecorderModel.Entry()
      change("pure", .appended(number), in: &entry)
      append(entry)
    default:
      steps.append("commit\(number)")
      one.slow.commit { $0.all.append(number) }
      // A commit from elsewhere, while its store is not done with a dispatch, counts for the oldest one.
      if let oldest = active.keys.min() {
        change("slow", .unknown, appending: number, in: &active[oldest, default: .init()])
      } else {
        var entry = RecorderModel.Entry()
        change("slow", .unknown, appending: number, in: &entry)
        append(entry)
      }
    }
  }

  private func change(
    _ store: String,
    _ change: RecorderModel.Part.Change,
    appending number: Int? = nil,
    in entry: inout RecorderModel.Entry
  ) {
    switch change {
    case .appended(let number), .reduced(let number):
      model.current[store, default: []].append(number)
    case .unknown: model.current[store, default: []].append(number ?? 0)
    }
    entry.parts[store, default: .init()].changes.append(change)
  }

  private func append(_ entry: RecorderModel.Entry) {
    model.open = Set(active.values.flatMap(\.parts.keys))
    model.append(entry)
  }

  private func dispatch(_ number: Int) {
    one.hub.dispatch(AddNumber(number: number), mode: .sync)
    var entry = RecorderModel.Entry()
    for store in ["pure", "waiting"] {
      var all = model.current[store] ?? []
      if store == "waiting", entry.parts["pure"]?.failed != nil {
        entry.parts[store] = .init(failed: number, isBlocked: true)
        continue
      }
      do {
        try add(number, to: &all)
        change(store, .reduced(number), in: &entry)
      } catch {
        entry.parts[store] = .init(failed: number)
      }
    }
    append(entry)
  }

  private func finish(_ number: Int) {
    steps.append("finish\(number)")
    one.reducer.resume(number)
    guard var entry = active.removeValue(forKey: number) else { return }
    change("slow", .appended(-number), in: &entry)
    append(entry)
  }

  private func travel() throws {
    let recorder = one.recorder
    if let entry = model.entries.indices.randomElement(using: &random) {
      var skipped = model
      skipped.entries[entry].isSkipped.toggle()
      let id = model.entries[entry].id
      let isPossible = skipped.replay()
      do throws(RecorderError) {
        if model.entries[entry].isSkipped {
          try recorder.unskip(id)
        } else {
          try recorder.skip(id)
        }
        steps.append("toggle\(id)")
        #expect(isPossible, "\(seed)")
        model = skipped
      } catch {
        #expect(!isPossible, "\(seed): \(id), \(error)")
        switch error {
        case .notReplayable, .partOfBase: break
        default: Issue.record("\(seed): \(error)")
        }
      }
    }
    let shown = (0...model.entries.count).map { model.shown(at: $0) }
    let all = try one.allNumbers()
    try #require(all == shown, "\(seed)")
    let position = Int.random(in: 0...model.entries.count, using: &random)
    steps.append("jump\(position)")
    try recorder.jump(to: position)
    model.position = position
    try #require(one.numbers == shown[position], "\(seed)")

    let copy = try RecordedNumbers(limit: 100)
    let missing = try copy.recorder.import(recorder.export())
    #expect(missing == [])
    #expect(copy.recorder.position == position)
    #expect(copy.recorder.entries.map(\.isSkipped) == model.entries.map(\.isSkipped), "\(seed)")
    #expect(
      copy.recorder.entries.map { $0.error.map { "\($0)" } }
        == recorder.entries.map { $0.error.map { "\($0)" } },
      "\(seed)"
    )
    #expect(copy.recorder.entries.flatMap(\.decidedOtherwise) == [], "\(seed)")
    let copied = try copy.allNumbers()
    try #require(copied == shown, "\(seed)")
  }

  private func end() throws {
    let end = Int.random(in: 0..<4, using: &random)
    steps.append(["return", "branch", "commit", "rollback"][end])
    switch end {
    case 0:
      try one.recorder.returnToPresent()
      for entry in model.entries.indices { model.entries[entry].isSkipped = false }
      let isPossible = model.replay()
      #expect(isPossible, "\(seed)")
      model.position = model.entries.count
    case 1:
      if one.recorder.isTravelling { model.branch() }
      try one.recorder.branch()
    case 2:
      try one.recorder.commit()
      model.commit()
    default:
      try one.recorder.rollback()
      model.position = 0
      model.commit()
    }
    #expect(!one.recorder.isTravelling)
    try #require(one.numbers == model.current, "\(seed)")
  }
}
