import Foundation
import StrataBase
import StrataCore
import TestSupport
import Testing

/// Records what is logged, with a clock that advances by a millisecond per read.
final class RecordingLogger: StoreLogger {
  let lines = Recorder<String>()
  let commits = Recorder<CommitLog>()
  private let time = Lock(ContinuousClock.now)

  func didCommit(_ log: CommitLog) {
    commits.record(log)
    lines.record("commit \(log.version) \(log.traces.map(\.name))")
  }
  func didSendActivity(_ log: ActivityLog) { lines.record("activity \(log.activity)") }
  func willDispatch(_ log: DispatchLog) {
    lines.record("dispatch \(log.dispatcher) \(log.actions.map(\.name))")
  }
  func didCreateDispatcher(_ log: DispatcherLog) { lines.record("created \(log.dispatcher)") }
  func didDestroyDispatcher(_ log: DispatcherLog) { lines.record("destroyed \(log.dispatcher)") }

  func now() -> ContinuousClock.Instant {
    time.withLock { time in
      time += .milliseconds(1)
      return time
    }
  }
}

@Suite struct LoggerTests {
  let logger = RecordingLogger()
  let store: LibraryStore

  init() { store = LibraryStore(name: "main", initialState: LibraryState(), logger: logger) }

  @Test func `a logger is told of each commit with name, version, store and duration`() {
    let line: UInt = #line + 1
    store.commit("count") { $0.count = 1 }
    let trace = CommitTrace(name: "count", fileID: #fileID, function: #function, line: line)
    #expect(logger.commits.elements.map(\.store) == ["main"])
    #expect(logger.commits.elements.map(\.version) == [1])
    #expect(logger.commits.elements.map(\.traces) == [[trace]])
    #expect(logger.commits.elements.map(\.nanoseconds) == [1_000_000])
  }

  @Test func `a logger is told nothing of a commit that changes nothing or throws`() {
    struct Refusal: Error {}
    store.commit { _ in }
    #expect(throws: Refusal.self) { try store.commit { _ in throw Refusal() } }
    #expect(logger.lines.elements == [])
  }

  @Test func `a logger is told of commits and activities in their order`() {
    store.commit("one") { $0.count = 1 }
    store.send(.rang(2))
    store.commit("two") { $0.count = 2 }
    #expect(
      logger.lines.elements == ["commit 1 [\"one\"]", "activity rang(2)", "commit 2 [\"two\"]"]
    )
  }

  @Test func `a logger is told of a commit before its subscribers are`() {
    let lines = logger.lines
    let subscription = store.sinkState(first: .nextCommit) { _ in lines.record("sink") }
    store.commit("one") { $0.count = 1 }
    #expect(lines.elements == ["commit 1 [\"one\"]", "sink"])
    subscription.cancel()
  }

  @Test func `a logger is told of dispatchers that come and go`() {
    do { _ = Librarian(targetStore: store) }
    #expect(logger.lines.elements == ["created Librarian", "destroyed Librarian"])
  }

  @Test func `a logger is told of actions and of those that led to them`() {
    let librarian = Librarian(targetStore: store)
    librarian.dispatch { $0.outer() }
    #expect(
      logger.lines.elements.filter { $0.hasPrefix("dispatch") } == [
        "dispatch Librarian [\"outer\"]", "dispatch Librarian [\"twice\", \"outer\"]",
      ]
    )
  }

  @Test func `a logger may read and change the store`() {
    final class Following: StoreLogger {
      let store = Lock<LibraryStore?>(nil)
      func didCommit(_ log: CommitLog) {
        guard let store = store.withLock({ $0 }), store.state.count < 3 else { return }
        store.commit { $0.count += 1 }
      }
    }
    let following = Following()
    let store = LibraryStore(initialState: LibraryState(), logger: following)
    following.store.withLock { $0 = store }
    store.commit { $0.count = 1 }
    #expect(store.state.count == 3)
    following.store.withLock { $0 = nil }
  }

  @Test func `a hundred concurrent commits are logged once each and in order`() {
    let store = store
    DispatchQueue.concurrentPerform(iterations: 100) { _ in store.commit { $0.count += 1 } }
    #expect(store.waitForDeliveries())
    #expect(logger.commits.elements.map(\.version) == Array(1...100))
  }

  @Test func `logs are encodable`() throws {
    store.commit("count", fileID: "M/F.swift", function: "run()", line: 7) { $0.count = 1 }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let log = try #require(logger.commits.elements.first)
    let text = try String(decoding: encoder.encode(log), as: UTF8.self)
    let trace = #"{"file":"M/F.swift","function":"run()","line":7,"name":"count"}"#
    #expect(
      text == #"{"nanoseconds":1000000,"store":"main","traces":["# + trace + #"],"version":1}"#
    )
  }

  @Test func `a store of a source takes a logger too`() {
    let source = StoreSourceTests.CountSource(count: 7)
    let store = LibraryStore(source, name: "main", logger: logger)
    store.commit("eight") { $0.count = 8 }
    #expect(logger.lines.elements == ["commit 1 [\"eight\"]"])
    #expect(store.name == "main")
  }
}
