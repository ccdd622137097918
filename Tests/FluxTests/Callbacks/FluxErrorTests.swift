import StrataFlux
import Testing

struct FluxErrorTests {
  let dispatcher = FluxDispatcher<Void>()

  @Test func `a circle is described by the names of its callbacks, entry excluded`() {
    var tokens: [String: DispatchToken] = [:]
    for (name, awaited) in [("entry", "country"), ("country", "city"), ("city", "country")] {
      tokens[name] = dispatcher.register(name) { [unowned dispatcher] _ in
        try dispatcher.waitFor([#require(tokens[awaited])])
      }
    }

    let error = #expect(throws: FluxError.self) { try dispatcher.dispatch(()) }

    #expect(
      error?.problem
        == "FluxDispatcher.waitFor(_:) found callbacks that wait for each other: "
        + "country → city → country."
    )
  }

  @Test func `a callback without a name is described by its place and number`() {
    dispatcher.register("named") { _ in }
    let token = dispatcher.register(fileID: "Desk/City.swift", line: 12) { _ in }

    #expect("\(token)" == "Desk/City.swift:12 (callback 2)")
  }

  @Test func `every error says what happened and what to do`() {
    let token = dispatcher.register("city") { _ in }
    let errors: [FluxError] = [
      .dispatchInsideDispatch(from: token),
      .dispatchInsideDispatch(from: nil),
      .waitForOutsideDispatch,
      .circularWait(path: [token, token]),
      .waitTooDeep(refused: token, limit: 64),
      .foreignToken(token),
      .unregisteredToken(token),
    ]

    for error in errors {
      #expect(error.description == "\(error.problem) \(error.remedy)")
      #expect(error.problem.hasSuffix(".") && error.remedy.hasSuffix("."))
    }
    #expect(Set(errors.map(\.problem)).count == errors.count)
  }
}
