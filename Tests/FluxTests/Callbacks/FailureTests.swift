import StrataFlux
import Testing

struct FailureTests {
  let dispatcher = FluxDispatcher<String>()
  let log = Log()

  @Test func `a callback's error ends the dispatch and reaches its caller`() {
    dispatcher.register { [log] _ in log.add("A") }
    dispatcher.register { _ in throw TestError() }
    dispatcher.register { [log] _ in log.add("C") }

    #expect(throws: TestError()) { try dispatcher.dispatch("") }
    #expect(log.lines == ["A"])
    #expect(!dispatcher.isDispatching)
  }

  @Test func `the error of a callback waited for passes through the waiting one`() {
    var later: DispatchToken?
    dispatcher.register { [unowned dispatcher, log] _ in
      try dispatcher.waitFor([#require(later)])
      log.add("A")
    }
    later = dispatcher.register { _ in throw TestError() }

    #expect(throws: TestError()) { try dispatcher.dispatch("") }
    #expect(log.lines == [])
  }

  @Test func `a refused inner dispatch that is caught leaves the outer one whole`() throws {
    dispatcher.register { [unowned dispatcher, log] payload in
      if payload == "outer" { try? dispatcher.dispatch("inner") }
      log.add("A \(payload) \(dispatcher.isDispatching)")
    }
    dispatcher.register { [log] in log.add("B \($0)") }

    try dispatcher.dispatch("outer")

    #expect(log.lines == ["A outer true", "B outer"])
  }

  @Test func `a circle that is caught lets all others finish`() throws {
    var b: DispatchToken?
    let a = dispatcher.register("A") { [unowned dispatcher, log] _ in
      try dispatcher.waitFor([#require(b)])
      log.add("A")
    }
    b = dispatcher.register("B") { [unowned dispatcher, log] _ in
      #expect(throws: FluxError.self) { try dispatcher.waitFor([a]) }
      log.add("B")
    }
    dispatcher.register { [log] _ in log.add("C") }

    try dispatcher.dispatch("")
    try dispatcher.dispatch("")

    #expect(log.lines == ["B", "A", "C", "B", "A", "C"])
  }

  @Test func `a failure that is caught is not run again in the same dispatch`() throws {
    var later: DispatchToken?
    dispatcher.register { [unowned dispatcher, log] _ in
      #expect(throws: TestError()) { try dispatcher.waitFor([#require(later)]) }
      log.add("A")
    }
    later = dispatcher.register { [log] payload in
      log.add("B")
      if payload == "bad" { throw TestError() }
    }

    try dispatcher.dispatch("bad")

    #expect(log.lines == ["B", "A"])
  }

  @Test func `waiting for a callback that failed throws its error again`() throws {
    var later: DispatchToken?
    dispatcher.register { [unowned dispatcher] _ in try? dispatcher.waitFor([#require(later)]) }
    later = dispatcher.register { [log] _ in
      log.add("B")
      throw TestError()
    }
    dispatcher.register { [unowned dispatcher, log] _ in
      #expect(throws: TestError()) { try dispatcher.waitFor([#require(later)]) }
      log.add("C")
    }

    try dispatcher.dispatch("")

    #expect(log.lines == ["B", "C"])
  }

  @Test func `a circle found after a caught failure shows only who is running`() {
    var tokens: [String: DispatchToken] = [:]
    tokens["A"] = dispatcher.register("A") { [unowned dispatcher] _ in
      try? dispatcher.waitFor([#require(tokens["failing"])])
      try dispatcher.waitFor([#require(tokens["B"])])
    }
    tokens["failing"] = dispatcher.register("failing") { _ in throw TestError() }
    tokens["B"] = dispatcher.register("B") { [unowned dispatcher] _ in
      try dispatcher.waitFor([#require(tokens["A"])])
    }
    let path = ["A", "B", "A"].compactMap { tokens[$0] }

    #expect(throws: FluxError.circularWait(path: path)) { try dispatcher.dispatch("") }
  }

  @Test func `what goes at the end of a dispatch may ask whether there is one`() throws {
    /// Reads `isDispatching` when it is deallocated.
    final class Asking: Error, @unchecked Sendable {
      let ask: () -> Void

      init(_ ask: @escaping () -> Void) { self.ask = ask }
      deinit { ask() }
    }
    var later: DispatchToken?
    dispatcher.register { [unowned dispatcher] _ in try? dispatcher.waitFor([#require(later)]) }
    later = dispatcher.register { [unowned dispatcher, log] _ in
      throw Asking { log.add("\(dispatcher.isDispatching)") }
    }

    try dispatcher.dispatch("")

    #expect(log.lines == ["false"])
  }

  @Test func `after a failure every callback waits and runs as before`() throws {
    var later: DispatchToken?
    dispatcher.register { [unowned dispatcher, log] payload in
      try dispatcher.waitFor([#require(later)])
      log.add("A \(payload)")
    }
    later = dispatcher.register { [log] payload in
      if payload == "bad" { throw TestError() }
      log.add("B \(payload)")
    }

    #expect(throws: TestError()) { try dispatcher.dispatch("bad") }
    try dispatcher.dispatch("good")

    #expect(log.lines == ["B good", "A good"])
  }
}
