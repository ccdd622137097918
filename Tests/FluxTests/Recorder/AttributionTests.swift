import StrataCore
import StrataFlux
import TestSupport
import Testing

/// Whose a commit is, where dispatches and travels meet.
struct AttributionTests {
  let hub = StrataFlux.Dispatcher(name: "same")
  let recorder = RecorderMiddleware()
  let held = Held()
  let first: CounterStore
  let second = CounterStore(identifier: "second", reducer: PureCounterReducer())

  init() throws {
    first = CounterStore("first") { [held] operation, action, store in
      if case .add(let number) = action { store.updateState { $0.count += number } }
      if action == .look { held.keep(operation) } else { operation.finish() }
    }
    try hub.register(store: first)
    try hub.register(store: second)
    hub.register(middleware: recorder)
  }

  /// Lets the look end that a test began.
  private func finish(_ done: Gate) {
    held.finish(0)
    #expect(done.wait())
  }

  /// A dispatch to the first store that is under way until it is finished.
  private func look() -> Gate {
    let done = Gate()
    hub.dispatch(CounterAction.look, to: "first") { done.open() }
    #expect(held.waitForNext())
    return done
  }

  private func increase(_ identifier: String) {
    hub.dispatch(CounterAction.increase, to: identifier, mode: .sync)
  }

  @Test func `what a dispatch that is done does later is a step of its own`() async throws {
    let (isDone, done) = AsyncStream.makeStream(of: Void.self)
    let task = Lock<Task<Void, Never>?>(nil)
    let late = CounterStore("late") { [first] operation, _, _ in
      let later = Task {
        for await _ in isDone {}
        first.updateState { $0.count += 5 }
      }
      task.withLock { $0 = later }
      operation.finish()
    }
    try hub.register(store: late)
    let looked = look()
    increase("late")
    done.finish()
    await task.withLock { $0 }?.value
    finish(looked)

    #expect(recorder.entries.map { $0.action as? CounterAction } == [.increase, nil, .look])
  }

  @Test func `what the then of a dispatch does is a step of its own`() throws {
    let done = look()
    let other = Gate()
    hub.dispatch(CounterAction.increase, to: "second") { [first] in
      first.updateState { $0.count += 5 }
      other.open()
    }
    #expect(other.wait())
    finish(done)

    #expect(recorder.entries.map { $0.action as? CounterAction } == [.increase, nil, .look])
  }

  @Test func `what an observer does belongs to the action that it was told of`() throws {
    let observer = Observer()
    second.register(observer: observer) { [first] _, _ in first.updateState { $0.count += 5 } }
    let done = look()
    let other = Gate()
    hub.dispatch(CounterAction.increase, to: "second") { other.open() }
    #expect(other.wait())
    finish(done)

    #expect(recorder.entries.map(\.stores) == [["second", "first"], []])
    withExtendedLifetime(observer) {}
  }

  @Test func `a dispatch of another hub is not taken for one of the same name`() throws {
    let other = StrataFlux.Dispatcher(name: "same")
    let stranger = CounterStore("stranger") { [second] operation, _, _ in
      second.updateState { $0.count += 5 }
      operation.finish()
    }
    try other.register(store: stranger)
    let done = look()

    let transaction = other.dispatch(CounterAction.increase, mode: .sync)
    finish(done)

    #expect(transaction.id == "same-1")
    #expect(recorder.entries.map(\.stores) == [["second"], []])
  }
}
