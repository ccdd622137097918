import StrataFlux
import Testing

/// The ten tests of facebook/flux `Dispatcher-test.js`, which are also in CLAFluxDispatcherTests.m.
struct DispatcherTests {
  let dispatcher = FluxDispatcher<String>()
  let log = Log()

  @Test func `every callback receives every payload once`() throws {
    dispatcher.register { [log] in log.add("A \($0)") }
    dispatcher.register { [log] in log.add("B \($0)") }

    try dispatcher.dispatch("first")
    try dispatcher.dispatch("second")

    #expect(log.lines == ["A first", "B first", "A second", "B second"])
  }

  @Test func `a callback waits for one registered earlier`() throws {
    let a = dispatcher.register { [log] _ in log.add("A") }
    dispatcher.register { [unowned dispatcher, log] _ in
      try dispatcher.waitFor([a])
      log.add("B")
    }

    try dispatcher.dispatch("")

    #expect(log.lines == ["A", "B"])
  }

  @Test func `a callback waits for one registered later`() throws {
    var b: DispatchToken?
    dispatcher.register { [unowned dispatcher, log] _ in
      try dispatcher.waitFor([#require(b)])
      log.add("A")
    }
    b = dispatcher.register { [log] _ in log.add("B") }

    try dispatcher.dispatch("")

    #expect(log.lines == ["B", "A"])
  }

  @Test func `dispatching while dispatching is refused`() throws {
    let a = dispatcher.register("A") { [unowned dispatcher, log] payload in
      if payload == "outer" { try dispatcher.dispatch("inner") }
      log.add("after the inner dispatch")
    }

    #expect(throws: FluxError.dispatchInsideDispatch(from: a)) { try dispatcher.dispatch("outer") }
    #expect(log.lines == [])
  }

  @Test func `waiting while nothing is dispatched is refused`() {
    let a = dispatcher.register { [log] _ in log.add("A") }

    #expect(throws: FluxError.waitForOutsideDispatch) { try dispatcher.waitFor([a]) }
    #expect(log.lines == [])
  }

  @Test func `waiting for a token without a callback is refused`() throws {
    let gone = dispatcher.register { [log] _ in log.add("gone") }
    try dispatcher.unregister(gone)
    dispatcher.register { [unowned dispatcher, log] _ in
      try dispatcher.waitFor([gone])
      log.add("after waitFor")
    }

    #expect(throws: FluxError.unregisteredToken(gone)) { try dispatcher.dispatch("") }
    #expect(log.lines == [])
  }

  @Test func `a callback that waits for itself is a circle`() {
    var a: DispatchToken?
    let token = dispatcher.register("A") { [unowned dispatcher, log] _ in
      try dispatcher.waitFor([#require(a)])
      log.add("A")
    }
    a = token

    #expect(throws: FluxError.circularWait(path: [token, token])) { try dispatcher.dispatch("") }
    #expect(log.lines == [])
  }

  @Test func `callbacks that wait for each other are a circle`() {
    var later: DispatchToken?
    let a = dispatcher.register("A") { [unowned dispatcher, log] _ in
      try dispatcher.waitFor([#require(later)])
      log.add("A")
    }
    let b = dispatcher.register("B") { [unowned dispatcher, log] _ in
      try dispatcher.waitFor([a])
      log.add("B")
    }
    later = b

    #expect(throws: FluxError.circularWait(path: [a, b, a])) { try dispatcher.dispatch("") }
    #expect(log.lines == [])
  }

  @Test func `after a failed dispatch the next one is complete`() throws {
    dispatcher.register { [log] in log.add("A \($0)") }
    dispatcher.register { [log] payload in
      if payload == "bad" { throw TestError() }
      log.add("B \(payload)")
    }

    #expect(throws: TestError()) { try dispatcher.dispatch("bad") }
    log.lines = []
    try dispatcher.dispatch("good")

    #expect(log.lines == ["A good", "B good"])
  }

  @Test func `an unregistered callback runs no more`() throws {
    dispatcher.register { [log] in log.add("A \($0)") }
    let b = dispatcher.register { [log] in log.add("B \($0)") }

    try dispatcher.dispatch("first")
    try dispatcher.unregister(b)
    try dispatcher.dispatch("second")

    #expect(log.lines == ["A first", "B first", "A second"])
  }
}
