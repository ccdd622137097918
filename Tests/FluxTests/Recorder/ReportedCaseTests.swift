import Foundation
import StrataBase
import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// What users of comparable recorders and undo stacks have reported, on this one.
struct ReportedCaseTests {
  @Test func `undo and a new action go on as often as one likes, whatever the limit`() throws {
    let recorded = try RecordedHub(limit: 4)
    for _ in 0..<10 {
      recorded.dispatch(.increase)
      #expect(recorded.counts == [1, 1])
      #expect(try recorded.recorder.back())
      try recorded.recorder.branch()
      #expect(recorded.counts == [0, 0] && recorded.recorder.entries.isEmpty)
    }
    for _ in 0..<5 { recorded.dispatch(.increase) }
    var seen: [Int] = []
    while try recorded.recorder.back() { seen.append(recorded.counts[0]) }
    #expect(seen == [4, 3, 2, 1])
  }

  @Test func `failed entries beyond the limit are merged like others`() throws {
    let recorded = try RecordedHub(limit: 3)
    for _ in 0..<4 {
      recorded.dispatch(.fail, to: "b")
      recorded.dispatch(.increase)
    }
    #expect(recorded.counts == [4, 4])
    #expect(recorded.recorder.entries.map(\.id) == [6, 7, 8])
    #expect(recorded.recorder.entries.map { $0.error == nil } == [true, false, true])
    try recorded.recorder.jump(to: 0)
    #expect(recorded.counts == [2, 2])
  }

  @Test func `actions that are not recorded neither end the way forward nor are lost`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1))
    recorded.recorder.pause()
    recorded.dispatch(.add(10))
    recorded.recorder.resume()
    recorded.dispatch(.add(100))
    try recorded.recorder.back()
    #expect(recorded.counts == [11, 11])
    // A pause in a travel.
    recorded.recorder.pause()
    try recorded.recorder.back()
    #expect(recorded.counts == [1, 1])
    while try recorded.recorder.forward() {}
    #expect(recorded.counts == [111, 111] && !recorded.recorder.isTravelling)
    recorded.dispatch(.add(1000))
    recorded.recorder.resume()
    #expect(recorded.recorder.entries.count == 4)
    try recorded.recorder.back()
    #expect(recorded.counts == [111, 111])
  }

  @Test func `an import can be walked from its base, and runs no operation`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10), .add(100))
    let second = try RecordedHub()
    try second.recorder.import(first.recorder.export())
    try second.recorder.jump(toEntry: 0)
    #expect(second.counts == [0, 0])
    var seen: [Int] = []
    while try second.recorder.forward() { seen.append(second.counts[0]) }
    #expect(seen == [1, 11, 111])
    #expect(second.reducer.runs.elements == [])
  }

  @Test func `a store that is registered after an import joins, and another import has it`() throws
  {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10))
    let data = try first.recorder.export()
    let hub = StrataFlux.Dispatcher()
    let recorder = RecorderMiddleware()
    hub.register(middleware: recorder)
    let a = CounterStore(identifier: "a", reducer: CounterReducer())
    try hub.register(store: a)
    #expect(try recorder.import(data) == ["b"])

    let b = CounterStore(identifier: "b", reducer: PureCounterReducer())
    try hub.register(store: b)
    try recorder.back()
    #expect(a.state.count == 1 && b.state.count == 0)
    #expect(try recorder.import(data) == [])
    #expect(a.state.count == 11 && b.state.count == 11)
    try recorder.returnToPresent()
    #expect(a.state.count == 0 && b.state.count == 0)
  }

  private struct Point: InitialStateType, Equatable, Codable {
    var x = 0
    var y = 0
  }

  private enum PointAction: FluxAction, Codable {
    case moveX
    case moveY
  }

  private final class PointReducer: Reducer<Point, PointAction>, @unchecked Sendable {
    typealias Operation = ActionOperation<Point, PointAction>
    let held = Lock<[Operation]>([])

    override func operation(
      for action: PointAction,
      in store: FluxStore<Point, PointAction>
    ) throws -> Operation {
      guard action == .moveX else {
        return Operation(action: action, store: store) { operation, _, store in
          store.updateState { $0.y = 10 }
          operation.finish()
        }
      }
      let wait = Operation(action: action, store: store) { [held] operation, _, store in
        store.updateState { $0.x = 10 }
        held.withLock { $0.append(operation) }
      }
      let fail = Operation(action: action, store: store) { _, _, _ in throw TestError() }
      try fail.addDependency(wait)
      return fail
    }
  }

  @Test func `an action that fails late is skipped without those beside it`() throws {
    let hub = StrataFlux.Dispatcher(mainThread: .callingThread)
    let reducer = PointReducer()
    let store = FluxStore(identifier: "point", reducer: reducer)
    let recorder = RecorderMiddleware()
    try hub.register(store: store)
    hub.register(middleware: recorder)
    hub.dispatch(PointAction.moveX, mode: .mainThread)
    hub.dispatch(PointAction.moveY, mode: .mainThread)
    for operation in reducer.held.withLock({ $0 }) { operation.finish() }
    reducer.held.withLock { $0 = [] }
    #expect(store.state == Point(x: 10, y: 10))
    #expect(recorder.entries.map { $0.action as? PointAction } == [.moveY, .moveX])
    #expect(recorder.entries[1].error != nil)

    try recorder.skip(2)
    #expect(store.state == Point(x: 0, y: 10))
    try recorder.unskip(2)
    try recorder.skip(1)
    #expect(store.state == Point(x: 10, y: 0))
  }

  @Test func `a view that dispatches when it is shown adds nothing to what is travelled`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase, .increase)
    let errors = Recorder<String>()
    let subscription = recorded.a.sinkState(first: .nextCommit) { [hub = recorded.hub] _ in
      let transaction = hub.dispatch(CounterAction.add(50), mode: .sync)
      errors.record(transaction.error.map { "\($0)" } ?? "none")
    }
    try recorded.recorder.back()
    try recorded.recorder.back()
    #expect(recorded.counts == [0, 0] && recorded.recorder.entries.count == 2)
    #expect(errors.elements.count == 2)
    #expect(errors.elements.allSatisfy { $0.contains("another time") })
    subscription.cancel()
  }

  @Test func `a long action is one line of the table`() throws {
    struct Text: FluxAction, Codable, CustomStringConvertible {
      var description: String { "first\nsecond" + String(repeating: " word", count: 100) }
    }
    let hub = StrataFlux.Dispatcher()
    let recorder = RecorderMiddleware()
    try hub.register(store: FluxStore(identifier: "a", reducer: Reducer<Counter, Text>()))
    hub.register(middleware: recorder)
    hub.dispatch(Text(), mode: .sync)
    let lines = recorder.description.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[2].contains("first second word"))
    #expect(lines.allSatisfy { $0.count < 200 }, "\(recorder)")
  }

  /// Encoded as one value, without all of it.
  private struct Light: InitialStateType, Codable {
    var isGreen = false
    var looks = 0

    init() {}

    init(from decoder: any Decoder) throws {
      isGreen = try decoder.singleValueContainer().decode(Bool.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(isGreen)
    }
  }

  @Test func `a step that changes nothing of what is encoded is exported`() throws {
    let hub = StrataFlux.Dispatcher()
    let store = FluxStore(identifier: "light", reducer: Reducer<Light, CounterAction>())
    let recorder = RecorderMiddleware()
    try hub.register(store: store)
    hub.register(middleware: recorder)
    store.commit { $0.isGreen = true }
    store.commit { $0.looks += 1 }
    try recorder.import(recorder.export())
    let states = try [0, 1, 2].map { try recorder.state(of: store, afterEntry: $0).isGreen }
    #expect(states == [false, true, true])
  }
}
