import StrataBase
import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// Which dispatch a commit belongs to, when dispatches and travels overlap.
struct AttributionTests {
  let hub = StrataFlux.Dispatcher(name: "same")
  let recorder = RecorderMiddleware()
  let held = HeldOperations()
  let first: CounterStore
  let second = CounterStore(identifier: "second", reducer: PureCounterReducer())

  init() throws {
    first = CounterStore("first") { [held] operation, action, store in
      if case .add(let number) = action { store.updateState { $0.count += number } }
      if action == .look { held.add(operation) } else { operation.finish() }
    }
    try hub.register(store: first)
    try hub.register(store: second)
    hub.register(middleware: recorder)
  }

  /// Finishes the operation that `look` started.
  private func finish(_ done: Latch) {
    held.finish(0)
    #expect(done.wait())
  }

  /// Starts a dispatch to the first store that is active until `finish`.
  private func look() -> Latch {
    let done = Latch()
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
    let other = Latch()
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
    let other = Latch()
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

  /// Runs a closure when a step of the recorder reaches the store.
  private final class Interrupting: CommitHook {
    typealias State = Counter
    let followsPreviews = true
    let step: String
    let act: @Sendable () -> Void

    init(_ step: String, _ act: @escaping @Sendable () -> Void) {
      self.step = step
      self.act = act
    }

    func commitDidHappen(_ edit: Edit<Counter>) {
      if edit.trace.name == "recorder: \(step)" { act() }
    }
  }

  @Test func `what a hook does to another store while one is kept is recorded`() throws {
    hub.dispatch(CounterAction.increase, to: "second", mode: .sync)
    hub.dispatch(CounterAction.increase, to: "second", mode: .sync)
    let hook = Interrupting("keep") { [first] in first.updateState { $0.count += 10 } }
    second.hook(where: { $0 === hook }, orInstall: { hook })
    try recorder.back()
    try recorder.branch()
    hub.dispatch(CounterAction.increase, to: "second", mode: .sync)

    #expect(recorder.entries.map(\.stores) == [["second"], ["first"], ["second"]])
    try recorder.jump(to: 1)
    #expect(first.state.count == 0)
  }

  @Test func `an update that changed nothing lends its closure to no other commit`() throws {
    /// Runs a closure when it is deallocated.
    final class Parting: Sendable {
      let act: @Sendable () -> Void

      init(_ act: @escaping @Sendable () -> Void) { self.act = act }
      deinit { act() }
    }
    final class Attaching: CommitHook {
      typealias State = Counter
      let key = CommitAttachmentKey<Parting>()
      let act: @Sendable () -> Void

      init(_ act: @escaping @Sendable () -> Void) { self.act = act }

      func editDidEnd(_ edit: inout Edit<Counter>) {
        if edit.trace.name == "one" { edit.attachments[key] = Parting(act) }
      }
    }
    // It is released with the version that the second update replaces, before that update is delivered.
    let ran = Latch()
    let hook = Attaching { [weak first] in
      first?.updateState { _ in }
      ran.open()
    }
    first.hook(where: { $0 === hook }, orInstall: { hook })
    let subscription = first.sinkState { [weak first] changes in
      if changes.value.count == 2 { first?.commit { $0.count += 10 } }
    }
    first.updateState("one") { $0.count += 1 }
    first.updateState("two") { $0.count += 1 }
    #expect(ran.wait())
    #expect(first.state.count == 12 && recorder.entries.count == 3)

    let error = #expect(throws: RecorderError.self) { try recorder.skip(1) }

    guard case .notReplayable(entries: [3], store: "first")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    withExtendedLifetime(subscription) {}
  }

  @Test func `an action whose store is gone is exported as what it did`() throws {
    hub.dispatch(CounterAction.increase, to: "second", mode: .sync)
    struct Other: FluxAction, Codable {}
    let gone = FluxStore(identifier: "gone", reducer: Reducer<Counter, Other>())
    try hub.register(store: gone)
    hub.dispatch(Other(), mode: .sync)
    try hub.unregister(store: gone)

    try recorder.import(recorder.export())

    #expect(recorder.entries.map(\.stores) == [["second"], []])
    #expect(second.state.count == 1)
  }
}
