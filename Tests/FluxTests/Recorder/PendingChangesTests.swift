import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// Changes that belong to no entry yet, of an active dispatch or of a pause: the last position shows
/// them.
struct PendingChangesTests {
  let overlapping: OverlappingHub
  let counter = CounterStore(identifier: "counter", reducer: PureCounterReducer())

  init() throws {
    overlapping = try OverlappingHub()
    try overlapping.hub.register(store: counter)
  }

  private var recorder: RecorderMiddleware { overlapping.recorder }
  private var numbers: [Int] { overlapping.numbers }

  private func pass(_ numbers: Int...) {
    for number in numbers {
      #expect(overlapping.start(number))
      #expect(overlapping.finish(number))
    }
  }

  @Test func `skipping an action leaves what a dispatch under way did`() throws {
    #expect(overlapping.start(1))
    pass(2, 3)

    try recorder.skip(1)
    #expect(numbers == [1, 3])
    try recorder.skip(2)
    #expect(numbers == [1])
    try recorder.returnToPresent()
    #expect(numbers == [1, 2, 3])
    #expect(overlapping.finish(1))
  }

  @Test func `a step back takes back what a dispatch under way did since`() throws {
    #expect(overlapping.start(1))
    overlapping.hub.dispatch(CounterAction.increase, mode: .sync)

    try recorder.back()

    #expect(numbers == [])
    #expect(counter.state.count == 0)
    try recorder.forward()
    #expect(numbers == [1])
    #expect(overlapping.finish(1))
  }

  @Test func `a base made in the present has what is under way`() throws {
    #expect(overlapping.start(1))
    try recorder.commit()
    pass(2)

    try recorder.jump(to: 0)

    #expect(numbers == [1])
    try recorder.returnToPresent()
    #expect(overlapping.finish(1))
  }

  @Test func `a base made in a pause has what the pause did`() throws {
    recorder.pause()
    pass(1)
    try recorder.commit()
    recorder.resume()
    pass(2)

    #expect(overlapping.entries == [2] && recorder.entries.count == 1)
    try recorder.jump(to: 0)
    #expect(numbers == [1])
  }

  @Test func `a branch in a pause gives up what the pause did`() throws {
    pass(1)
    recorder.pause()
    pass(2)
    try recorder.jump(to: 0)
    try recorder.branch()
    recorder.resume()
    pass(3)

    #expect(numbers == [3])
    #expect(overlapping.entries == [3] && recorder.entries.count == 1)
    try recorder.skip(recorder.entries[0].id)
    #expect(numbers == [])
  }

  @Test func `rolling back takes back what is under way, also when there is no entry`() throws {
    #expect(overlapping.start(1))

    try recorder.rollback()

    #expect(numbers == [])
    #expect(overlapping.finish(1))
    pass(2)
    try recorder.jump(to: 0)
    #expect(numbers == [])
  }

  @Test func `what is under way and shown when a branch is made belongs to its dispatch`() throws {
    #expect(overlapping.start(1))
    pass(2)
    try recorder.skip(1)
    try recorder.branch()
    #expect(numbers == [1])
    #expect(overlapping.finish(1))
    pass(3)

    #expect(overlapping.entries == [1, 3])
    try recorder.back()
    #expect(numbers == [1])
    try recorder.back()
    #expect(numbers == [])
  }

  @Test func `what ended while travelling and is shown when a branch is made is an entry`() throws {
    #expect(overlapping.start(1))
    pass(2)
    try recorder.skip(1)
    #expect(overlapping.finish(1))
    try recorder.branch()
    #expect(numbers == [1])
    pass(3)

    #expect(overlapping.entries == [1, 3])
    try recorder.jump(to: 1)
    #expect(numbers == [1])
  }

  @Test func `a store that a recording does not have keeps what is under way`() throws {
    let other = try RecordedHub()
    let data = try other.recorder.export()
    #expect(overlapping.start(1))
    try overlapping.hub.register(
      store: CounterStore(identifier: "a", reducer: PureCounterReducer())
    )
    try overlapping.hub.register(
      store: CounterStore(identifier: "b", reducer: PureCounterReducer())
    )

    try recorder.import(data)

    #expect(numbers == [1])
    try recorder.returnToPresent()
    #expect(overlapping.finish(1))
  }
}
