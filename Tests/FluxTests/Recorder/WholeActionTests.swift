import Dispatch
import StrataBase
import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// An action over several stores that is under way when a travel begins takes effect in the present in
/// all of them, or ends with an error.
struct WholeActionTests {
  @Test func `an action whose second store commits while travelling is whole on return`() throws {
    let hub = StrataFlux.Dispatcher(mainThread: .callingThread)
    let held = HeldOperations()
    let first = CounterStore(identifier: "first", reducer: PureCounterReducer())
    let second = CounterStore("second") { operation, _, _ in held.add(operation) }
    try hub.register(store: first)
    try hub.register(store: second)
    let recorder = RecorderMiddleware()
    hub.register(middleware: recorder)
    let ended = Recorder<Int>()
    let dispatch = hub.dispatch(CounterAction.add(5), mode: .mainThread) {
      ended.record(first.state.count)
    }
    hub.dispatch(CounterAction.add(100), to: "first", mode: .sync)

    try recorder.jump(to: 0)
    second.updateState { $0.count += 5 }
    #expect(second.state.count == 0)
    held.finish(0)
    try recorder.returnToPresent()

    #expect([first.state.count, second.state.count] == [105, 5])
    #expect(dispatch.isFinished && dispatch.error == nil && ended.elements.count == 1)
    #expect(recorder.entries.map(\.stores) == [["first"], ["first", "second"]])
    try recorder.back()
    #expect([first.state.count, second.state.count] == [105, 0])
  }

  @Test func `a plain commit of an operation under way goes to the present, too`() throws {
    let hub = StrataFlux.Dispatcher(mainThread: .callingThread)
    let held = HeldOperations()
    let store = CounterStore("one") { operation, _, _ in held.add(operation) }
    try hub.register(store: store)
    let recorder = RecorderMiddleware()
    hub.register(middleware: recorder)
    store.commit { $0.count = 1 }
    hub.dispatch(CounterAction.look, mode: .mainThread)

    try recorder.back()
    let seen = store.commit { state in
      state.count += 10
      return state.count
    }
    held.finish(0)

    #expect(seen == 11)
    #expect(store.state.count == 0)
    store.commit { $0.count = 7 }
    #expect(store.state.count == 7)
    try recorder.returnToPresent()
    #expect(store.state.count == 11)
  }

  @Test func `a branch without the commits of an active dispatch discards it, and drops the rest`()
    throws
  {
    let hub = StrataFlux.Dispatcher(mainThread: .callingThread)
    let held = HeldOperations()
    let first = CounterStore(identifier: "first", reducer: PureCounterReducer())
    let second = CounterStore("second") { operation, _, _ in held.add(operation) }
    try hub.register(store: first)
    try hub.register(store: second)
    let recorder = RecorderMiddleware()
    hub.register(middleware: recorder)
    hub.dispatch(CounterAction.add(100), to: "first", mode: .sync)
    let dispatch = hub.dispatch(CounterAction.add(5), mode: .mainThread)
    #expect(first.state.count == 105)

    try recorder.jump(to: 0)
    #expect(try recorder.branch().isEmpty)
    let seen = second.updateState { state in
      state.count += 5
      return state.count
    }
    held.finish(0)

    #expect(seen == 5)
    #expect([first.state.count, second.state.count] == [0, 0])
    guard case .discarded? = dispatch.error, case .discarded? = recorder.entries.last?.error else {
      Issue.record("\(String(describing: dispatch.error)), \(recorder.entries)")
      return
    }
    second.updateState { $0.count += 1 }
    #expect(second.state.count == 1)
  }

  @Test(arguments: 0..<20)
  func `in 2,000 sequences over three stores the present is whole`(part: UInt64) throws {
    for seed in part * 100..<(part + 1) * 100 { try ThreeStores(seed: seed).run() }
  }

  @Test func `threads that dispatch while another travels leave three equal stores`() throws {
    let hub = StrataFlux.Dispatcher(mainThread: .callingThread)
    let stores = ["a", "b", "c"].map { name in
      name == "b"
        ? CounterStore(identifier: name, reducer: CounterReducer())
        : CounterStore(identifier: name, reducer: PureCounterReducer())
    }
    for store in stores { try hub.register(store: store) }
    let recorder = RecorderMiddleware(limit: 20)
    hub.register(middleware: recorder)
    let done = Lock(0)
    let ended = Recorder<Int>()
    DispatchQueue.concurrentPerform(iterations: 5) { thread in
      if thread == 4 {
        while done.withLock({ $0 }) < 4 {
          do {
            try recorder.back()
            try recorder.jump(to: 0)
            try recorder.returnToPresent()
          } catch {
            Issue.record("\(error)")
          }
        }
      } else {
        let mode = DispatchMode.allCases[thread]
        for _ in 0..<100 {
          let latch = Latch()
          let dispatch = hub.dispatch(CounterAction.increase, mode: mode) { latch.open() }
          #expect(latch.wait())
          if dispatch.error == nil { ended.record(1) }
        }
        done.withLock { $0 += 1 }
      }
    }
    #expect(stores.map(\.state.count) == Array(repeating: ended.elements.count, count: 3))
  }
}

/// One random sequence: dispatches whose operations continue store by store in any order, and travels.
private final class ThreeStores {
  /// Waits in each store until the test continues it, then adds the number inside the dispatch.
  private final class WaitingReducer: Reducer<Numbers, AddNumber>, @unchecked Sendable {
    typealias Operation = ActionOperation<Numbers, AddNumber>
    private let held = Lock<[Int: Operation]>([:])

    override func operation(for action: AddNumber, in store: NumbersStore) throws -> Operation {
      let wait = Operation(action: action, store: store) { [held] operation, action, _ in
        held.withLock { $0[action.number] = operation }
      }
      let add = Operation(action: action, store: store) { operation, action, store in
        store.updateState { $0.all.append(action.number) }
        operation.finish()
      }
      try add.addDependency(wait)
      return add
    }

    func resume(_ number: Int) { held.withLock { $0.removeValue(forKey: number) }?.finish() }
  }

  private let seed: UInt64
  private var random: SeededGenerator
  private let hub = StrataFlux.Dispatcher(mainThread: .callingThread)
  private let recorder: RecorderMiddleware
  private let reducers = [WaitingReducer(), WaitingReducer(), WaitingReducer()]
  private let stores: [NumbersStore]
  /// The indices of the stores that have not committed, by the number of the dispatch.
  private var active: [Int: [Int]] = [:]
  private var dispatches: [Int: DispatchTransaction] = [:]
  private let ended = Recorder<Int>()
  /// What each store must hold while no travel has changed the present.
  private var present: [[Int]] = [[], [], []]
  private var hasChangedPresent = false
  /// The dispatches that were reported to be in the present in part.
  private var reported: Set<Int> = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    recorder = RecorderMiddleware(limit: Bool.random(using: &random) ? 100 : 3)
    stores = zip(["a", "b", "c"], reducers).map { NumbersStore(identifier: $0, reducer: $1) }
    for store in stores { try hub.register(store: store) }
    hub.register(middleware: recorder)
  }

  func run() throws {
    for number in 1...20 { try step(number) }
    try recorder.returnToPresent()
    while let number = active.keys.min() { resume(number) }
    check()
  }

  private func step(_ number: Int) throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3: start(number)
    case 3..<6:
      if let number = active.keys.sorted().randomElement(using: &random) { resume(number) }
    default: try travel()
    }
  }

  private func start(_ number: Int) {
    let wasTravelling = recorder.isTravelling
    let transaction = hub.dispatch(AddNumber(number: number), mode: .mainThread) { [ended] in
      ended.record(number)
    }
    dispatches[number] = transaction
    #expect((transaction.error != nil) == wasTravelling, "seed \(seed)")
    if transaction.error == nil { active[number] = [0, 1, 2] }
  }

  private func resume(_ number: Int) {
    guard var left = active[number], !left.isEmpty else { return }
    let store = left.remove(at: Int.random(in: left.indices, using: &random))
    active[number] = left.isEmpty ? nil : left
    reducers[store].resume(number)
    present[store].append(number)
  }

  /// Dispatches overlap, so with a low limit some entries cannot be skipped.
  private func travel() throws {
    do {
      try travelOneStep()
    } catch let error as RecorderError {
      guard case .partOfBase = error else { throw error }
    }
  }

  private func travelOneStep() throws {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: try recorder.back()
    case 1: try recorder.forward()
    case 2: try recorder.jump(to: Int.random(in: 0...recorder.entries.count, using: &random))
    case 3, 4:
      guard let entry = recorder.entries.randomElement(using: &random) else { return }
      if entry.isSkipped { try recorder.unskip(entry.id) } else { try recorder.skip(entry.id) }
    case 5, 6: try recorder.returnToPresent()
    default:
      guard seed.isMultiple(of: 2) else { return try recorder.returnToPresent() }
      hasChangedPresent = true
      let incomplete =
        switch Int.random(in: 0..<3, using: &random) {
        case 0: try recorder.branch()
        case 1: try recorder.commit()
        default: try recorder.rollback()
        }
      for entry in incomplete {
        if let action = entry.action as? AddNumber { reported.insert(action.number) }
      }
    }
  }

  private func check() {
    let shown = stores.map(\.state.all)
    if !hasChangedPresent { #expect(shown == present, "seed \(seed)") }
    for (number, transaction) in dispatches {
      let count = shown.count { $0.contains(number) }
      #expect(transaction.isFinished, "seed \(seed), dispatch \(number)")
      #expect(ended.elements.count { $0 == number } == 1, "seed \(seed), dispatch \(number)")
      switch transaction.error {
      case .travelling?: #expect(count == 0, "seed \(seed), dispatch \(number)")
      case nil where !hasChangedPresent: #expect(count == 3, "seed \(seed), dispatch \(number)")
      case nil:
        #expect(
          count == 0 || count == 3 || reported.contains(number),
          "seed \(seed), dispatch \(number): \(shown)"
        )
      case .discarded?: #expect(hasChangedPresent, "seed \(seed), dispatch \(number)")
      case let error?: Issue.record("seed \(seed), dispatch \(number): \(error)")
      }
    }
  }
}
