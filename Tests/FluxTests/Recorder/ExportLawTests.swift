import Foundation
import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// An export shows what its recorder shows, or there is none.
struct ExportLawTests {
  /// `increase` refuses a state other than 1; `decrease` halves.
  private final class GuardedReducer: Reducer<Counter, CounterAction>, @unchecked Sendable {
    override func reduce(_ state: inout Counter, _ action: CounterAction) throws {
      switch action {
      case .add(let number): state.count += number
      case .increase:
        guard state.count == 1 else { throw TestError() }
        state.count += 4
      case .decrease: state.count /= 2
      case .look, .fail: break
      }
    }
  }

  /// A guarded store, and two that wait for it: a pure one, and one with operations.
  private struct Hub {
    let hub = StrataFlux.Dispatcher(name: "law")
    let recorder = RecorderMiddleware()
    let stores = [
      CounterStore(identifier: "guarded", reducer: GuardedReducer()),
      CounterStore(identifier: "pure", reducer: PureCounterReducer()),
      CounterStore("operating") { operation, action, store in
        if case .add(let number) = action { store.updateState { $0.count += number } }
        operation.finish()
      },
    ]

    init() throws {
      try hub.register(store: stores[0])
      for store in stores.dropFirst() { try hub.register(store: store, waitingFor: ["guarded"]) }
      hub.register(middleware: recorder)
    }

    /// The counts at every position.
    func counts() throws -> [[Int]] {
      try (0...recorder.entries.count).map { position in
        try recorder.jump(to: position)
        return stores.map(\.state.count)
      }
    }
  }

  @Test func `an export shows the same at every position, or names the entry that it would not`()
    throws
  {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    var exported = 0
    for round in 0..<120 {
      let hub = try Hub()
      for _ in 0..<Int.random(in: 3..<9, using: &random) {
        let ids = hub.recorder.entries.map(\.id)
        let id = ids.randomElement(using: &random) ?? 1
        do {
          switch Int.random(in: 0..<9, using: &random) {
          case 0: try hub.recorder.skip(id)
          case 1: try hub.recorder.move(id, before: ids.randomElement(using: &random))
          case 2: try hub.recorder.branch()
          case 3: try hub.recorder.unskip(id)
          case 4: try hub.recorder.returnToPresent()
          default:
            if hub.recorder.isTravelling { try hub.recorder.branch() }
            let actions: [CounterAction] = [.add(-1), .add(1), .add(4), .increase, .decrease]
            hub.hub.dispatch(actions.randomElement(using: &random) ?? .look, mode: .sync)
          }
        } catch _ {
          // What cannot be replayed stays as it is.
        }
      }
      let data: Data
      do {
        data = try hub.recorder.export()
      } catch RecorderError.notExportable(let entry, let reason) {
        let known = [0] + hub.recorder.entries.map(\.id)
        #expect(known.contains(entry) && !reason.isEmpty, "seed \(seed), round \(round)")
        continue
      }
      exported += 1
      let other = try Hub()
      let position = hub.recorder.position
      try other.recorder.import(data)
      #expect(other.stores.map(\.state) == hub.stores.map(\.state), "seed \(seed), round \(round)")
      #expect(other.recorder.position == position)
      #expect(try other.counts() == hub.counts(), "seed \(seed), round \(round)")
    }
    #expect(exported > 10, "seed \(seed)")
  }

  @Test func `a reducer that is not pure makes no export, and the error names the entry`() throws {
    final class Impure: Reducer<Counter, CounterAction>, @unchecked Sendable {
      private let calls = CallCount()

      override func reduce(_ state: inout Counter, _ action: CounterAction) {
        state.count = calls.next()
      }
    }
    let hub = StrataFlux.Dispatcher(name: "impure")
    let recorder = RecorderMiddleware()
    try hub.register(store: CounterStore(identifier: "impure", reducer: Impure()))
    hub.register(middleware: recorder)
    #expect(throws: Never.self) { try recorder.export() }
    hub.dispatch(CounterAction.increase, mode: .sync)
    let error = #expect(throws: RecorderError.self) { try recorder.export() }
    guard case .notExportable(entry: 1, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      String(describing: error).contains("would not show what this recorder shows from entry 1")
    )
    #expect(String(describing: error).contains("Call commit()"))
    try recorder.commit()
    #expect(throws: Never.self) { try recorder.export() }
  }

  @Test func `a skip names operations that may have read a store that they wait for`() throws {
    let hub = try Hub()
    hub.hub.dispatch(CounterAction.add(1), to: "guarded", mode: .sync)
    hub.hub.dispatch(CounterAction.add(10), to: "operating", mode: .sync)
    hub.hub.dispatch(CounterAction.add(20), mode: .sync)
    // The guarded store is another one then, whose state an operation of the third entry can have read.
    #expect(try hub.recorder.skip(1) == [3])
    #expect(hub.stores.map(\.state.count) == [20, 20, 30])
  }
}

/// Counts its calls.
private final class CallCount: Sendable {
  private let counter = Recorder<Int>()

  func next() -> Int {
    counter.record(counter.elements.count + 1)
    return counter.elements.count
  }
}
