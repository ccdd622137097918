import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

struct SkipTests {
  @Test func `a skipped action is as if it had never been`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1))
    recorded.dispatch(.add(10), to: "a")
    recorded.dispatch(.add(100))

    try recorded.recorder.skip(1)
    #expect(recorded.counts == [110, 100])
    try recorded.recorder.back()
    #expect(recorded.counts == [10, 0])
    #expect(recorded.recorder.entries.map(\.isSkipped) == [true, false, false])
  }

  @Test func `taking it in again ends the travel where it began`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1), .add(10))

    try recorded.recorder.skip(1)
    try recorded.recorder.unskip(1)

    #expect(recorded.counts == [11, 11])
    #expect(!recorded.recorder.isTravelling)
  }

  @Test func `changes are applied in their order to the state without the skipped ones`() throws {
    let hub = StrataFlux.Dispatcher()
    let store = CounterStore("counter") { operation, action, store in
      store.updateState { $0.count *= 2 }
      if case .add(let number) = action { store.updateState { $0.count += number } }
      operation.finish()
    }
    try hub.register(store: store)
    let recorder = RecorderMiddleware()
    hub.register(middleware: recorder)
    for number in 1...4 { hub.dispatch(CounterAction.add(number), mode: .sync) }
    #expect(store.state.count == 26)

    try recorder.skip(2)

    #expect(store.state.count == ((1 * 2) + 3) * 2 + 4)
  }

  @Test func `stores that the skipped action did not change keep what was recorded`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase, to: "a")
    recorded.b.commit { $0.count = 50 }

    try recorded.recorder.skip(1)

    #expect(recorded.counts == [0, 50])
  }

  @Test func `skipping what a later commit of unknown making stands on is refused`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)
    recorded.a.commit { $0.count = 50 }

    let error = #expect(throws: RecorderError.self) { try recorded.recorder.skip(1) }

    guard case .notReplayable(entries: [2], store: "a")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(recorded.counts == [50, 1])
    #expect(!recorded.recorder.isTravelling)
    try recorded.recorder.skip(2)
    #expect(recorded.counts == [1, 1])
  }

  @Test func `what an update or its sinks set off is not taken for the update`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)
    let (a, b) = (recorded.a, recorded.b)
    let subscription = a.sinkState(first: .nextCommit) { changes in
      if changes.value.count == 11 { a.commit { $0.count = 50 } }
    }
    a.updateState { state in
      b.commit { $0.count = 7 }
      state.count += 10
    }
    #expect(recorded.counts == [50, 7])
    subscription.cancel()

    let error = #expect(throws: RecorderError.self) { try recorded.recorder.skip(1) }
    guard case .notReplayable(entries: [2], store: "b")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let later = #expect(throws: RecorderError.self) { try recorded.recorder.skip(3) }
    guard case .notReplayable(entries: [4], store: "a")? = later else {
      Issue.record("\(String(describing: later))")
      return
    }
    try recorded.recorder.jump(to: 3)
    #expect(recorded.counts == [11, 7])
  }

  @Test func `a change that throws on another state is named`() throws {
    let hub = StrataFlux.Dispatcher()
    let store = CounterStore("counter") { operation, action, store in
      try store.updateState { state in
        if action == .decrease, state.count == 0 { throw TestError() }
        state.count += action == .decrease ? -1 : 1
      }
      operation.finish()
    }
    try hub.register(store: store)
    let recorder = RecorderMiddleware()
    hub.register(middleware: recorder)
    hub.dispatch(CounterAction.increase, mode: .sync)
    hub.dispatch(CounterAction.decrease, mode: .sync)

    let error = #expect(throws: RecorderError.self) { try recorder.skip(1) }

    guard case .replayFailed(entry: 2, store: "counter", let cause)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause is TestError)
    #expect(store.state.count == 0)
  }

  @Test func `commits by a task of the operation belong to its action`() async throws {
    let hub = StrataFlux.Dispatcher()
    let store = CounterStore("counter") { operation, action, store in
      Task {
        if case .add(let number) = action { store.updateState { $0.count += number } }
        operation.finish()
      }
    }
    try hub.register(store: store)
    let recorder = RecorderMiddleware()
    hub.register(middleware: recorder)
    try await withThrowingTaskGroup { group in
      for number in [1, 10, 100, 1000] {
        group.addTask { try await hub.dispatch(CounterAction.add(number)) }
      }
      try await group.waitForAll()
    }

    #expect(recorder.entries.allSatisfy { $0.stores == ["counter"] })
    let ten = try #require(recorder.entries.first { $0.action as? CounterAction == .add(10) })
    try recorder.skip(ten.id)
    #expect(store.state.count == 1101)
  }

  @Test func `commits of an operation that waited for another belong to its action`() throws {
    final class Waiting: Reducer<Counter, CounterAction>, @unchecked Sendable {
      let held = HeldOperations()

      override func operation(for action: CounterAction, in store: CounterStore) throws
        -> CounterOperation
      {
        let first = CounterOperation(action: action, store: store) { [held] operation, _, _ in
          held.add(operation)
        }
        let last = CounterOperation(action: action, store: store) { operation, action, store in
          if case .add(let number) = action { store.updateState { $0.count += number } }
          operation.finish()
        }
        try last.addDependency(first)
        return last
      }
    }
    let hub = StrataFlux.Dispatcher()
    let reducer = Waiting()
    let store = CounterStore(identifier: "counter", reducer: reducer)
    try hub.register(store: store)
    let recorder = RecorderMiddleware()
    hub.register(middleware: recorder)
    let (one, ten) = (Latch(), Latch())
    hub.dispatch(CounterAction.add(1)) { one.open() }
    #expect(reducer.held.waitForNext())
    hub.dispatch(CounterAction.add(10)) { ten.open() }
    #expect(reducer.held.waitForNext())

    // The later one continues first, while its store is not done with the earlier one.
    reducer.held.finish(1)
    #expect(ten.wait())
    reducer.held.finish(0)
    #expect(one.wait())

    #expect(recorder.entries.map { $0.action as? CounterAction } == [.add(10), .add(1)])
    try recorder.skip(1)
    #expect(store.state.count == 1)
  }
}
