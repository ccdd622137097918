import Foundation
import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

struct ExchangeTests {
  @Test func `an imported recording shows what the exported one showed`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10), .add(100))
    try first.recorder.skip(2)
    try first.recorder.back()
    let data = try first.recorder.export()

    let second = try RecordedHub()
    second.dispatch(.add(7))
    try second.recorder.import(data)

    #expect(second.counts == first.counts)
    #expect(second.recorder.position == 2)
    #expect(second.recorder.entries.map(\.isSkipped) == [false, true, false])
    #expect(
      second.recorder.entries.map { $0.action as? CounterAction } == [.add(1), .add(10), .add(100)]
    )
    #expect(second.recorder.isTravelling)
    try second.recorder.jump(to: 0)
    #expect(second.counts == [0, 0])
  }

  @Test func `returning goes back to what was recorded here`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10))
    let data = try first.recorder.export()
    let second = try RecordedHub()
    second.dispatch(.add(7))
    try second.recorder.import(data)
    #expect(second.counts == [11, 11])

    try second.recorder.returnToPresent()

    #expect(second.counts == [7, 7])
    #expect(second.recorder.entries.map { $0.action as? CounterAction } == [.add(7)])
    second.dispatch(.increase)
    #expect(second.counts == [8, 8])
  }

  @Test func `branching goes on from an imported recording`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10))
    let second = try RecordedHub()
    try second.recorder.import(first.recorder.export())

    try second.recorder.branch()
    second.dispatch(.add(100))

    #expect(second.counts == [111, 111])
    #expect(second.recorder.entries.map(\.id) == [1, 2, 3])
    try second.recorder.jump(to: 1)
    #expect(second.counts == [1, 1])
  }

  @Test func `what reduce did is worked out anew, of other changes only the outcome is known`()
    throws
  {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10), to: "b")
    let pure = try RecordedHub()
    try pure.recorder.import(first.recorder.export())
    try pure.recorder.skip(1)
    #expect(pure.counts == [0, 10])

    first.dispatch(.add(1), .add(10), to: "a")
    let mixed = try RecordedHub()
    try mixed.recorder.import(first.recorder.export())
    let error = #expect(throws: RecorderError.self) { try mixed.recorder.skip(3) }
    guard case .notReplayable(entries: [4], store: "a")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(mixed.counts == [11, 11])
  }

  @Test func `commits and pauses come across`() throws {
    let first = try RecordedHub()
    first.a.commit("by hand") { $0.count = 5 }
    first.recorder.pause()
    first.dispatch(.increase)
    first.recorder.resume()
    let second = try RecordedHub()

    try second.recorder.import(first.recorder.export())

    #expect(second.counts == [6, 1])
    guard
      case .commit(let name) = second.recorder.entries[0].origin, name.hasPrefix("by hand"),
      case .pause = second.recorder.entries[1].origin
    else {
      Issue.record("\(second.recorder.entries.map(\.origin))")
      return
    }
    try second.recorder.back()
    #expect(second.counts == [5, 0])
  }

  @Test func `a store that the recording does not have stays as it is`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1))
    let second = try RecordedHub()
    let c = CounterStore(identifier: "c", reducer: CounterReducer())
    try second.hub.register(store: c)
    second.hub.dispatch(CounterAction.add(3), to: "c", mode: .sync)

    try second.recorder.import(first.recorder.export())

    #expect(second.counts == [1, 1])
    #expect(c.state.count == 3)
  }

  @Test(arguments: [
    "", "not a recording", "{}", #"{"format": 3, "position": 0, "base": {}, "entries": []}"#,
    "strata recording 3\n", "strata recording 5 0\n", "strata recording 4 ",
    "strata recording 4 \n",
    "strata recording 4 0\nabc\n",
  ])
  func `what cannot be read is refused, and nothing changes`(text: String) throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(7))

    #expect(throws: RecorderError.self) { try recorded.recorder.import(Data(text.utf8)) }

    #expect(recorded.counts == [7, 7])
    #expect(!recorded.recorder.isTravelling)
    recorded.dispatch(.increase)
    #expect(recorded.recorder.entries.count == 2)
  }

  @Test func `a store whose state is not Codable is named`() throws {
    struct Plain: InitialStateType { var count = 0 }
    let hub = StrataFlux.Dispatcher()
    let store = FluxStore(identifier: "plain", reducer: Reducer<Plain, CounterAction>())
    try hub.register(store: store)
    let recorder = RecorderMiddleware()
    hub.register(middleware: recorder)

    let error = #expect(throws: RecorderError.self) { try recorder.export() }

    guard case .notCodable(store: "plain", type: "Plain")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
