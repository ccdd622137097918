import StrataFlux
import Testing

struct RegistrationTests {
  let dispatcher = FluxDispatcher<String>()
  let log = Log()

  @Test func `a callback registered during a dispatch runs from the next one on`() throws {
    var registered = false
    dispatcher.register { [unowned dispatcher, log] _ in
      if !registered { dispatcher.register { [log] in log.add($0) } }
      registered = true
    }

    try dispatcher.dispatch("first")
    try dispatcher.dispatch("second")

    #expect(log.lines == ["second"])
  }

  @Test func `a callback registered during a dispatch runs at once when waited for`() throws {
    var registered = false
    dispatcher.register { [unowned dispatcher, log] payload in
      if !registered {
        registered = true
        try dispatcher.waitFor([dispatcher.register { [log] in log.add("new \($0)") }])
      }
      log.add("old \(payload)")
    }

    try dispatcher.dispatch("first")
    try dispatcher.dispatch("second")

    #expect(log.lines == ["new first", "old first", "old second", "new second"])
  }

  @Test func `a callback unregistered before its turn is skipped`() throws {
    var later: DispatchToken?
    dispatcher.register { [unowned dispatcher, log] _ in
      try dispatcher.unregister(#require(later))
      log.add("A")
    }
    later = dispatcher.register { [log] _ in log.add("B") }
    dispatcher.register { [log] _ in log.add("C") }

    try dispatcher.dispatch("")

    #expect(log.lines == ["A", "C"])
  }

  @Test func `a callback that unregisters itself finishes and is gone`() throws {
    var own: DispatchToken?
    own = dispatcher.register { [unowned dispatcher, log] payload in
      try dispatcher.unregister(#require(own))
      log.add("A \(payload)")
    }
    dispatcher.register { [log] in log.add("B \($0)") }

    try dispatcher.dispatch("first")
    try dispatcher.dispatch("second")

    #expect(log.lines == ["A first", "B first", "B second"])
  }

  @Test func `unregistering twice is refused`() throws {
    let a = dispatcher.register { _ in }
    try dispatcher.unregister(a)

    #expect(throws: FluxError.unregisteredToken(a)) { try dispatcher.unregister(a) }
  }

  @Test func `waiting for a callback that ran and was then unregistered is refused`() throws {
    let a = dispatcher.register { [log] _ in log.add("A") }
    dispatcher.register { [unowned dispatcher, log] _ in
      try dispatcher.unregister(a)
      try dispatcher.waitFor([a])
      log.add("B")
    }

    #expect(throws: FluxError.unregisteredToken(a)) { try dispatcher.dispatch("") }
    #expect(log.lines == ["A"])
  }

  @Test func `waiting for one that ran in an earlier dispatch and was unregistered is refused`()
    throws
  {
    let a = dispatcher.register { [log] in log.add("A \($0)") }
    dispatcher.register { [unowned dispatcher, log] payload in
      if payload == "second" { try dispatcher.waitFor([a]) }
      log.add("B \(payload)")
    }

    try dispatcher.dispatch("first")
    try dispatcher.unregister(a)

    #expect(throws: FluxError.unregisteredToken(a)) { try dispatcher.dispatch("second") }
    #expect(log.lines == ["A first", "B first"])
  }

  @Test func `waiting for one that failed and was unregistered is no circle`() throws {
    let a = dispatcher.register { _ in throw TestError() }
    #expect(throws: TestError()) { try dispatcher.dispatch("first") }
    try dispatcher.unregister(a)
    dispatcher.register { [unowned dispatcher] _ in try dispatcher.waitFor([a]) }

    #expect(throws: FluxError.unregisteredToken(a)) { try dispatcher.dispatch("second") }
  }

  @Test func `a callback's captures may unregister in their deinit`() throws {
    final class Store {
      let dispatcher: FluxDispatcher<String>
      let token: DispatchToken

      init(_ dispatcher: FluxDispatcher<String>, _ log: Log) {
        self.dispatcher = dispatcher
        token = dispatcher.register { _ in log.add("inner") }
      }

      deinit { try? dispatcher.unregister(token) }
    }

    var store: Store? = Store(dispatcher, log)
    let outer = dispatcher.register { [store] _ in
      withExtendedLifetime(store) { log.add("outer") }
    }
    store = nil
    try dispatcher.dispatch("")
    try dispatcher.unregister(outer)
    try dispatcher.dispatch("")

    #expect(log.lines == ["inner", "outer"])
  }

  @Test func `a dispatcher lets go of an unregistered callback`() throws {
    weak var captured: Log?
    let a: DispatchToken
    do {
      let log = Log()
      captured = log
      a = dispatcher.register { _ in log.add("A") }
    }
    #expect(captured != nil)

    try dispatcher.unregister(a)

    #expect(captured == nil)
  }
}
