import Dispatch
import Foundation
import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// What a recording has of values, and what it shows of itself to a person.
struct RecordedValueTests {
  private struct Values: InitialStateType, Codable {
    var double = 0.0
    var float = Float(0)
    var decimal = Decimal(0)
    var set: Set<String> = []
    var texts: [Int: String] = [:]
    var text = ""
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var data = Data()
    var optional: Int?
  }

  private struct Change: FluxAction, Codable {}

  private typealias ValueStore = FluxStore<Values, Change>

  private func recorded() throws -> (StrataFlux.Dispatcher, ValueStore, RecorderMiddleware) {
    let hub = StrataFlux.Dispatcher()
    let store = ValueStore(identifier: "values", reducer: Reducer<Values, Change>())
    let recorder = RecorderMiddleware()
    try hub.register(store: store)
    hub.register(middleware: recorder)
    return (hub, store, recorder)
  }

  @Test func `values are the same after an export, bit for bit`() throws {
    let (hub, store, recorder) = try recorded()
    let nan = Double(bitPattern: 0x7FF8_0000_0000_0123)
    for number in [Double.infinity, -.infinity, nan, -0.0, .leastNonzeroMagnitude, 0.1 + 0.2] {
      store.commit { $0.double = number }
    }
    store.commit { state in
      state.float = -.infinity
      state.decimal = Decimal(string: "123456789012345678901234567.89012345") ?? 0
      state.set = Set((0..<50).map { "\($0)" })
      state.texts = Dictionary(uniqueKeysWithValues: (0..<50).map { ($0, "é\($0)") })
    }
    store.commit { $0.text = "e\u{301}" }
    store.commit { $0.text = "\u{E9}\u{0}\"\\" }
    store.commit { $0.date = Date(timeIntervalSinceReferenceDate: 1.0 / 3) }
    store.commit { $0.data = Data([0, 255]) }
    store.commit { $0.optional = .some(5) }
    let (otherHub, _, other) = try recorded()
    try other.import(recorder.export())
    for position in 0...recorder.entries.count {
      try recorder.jump(to: position)
      try other.jump(to: position)
      let states = try [(hub, recorder), (otherHub, other)].map { hub, _ in
        try #require(hub.store(with: "values", as: ValueStore.self)).state
      }
      let (a, b) = (states[0], states[1])
      #expect(a.double.bitPattern == b.double.bitPattern)
      #expect(a.float.bitPattern == b.float.bitPattern)
      #expect(a.text.utf8.elementsEqual(b.text.utf8))
      #expect(a.decimal == b.decimal)
      #expect(a.set == b.set)
      #expect(a.texts == b.texts)
      #expect(a.date == b.date)
      #expect(a.data == b.data)
      #expect(a.optional == b.optional)
    }
  }

  @Test func `what coding loses is named, with the store, the entry and the field`() throws {
    struct Nested: InitialStateType, Equatable, Codable {
      var plain = 1
      var inner: Int?? = .some(.some(1))
    }
    let hub = StrataFlux.Dispatcher()
    let store = FluxStore(identifier: "nested", reducer: Reducer<Nested, Change>())
    let recorder = RecorderMiddleware()
    try hub.register(store: store)
    hub.register(middleware: recorder)
    store.commit { $0.inner = .some(.some(2)) }
    #expect(throws: Never.self) { try recorder.export() }
    store.commit { $0.inner = .some(nil) }
    let error = #expect(throws: RecorderError.self) { try recorder.export() }
    let text = "\(String(describing: error))"
    for word in ["\"nested\"", "entry 2", "inner"] { #expect(text.contains(word), "\(text)") }
    #expect(!text.contains("plain"))
  }

  @Test func `a value that refuses to be encoded is named, with store, entry and field`() throws {
    struct Refusing: InitialStateType, Codable {
      struct Part: Codable, Sendable {
        var isRefused = false

        func encode(to encoder: any Encoder) throws {
          guard isRefused else { return }
          let context = EncodingError.Context(
            codingPath: encoder.codingPath,
            debugDescription: "It is secret."
          )
          throw EncodingError.invalidValue("part", context)
        }
      }

      var part = Part()
    }
    let hub = StrataFlux.Dispatcher()
    let store = FluxStore(identifier: "refusing", reducer: Reducer<Refusing, Change>())
    let recorder = RecorderMiddleware()
    try hub.register(store: store)
    hub.register(middleware: recorder)
    store.commit { $0.part.isRefused = true }
    let error = #expect(throws: RecorderError.self) { try recorder.export() }
    let text = "\(String(describing: error))"
    for word in ["\"refusing\"", "entry 1", "field part", "It is secret."] {
      #expect(text.contains(word), "\(text)")
    }
  }

  @Test func `a recorder is printed as a table, and an entry as what it changed`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(5))
    recorded.dispatch(.fail, to: "b")
    recorded.a.commit("by hand") { $0.count = 9 }
    try recorded.recorder.skip(2)
    try recorded.recorder.back()
    let lines = recorded.recorder.description.split(separator: "\n")
    #expect(lines.count == 5)
    for (line, words) in zip(
      lines.dropFirst(2),
      [
        ["1", "add(5)", "a, b", "ms", "RecordedHub.swift:"],
        ["> 2", "fail", "skipped", "The store \"b\" failed: TestError()"],
        ["3", "by hand", "a", "RecordedValueTests.swift:"],
      ]
    ) {
      for word in words { #expect(line.contains(word), "\(line)") }
    }
    let both = try recorded.recorder.changes(ofEntry: 1)
    #expect(both == ["a.count: 0 → 5", "b.count: 0 → 5"])
    let last = try recorded.recorder.changes(ofEntry: 3)
    #expect(last == ["a.count: 5 → 9"])
  }

  @Test func `a store that waited in vain and never reduced is reached without the entry`() throws {
    let hub = StrataFlux.Dispatcher()
    let recorder = RecorderMiddleware()
    let first = CounterStore("first") { operation, _, _ in operation.finish() }
    let pure = CounterStore(identifier: "pure", reducer: ParityReducer())
    let waiting = CounterStore(
      identifier: "waiting",
      initialState: Counter(count: 1),
      reducer: PureCounterReducer()
    )
    try hub.register(store: first)
    try hub.register(store: pure)
    try hub.register(store: waiting, waitingFor: ["pure"])
    hub.register(middleware: recorder)
    hub.dispatch(CounterAction.add(1), to: "pure", mode: .sync)
    hub.dispatch(CounterAction.increase, mode: .sync)
    #expect(pure.state.count == 1 && waiting.state.count == 1)

    #expect(try recorder.skip(1) == [2])

    #expect(pure.state.count == 1 && waiting.state.count == 2)
    #expect(recorder.entries[1].error == nil)
  }

  /// `increase` refuses an odd state.
  private final class ParityReducer: Reducer<Counter, CounterAction>, @unchecked Sendable {
    override func reduce(_ state: inout Counter, _ action: CounterAction) throws {
      if case .add(let number) = action { state.count += number }
      if action == .increase {
        if state.count % 2 == 1 { throw TestError() }
        state.count += 1
      }
    }
  }

  @Test func `an entry that changed nothing shows nothing of a dispatch in progress`() throws {
    let held = HeldOperations()
    let hub = StrataFlux.Dispatcher(mainThread: .callingThread)
    let store = CounterStore("store") { operation, action, store in
      if action == .look { return operation.finish() }
      store.updateState { $0.count += 1 }
      held.add(operation)
    }
    let recorder = RecorderMiddleware(patience: .zero)
    try hub.register(store: store)
    hub.register(middleware: recorder)
    hub.dispatch(CounterAction.increase, mode: .mainThread)
    hub.dispatch(CounterAction.look, mode: .mainThread)
    #expect(try recorder.state(of: store, afterEntry: 1).count == 0)

    let error = #expect(throws: RecorderError.self) { try recorder.back() }
    guard case .inProgress(let action, _)? = error, action == "increase" else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: RecorderError.self) { try recorder.export() }
    #expect(!recorder.isTravelling)
    held.finish(0)
    try recorder.back()
    #expect(store.state.count == 0)
    #expect(recorder.entries.map(\.stores) == [[], ["store"]])
  }

  @Test(arguments: ["travel", "export"])
  func `a travel and an export wait for a dispatch in progress`(call: String) throws {
    let held = HeldOperations()
    let hub = StrataFlux.Dispatcher()
    let store = CounterStore("store") { operation, _, store in
      store.updateState { $0.count += 1 }
      held.add(operation)
    }
    let recorder = RecorderMiddleware(patience: .seconds(3600))
    try hub.register(store: store)
    hub.register(middleware: recorder)
    hub.dispatch(CounterAction.increase)
    #expect(held.waitForNext())
    let results = Recorder<String>()
    let returned = DispatchSemaphore(value: 0)
    onAnotherThread {
      do {
        if call == "travel" { try recorder.back() } else { _ = try recorder.export() }
        results.record("\(recorder.entries.count) entry, \(store.state.count)")
      } catch {
        results.record("\(error)")
      }
      returned.signal()
    }
    while recorder.waitingCalls == 0, results.elements.isEmpty { sched_yield() }
    // However long the dispatch takes, the call does not return before its end.
    let isEarly = returned.wait(timeout: .now() + 0.2) == .success
    #expect(!isEarly)
    held.finish(0)
    #expect(isEarly || returned.wait(timeout: .now() + 300) == .success)
    #expect(results.elements == ["1 entry, \(call == "travel" ? 0 : 1)"])
  }

  @Test func `a travel out of a dispatch is refused at once: it would wait for itself`() throws {
    let hub = StrataFlux.Dispatcher()
    let recorder = RecorderMiddleware(patience: .seconds(3600))
    let errors = Recorder<String>()
    let store = CounterStore("store") { [weak recorder] operation, _, _ in
      do { try recorder?.back() } catch { errors.record("\(error)") }
      operation.finish()
    }
    try hub.register(store: store)
    hub.register(middleware: recorder)
    hub.dispatch(CounterAction.increase, mode: .sync)
    #expect(errors.elements.count == 1)
    #expect(errors.elements[0].contains("The dispatch of increase has been in progress since"))
  }
}
