import StrataFlux
import Testing

struct WaitForTests {
  let dispatcher = FluxDispatcher<String>()
  let log = Log()

  @Test func `callbacks run in the order of registration, also past ten`() throws {
    for number in 1...12 {
      dispatcher.register { [log] _ in log.add("\(number)") }
    }

    try dispatcher.dispatch("")

    #expect(log.lines == (1...12).map(String.init))
  }

  @Test func `one function registered twice runs twice`() throws {
    let callback: (String) -> Void = { [log] in log.add($0) }
    let first = dispatcher.register("twice", callback)
    let second = dispatcher.register("twice", callback)

    try dispatcher.dispatch("payload")

    #expect(first != second)
    #expect(log.lines == ["payload", "payload"])
  }

  @Test func `a dispatch without callbacks is fine`() throws {
    try dispatcher.dispatch("")
  }

  @Test func `waiting for nothing, for the handled and for one twice does nothing more`() throws {
    let a = dispatcher.register { [log] _ in log.add("A") }
    dispatcher.register { [unowned dispatcher, log] _ in
      try dispatcher.waitFor([])
      try dispatcher.waitFor([a, a])
      try dispatcher.waitFor([a])
      log.add("B")
    }

    try dispatcher.dispatch("")

    #expect(log.lines == ["A", "B"])
  }

  @Test func `tokens are waited for in the order given`() throws {
    var tokens: [DispatchToken] = []
    dispatcher.register { [unowned dispatcher] _ in try dispatcher.waitFor(tokens.reversed()) }
    tokens = ["A", "B", "C"].map { name in dispatcher.register { [log] _ in log.add(name) } }

    try dispatcher.dispatch("")

    #expect(log.lines == ["C", "B", "A"])
  }

  @Test func `a callback that two others wait for runs once`() throws {
    var shared: DispatchToken?
    var middle: [DispatchToken] = []
    dispatcher.register { [unowned dispatcher, log] _ in
      try dispatcher.waitFor(middle)
      log.add("top")
    }
    for name in ["left", "right"] {
      middle.append(
        dispatcher.register { [unowned dispatcher, log] _ in
          try dispatcher.waitFor([#require(shared)])
          log.add(name)
        }
      )
    }
    shared = dispatcher.register { [log] _ in log.add("shared") }

    try dispatcher.dispatch("")

    #expect(log.lines == ["shared", "left", "right", "top"])
  }

  @Test func `the tokens before a refused one have run`() throws {
    let gone = dispatcher.register { [log] _ in log.add("gone") }
    try dispatcher.unregister(gone)
    var later: DispatchToken?
    dispatcher.register { [unowned dispatcher] _ in
      try dispatcher.waitFor([#require(later), gone])
    }
    later = dispatcher.register { [log] _ in log.add("later") }

    #expect(throws: FluxError.unregisteredToken(gone)) { try dispatcher.dispatch("") }
    #expect(log.lines == ["later"])
  }

  @Test func `a token of another dispatcher is refused, even the one with the same number`() {
    let foreign = FluxDispatcher<String>().register("theirs") { [log] _ in log.add("theirs") }
    let own = dispatcher.register("ours") { [unowned dispatcher] _ in
      try dispatcher.waitFor([foreign])
    }

    #expect(own != foreign)
    #expect(throws: FluxError.foreignToken(foreign)) { try dispatcher.dispatch("") }
    #expect(throws: FluxError.foreignToken(foreign)) { try dispatcher.unregister(foreign) }
    #expect(log.lines == [])
  }

  @Test func `a callback may dispatch on another dispatcher`() throws {
    let other = FluxDispatcher<String>()
    other.register { [log] in log.add("other \($0)") }
    dispatcher.register { try other.dispatch("\($0)!") }

    try dispatcher.dispatch("payload")

    #expect(log.lines == ["other payload!"])
  }

  @Test func `an empty optional is a payload like any other`() throws {
    let dispatcher = FluxDispatcher<String?>()
    var later: DispatchToken?
    dispatcher.register { [unowned dispatcher] _ in try dispatcher.waitFor([#require(later)]) }
    later = dispatcher.register { [log] in log.add($0 ?? "none") }

    try dispatcher.dispatch(nil)

    #expect(log.lines == ["none"])
  }

  @Test func `isDispatching is true inside callbacks only`() throws {
    var inside: Bool?
    dispatcher.register { [unowned dispatcher] _ in inside = dispatcher.isDispatching }

    #expect(!dispatcher.isDispatching)
    try dispatcher.dispatch("")

    #expect(inside == true)
    #expect(!dispatcher.isDispatching)
  }
}
