import StrataBase
import StrataCore
import StrataFlux
import TestSupport
import Testing

struct MiddlewareTests {
  private final class Watching: Middleware {
    let name: String
    let log: Recorder<String>

    init(_ name: String, _ log: Recorder<String>) {
      self.name = name
      self.log = log
    }

    func willDispatch(
      transaction: String,
      action: any FluxAction,
      in store: any FluxStoreType
    ) {
      log.record("\(name) will \(action) \(store.identifier) \(transaction)")
    }

    func didDispatch(
      transaction: String,
      action: any FluxAction,
      in store: any FluxStoreType
    ) {
      log.record("\(name) did \(action) \(store.identifier) \(transaction)")
    }

    func didFinish(transaction: String, action: any FluxAction) {
      log.record("\(name) finished \(action) \(transaction)")
    }
  }

  let hub = StrataFlux.Dispatcher(name: "hub")
  let log = Recorder<String>()

  private func store(_ identifier: String) -> CounterStore {
    let store = CounterStore(identifier) { [log] operation, _, store in
      log.record("run \(identifier)")
      store.updateState { $0.count += 1 }
      operation.finish()
    }
    return store
  }

  @Test func `middleware is told before the reducer, after the observers, and at the end`() throws {
    try hub.register(store: store("a"))
    let b = store("b")
    try hub.register(store: b)
    let observer = Observer()
    b.register(observer: observer) { [log] _, _ in log.record("notified b") }
    hub.register(middleware: Watching("1", log))
    hub.register(middleware: Watching("2", log))

    hub.dispatch(CounterAction.look, mode: .sync) { [log] in log.record("then") }

    #expect(
      log.elements == [
        "1 will look a hub-1", "2 will look a hub-1", "run a",
        "1 will look b hub-1", "2 will look b hub-1", "run b",
        "1 did look a hub-1", "2 did look a hub-1",
        "notified b", "1 did look b hub-1", "2 did look b hub-1",
        "1 finished look hub-1", "2 finished look hub-1",
        "then",
      ]
    )
    withExtendedLifetime(observer) {}
  }

  @Test func `every will has its did, also when the operation fails`() throws {
    try hub.register(store: CounterStore("a") { _, _, _ in throw TestError() })
    try hub.register(store: CounterStore("b") { _, _, _ in })
    hub.register(middleware: Watching("m", log))

    hub.dispatch(CounterAction.look, mode: .sync)

    #expect(
      log.elements == [
        "m will look a hub-1", "m will look b hub-1",
        "m did look a hub-1", "m did look b hub-1", "m finished look hub-1",
      ]
    )
  }

  @Test func `each dispatch has an id of its own`() throws {
    try hub.register(store: store("a"))
    hub.register(middleware: Watching("m", log))

    let ids = (1...3).map { _ in hub.dispatch(CounterAction.look, mode: .sync).id }

    #expect(ids == ["hub-1", "hub-2", "hub-3"])
    #expect(log.elements.filter { $0.hasSuffix("hub-2") }.count == 3)
  }

  @Test func `middleware registered twice is told once, and unregistered not at all`() throws {
    try hub.register(store: store("a"))
    let watching = Watching("m", log)
    hub.register(middleware: watching)
    hub.register(middleware: watching)

    hub.dispatch(CounterAction.look, mode: .sync)
    hub.unregister(middleware: watching)
    hub.unregister(middleware: watching)
    hub.dispatch(CounterAction.look, mode: .sync)

    #expect(log.elements.filter { $0.hasPrefix("m will") } == ["m will look a hub-1"])
  }

  @Test func `the logger writes what, where and how long`() throws {
    let clock = SteppingClock(step: .milliseconds(1500))
    try hub.register(store: store("a"))
    hub.register(middleware: LoggerMiddleware(clock: clock) { [log] in log.record($0) })

    hub.dispatch(CounterAction.add(5), mode: .sync)

    #expect(log.elements == ["run a", "hub-1 a: add(5), 1.500000 s"])
  }

  @Test func `one logger tells the stores of two hubs apart`() throws {
    let lines = Recorder<String>()
    let logger = LoggerMiddleware { line in lines.record(line) }
    let inner = StrataFlux.Dispatcher(name: "hub")
    try inner.register(store: CounterStore(identifier: "a", reducer: CounterReducer()))
    let outer = StrataFlux.Dispatcher(name: "hub")
    try outer.register(
      store: CounterStore("a") { operation, action, _ in
        inner.dispatch(action, mode: .sync)
        operation.finish()
      }
    )
    for hub in [inner, outer] { hub.register(middleware: logger) }

    outer.dispatch(CounterAction.look, mode: .sync)

    #expect(lines.elements.count == 2)
  }

  @Test func `the logger prints unless told otherwise`() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      let hub = StrataFlux.Dispatcher(name: "hub")
      try hub.register(store: CounterStore(identifier: "a", reducer: CounterReducer()))
      hub.register(middleware: LoggerMiddleware())
      hub.dispatch(CounterAction.increase, mode: .sync)
    }
    #expect(result?.standardOutputContent.text.contains("hub-1 a: increase, 0.0") == true)
  }
}

/// A clock that advances by one step at each reading.
final class SteppingClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private let step: Duration
  private let time = Lock(Duration.zero)

  init(step: Duration) { self.step = step }

  var now: Instant {
    time.withLock { time in
      time += step
      return Instant(offset: time)
    }
  }

  var minimumResolution: Duration { step }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
