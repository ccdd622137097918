import Foundation
import Strata
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// A recording in a file: its size, its checks, and what it says of itself.
struct RecordingFileTests {
  private struct Shelf: InitialStateType, Equatable, Codable {
    var books = EntityTable<Book>()
    var notes = ["a": 1]
    var lines: [String] = []
    var tags: Set<Int> = []
  }

  private enum ShelfAction: FluxAction, Codable {
    case price(EntityID<Book>, Int)
    case remove(EntityID<Book>)
    case note(String, Int?)
    case line(String)
    case tag(Int)
  }

  private static func reduce(_ state: inout Shelf, _ action: ShelfAction) throws {
    switch action {
    case .price(let id, let price):
      var book = state.books[id] ?? Book(id: id)
      book.title = "costs \(price)"
      state.books.insert(book)
    case .remove(let id): state.books.remove(id)
    case .note(let key, let value): state.notes[key] = value
    case .line(let line):
      if line.isEmpty { state.lines.removeFirst(min(1, state.lines.count)) }
      state.lines.append(line)
    case .tag(let tag): state.tags.insert(tag)
    }
  }

  private final class PureReducer: Reducer<Shelf, ShelfAction>, @unchecked Sendable {
    override func reduce(_ state: inout Shelf, _ action: ShelfAction) throws {
      try RecordingFileTests.reduce(&state, action)
    }
  }

  private final class OperationReducer: Reducer<Shelf, ShelfAction>, @unchecked Sendable {
    override func operation(
      for action: ShelfAction,
      in store: FluxStore<Shelf, ShelfAction>
    ) throws -> ActionOperation<Shelf, ShelfAction> {
      ActionOperation(action: action, store: store) { operation, action, store in
        try store.updateState { try RecordingFileTests.reduce(&$0, action) }
        operation.finish()
      }
    }
  }

  private struct Hub {
    let hub = StrataFlux.Dispatcher()
    let pure: FluxStore<Shelf, ShelfAction>
    let operating: FluxStore<Shelf, ShelfAction>
    let recorder: RecorderMiddleware

    init(books: Int = 0, limit: Int = 1000) throws {
      var shelf = Shelf()
      for id in 0..<books { shelf.books.insert(Book(id: EntityID(id))) }
      pure = FluxStore(identifier: "pure", initialState: shelf, reducer: PureReducer())
      operating = FluxStore(
        identifier: "operating",
        initialState: shelf,
        reducer: OperationReducer()
      )
      recorder = RecorderMiddleware(limit: limit)
      try hub.register(store: pure)
      try hub.register(store: operating)
      hub.register(middleware: recorder)
    }

    func dispatch(_ action: ShelfAction) { hub.dispatch(action, mode: .sync) }

    var states: [Shelf] { [pure.state, operating.state] }
  }

  @Test func `500 entries over 1,000 entities take less than a megabyte, and are read again`()
    throws
  {
    let first = try Hub(books: 1000)
    for step in 0..<500 {
      first.dispatch(step % 5 == 4 ? .remove(EntityID(step)) : .price(EntityID(step % 900), step))
    }
    let data = try first.recorder.export()
    #expect(data.count < 1 << 20, "\(data.count) bytes")

    let second = try Hub()
    try second.recorder.import(data)
    #expect(second.states == first.states)
    for position in [0, 1, 250, 499] {
      try first.recorder.jump(to: position)
      try second.recorder.jump(to: position)
      #expect(second.states == first.states, "position \(position)")
    }
  }

  @Test(arguments: 0..<30)
  func `what is imported shows what was exported, at every position`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let first = try Hub(books: 5)
    for step in 0..<20 {
      let id = EntityID<Book>(Int.random(in: 0..<8, using: &random))
      switch Int.random(in: 0..<7, using: &random) {
      case 0, 1: first.dispatch(.price(id, step))
      case 2: first.dispatch(.remove(id))
      case 3: first.dispatch(.note("\"\(id.raw)\\", Bool.random(using: &random) ? step : nil))
      case 4: first.dispatch(.line(Bool.random(using: &random) ? "" : "line \(step)/\u{1}é"))
      case 5: first.dispatch(.tag(step))
      default: first.operating.commit { $0.lines.insert("by hand", at: 0) }
      }
    }
    let second = try Hub()
    try second.recorder.import(first.recorder.export())
    for position in (0...first.recorder.entries.count).reversed() {
      try first.recorder.jump(to: position)
      try second.recorder.jump(to: position)
      #expect(second.states == first.states, "seed \(seed), position \(position)")
    }
    #expect(second.recorder.entries.map(\.stores) == first.recorder.entries.map(\.stores))
  }

  @Test func `a state that the reducer does not give is found, with its entry`() throws {
    let first = try Hub(books: 2)
    for price in 1...3 { first.dispatch(.price(1, price)) }
    var file = try EditedRecording(first.recorder.export())
    var changes = try #require(file[1]["changes"])
    #expect(changes[0]["reduced"] != nil)
    changes[0]["state"] = .object(["fields": .object(["notes": .object(["set": .object([:])])])])
    file[1]["changes"] = changes

    let second = try Hub()
    let error = #expect(throws: RecorderError.self) { try second.recorder.import(file.sealed()) }
    guard case .recomputedDifferently(entry: 2, store: "pure")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!second.recorder.isTravelling)
  }

  @Test func `an action changed with its states left is found, with its entry`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10), .add(100))
    var file = try EditedRecording(first.recorder.export())
    var action = try #require(file[1]["action"])
    action["value"] = .object(["add": .object(["_0": .number(11)])])
    file[1]["action"] = action
    let error = #expect(throws: RecorderError.self) {
      try RecordedHub().recorder.import(file.sealed())
    }
    guard case .recomputedDifferently(entry: 2, store: "b")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a failure that the reducer does not give is found, and so is one that it gives`()
    throws
  {
    let first = try RecordedHub()
    first.dispatch(.add(1), .fail, to: "b")
    for (index, value) in [(0, EditedRecording.Value?.some(.text("no"))), (1, nil)] {
      var file = try EditedRecording(first.recorder.export())
      var changes = try #require(file[index]["changes"])
      changes[0]["failure"] = value
      file[index]["changes"] = changes
      let error = #expect(throws: RecorderError.self) {
        try RecordedHub().recorder.import(file.sealed())
      }
      guard case .recomputedDifferently(index + 1, store: "b")? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `an entry skipped by hand is recomputed, or refused where it cannot be`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10), to: "b")
    var file = try EditedRecording(first.recorder.export())
    file[0]["skipped"] = .bool(true)
    let second = try RecordedHub()
    try second.recorder.import(file.sealed())
    #expect(second.counts == [0, 10])

    first.dispatch(.add(1), .add(10), to: "a")
    file = try EditedRecording(first.recorder.export())
    file[2]["skipped"] = .bool(true)
    let error = #expect(throws: RecorderError.self) {
      try RecordedHub().recorder.import(file.sealed())
    }
    guard case .notReplayable(entry: 4, store: "a")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `an accident is found, with the entry that it happened to`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10), .add(100))
    let text = String(decoding: try first.recorder.export(), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = try #require(lines.firstIndex { $0.contains("\"id\" : 1") })
    for (entry, line) in [(1, start), (2, start + 1), (3, start + 2)] {
      for (old, new) in [("\"set\" : ", "\"set\" : 7"), ("\"time\" : ", "\"time\" : 9")] {
        var edited = lines
        edited[line] = edited[line].replacing(old, with: new)
        #expect(checksumMismatch(in: edited) == entry)
      }
    }
    var edited = lines
    edited.remove(at: start + 1)
    #expect(checksumMismatch(in: edited) == 3)
    edited = lines
    edited.swapAt(start, start + 1)
    #expect(checksumMismatch(in: edited) == 2)
    edited = lines.map { $0.replacing("\"position\" : 3", with: "\"position\" : 2") }
    #expect(checksumMismatch(in: edited) == 0)
    #expect(checksumMismatch(in: lines) == nil)
  }

  private func checksumMismatch(in lines: [String]) -> Int? {
    do {
      try RecordedHub().recorder.import(Data(lines.joined(separator: "\n").utf8))
      return nil
    } catch RecorderError.checksumMismatch(let entry) {
      return entry
    } catch {
      return -1
    }
  }

  @Test(arguments: 0..<20)
  func `a damaged recording is refused or reads as it was, and never traps`(seed: UInt64) throws {
    let first = try Hub(books: 2)
    first.dispatch(.price(1, 5))
    first.dispatch(.note("n", 3))
    first.dispatch(.line("l"))
    let bytes = [UInt8](try first.recorder.export())
    var random = SeededGenerator(seed: seed)
    let second = try Hub()
    var refused = 0
    for _ in 0..<100 {
      var damaged = bytes
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        let bit = UInt8.random(in: 0..<8, using: &random)
        damaged[Int.random(in: damaged.indices, using: &random)] ^= 1 << bit
      case 1: damaged.removeSubrange(Int.random(in: damaged.indices, using: &random)...)
      default:
        let place = Int.random(in: damaged.indices, using: &random)
        damaged.insert(contentsOf: bytes[place...].prefix(20), at: place)
      }
      do {
        try second.recorder.import(Data(damaged))
        #expect(second.states == first.states, "seed \(seed)")
      } catch {
        refused += 1
      }
    }
    #expect(refused > 50, "seed \(seed): \(refused)")
  }

  @Test func `an edited recording with right checksums is refused or read, and never traps`() throws
  {
    let first = try Hub(books: 2)
    first.dispatch(.price(1, 5))
    first.dispatch(.remove(1))
    first.dispatch(.line("l"))
    let original = try EditedRecording(first.recorder.export())
    let second = try Hub()
    var refused = 0
    let odd: [EditedRecording.Value?] = [
      nil, .number(-1), .number(.max), .text("x"), .array([]), .object([:]), .bool(true),
      .object(["at": .number(0), "drop": .number(9), "insert": .array([])]),
      .object(["items": .object(["9": .object([:])])]),
      .object(["part#": .number(7)]), .object(["table": .object(["put": .array([.bool(true)])])]),
    ]
    for index in 0..<3 {
      guard case .object(let fields) = original[index] else { continue }
      for key in fields.keys {
        for value in odd {
          var file = original
          file[index][key] = value
          do { try second.recorder.import(file.sealed()) } catch { refused += 1 }
        }
      }
      for key in ["store", "order", "reduced", "state", "shown", "before", "failure", "unreached"] {
        for place in 0..<2 {
          for value in odd {
            var file = original
            var changes = file[index]["changes"] ?? .array([])
            changes[place][key] = value
            file[index]["changes"] = changes
            do { try second.recorder.import(file.sealed()) } catch { refused += 1 }
          }
        }
      }
    }
    #expect(refused > 300, "\(refused)")
    try second.recorder.returnToPresent()
    #expect(second.states == [Shelf(), Shelf()])
  }

  @Test func `the limit holds for what is imported and for what a branch keeps`() throws {
    let first = try RecordedHub()
    for _ in 0..<10 { first.dispatch(.add(1)) }
    let second = try RecordedHub(limit: 4)
    try second.recorder.import(first.recorder.export())
    #expect(second.recorder.entries.map(\.id) == [7, 8, 9, 10])
    #expect(second.counts == [10, 10] && second.recorder.position == 4)
    try second.recorder.jump(to: 0)
    #expect(second.counts == [6, 6])
    try second.recorder.jump(to: 4)
    try second.recorder.branch()
    #expect(second.recorder.entries.count == 4)

    try first.recorder.jump(to: 2)
    try second.recorder.import(first.recorder.export())
    #expect(second.recorder.position == 0)
  }

  @Test func `a store that is not registered is left out and named`() throws {
    struct OtherAction: FluxAction, Codable {}
    let first = try RecordedHub()
    let other = FluxStore(identifier: "other", reducer: Reducer<Counter, OtherAction>())
    try first.hub.register(store: other)
    first.dispatch(.add(1))
    first.hub.dispatch(OtherAction(), mode: .sync)
    other.commit { $0.count = 5 }
    first.dispatch(.add(10))
    let data = try first.recorder.export()

    let hub = StrataFlux.Dispatcher()
    let b = CounterStore(identifier: "b", reducer: PureCounterReducer())
    let recorder = RecorderMiddleware()
    try hub.register(store: b)
    hub.register(middleware: recorder)

    #expect(try recorder.import(data) == ["a", "other"])
    #expect(b.state.count == 11)
    #expect(recorder.entries.map(\.stores) == [["b"], [], [], ["b"]])
    try recorder.skip(1)
    #expect(b.state.count == 10)
  }

  @Test func `an action that the program does not know is named, with its entry`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10))
    var file = try EditedRecording(first.recorder.export())
    var action = try #require(file[1]["action"])
    action["value"] = .object(["multiply": .object(["_0": .number(11)])])
    file[1]["action"] = action
    let error = #expect(throws: RecorderError.self) {
      try RecordedHub().recorder.import(file.sealed())
    }
    let text = "\(String(describing: error))"
    for word in ["Entry 2", "multiply", "Add the case to CounterAction", "\"a\""] {
      #expect(text.contains(word), "\(text)")
    }
  }

  @Test func `a commit that cannot be replayed is not blamed on code that did it right`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10), to: "a")
    let second = try RecordedHub()
    try second.recorder.import(first.recorder.export())
    let error = #expect(throws: RecorderError.self) { try second.recorder.skip(1) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("imported") && !text.contains("Make the change in updateState"))
  }

  @Test func `what an active dispatch did is part of the states, and of no entry`() throws {
    let first = try OverlappingHub()
    #expect(first.start(1))
    #expect(first.start(2))
    #expect(first.finish(2))
    let second = try OverlappingHub()
    try second.recorder.import(first.recorder.export())
    #expect(second.numbers == [1, 2] && second.entries == [2])
    #expect(throws: Never.self) { try second.recorder.skip(1) }
    #expect(first.finish(1))
  }
}
