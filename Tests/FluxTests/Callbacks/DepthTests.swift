import Foundation
import StrataFlux
import TestSupport
import Testing

struct DepthTests {
  /// A chain of callbacks, each registered before the one that it waits for.
  private static func chain(of length: Int, _ log: Log) -> FluxDispatcher<Int> {
    let dispatcher = FluxDispatcher<Int>()
    var tokens: [DispatchToken] = []
    for position in 0..<length {
      let token = dispatcher.register("\(position)") { [unowned dispatcher] _ in
        if position + 1 < length { try dispatcher.waitFor([tokens[position + 1]]) }
        log.add("\(position)")
      }
      tokens.append(token)
    }
    return dispatcher
  }

  @Test func `callbacks may wait inside one another up to the documented depth`() throws {
    let depth = FluxDispatcher<Int>.maximumDepth
    let log = Log()

    try Self.chain(of: depth, log).dispatch(0)

    #expect(depth == 64)
    #expect(log.lines == (0..<depth).reversed().map(String.init))
  }

  @Test(arguments: [65, 10_000])
  func `a longer chain is refused, naming the callback not started`(length: Int) {
    let log = Log()
    let dispatcher = Self.chain(of: length, log)

    let error = #expect(throws: FluxError.self) { try dispatcher.dispatch(0) }

    guard case .waitTooDeep(let refused, 64)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(refused.name == "64")
    #expect(log.lines == [])
    #expect(!dispatcher.isDispatching)
  }

  @Test func `a callback refused for depth has its turn later when the refusal is caught`() throws {
    let dispatcher = FluxDispatcher<Int>()
    let log = Log()
    var tokens: [DispatchToken] = []
    for position in 0...64 {
      let token = dispatcher.register { [unowned dispatcher] _ in
        if position < 64 { try? dispatcher.waitFor([tokens[position + 1]]) }
        log.add("\(position)")
      }
      tokens.append(token)
    }

    try dispatcher.dispatch(0)

    #expect(log.lines == (0..<64).reversed().map(String.init) + ["64"])
  }

  @Test func `any number of callbacks may wait for ones registered before them`() throws {
    let dispatcher = FluxDispatcher<Int>()
    var previous: DispatchToken?
    var handled = 0
    for _ in 0..<10_000 {
      previous = dispatcher.register { [unowned dispatcher, previous] _ in
        try dispatcher.waitFor([previous].compactMap(\.self))
        handled += 1
      }
    }

    try dispatcher.dispatch(0)

    #expect(handled == 10_000)
  }

  /// In a separate process, because a stack overflow ends the process.
  @Test(.enabled(if: !LimitedProcess.isSanitized, "a sanitizer makes frames larger"))
  func `the documented depth fits 512 KB of stack with 4 KB used by each callback`() async {
    await #expect(processExitsWith: .success) {
      let handled = try DepthTests.handledOnSmallStack()
      #expect(handled == FluxDispatcher<Int>.maximumDepth)
    }
  }

  private static func handledOnSmallStack() throws -> Int {
    try onThread(stack: 512 * 1024) {
      try dispatchThroughLargeFrames(levels: FluxDispatcher<Int>.maximumDepth)
    }
  }

  private static func dispatchThroughLargeFrames(levels: Int) throws -> Int {
    let dispatcher = FluxDispatcher<Int>()
    var tokens: [DispatchToken] = []
    var handled = 0
    for position in 0..<levels {
      let token = dispatcher.register { [unowned dispatcher] _ in
        try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { room in
          room.initializeMemory(as: UInt8.self, repeating: 1)
          if position + 1 < levels { try dispatcher.waitFor([tokens[position + 1]]) }
          handled += 1
        }
      }
      tokens.append(token)
    }
    try dispatcher.dispatch(0)
    return handled
  }
}
