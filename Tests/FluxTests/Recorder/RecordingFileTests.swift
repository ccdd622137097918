import Foundation
import Strata
import StrataFlux
import StrataFluxRecorder
import StrataRecords
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

  @Test func `what a reducer decides otherwise is shown as it was, and named`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10), .add(100), .fail)
    var file = try EditedRecording(first.recorder.export())
    func set(_ action: CounterAction, inEntry index: Int) throws {
      let value = try RecordValue(encoding: action)
      file.set(["fields", "entries", "\(index)", "action", "tagged"], to: value)
    }
    try set(.add(11), inEntry: 1)
    try set(.look, inEntry: 3)
    let second = try RecordedHub()
    try second.recorder.import(file.data())
    #expect(second.recorder.entries.map(\.decidedOtherwise) == [[], ["b"], [], ["b"]])
    #expect(second.counts == first.counts)
    #expect(second.recorder.description.contains("the reducer of b decides otherwise"))
    // Made again, it is what the reducer makes.
    try second.recorder.unskip(1)
    try second.hub.unregister(store: second.a)
    try second.recorder.skip(1)
    #expect(second.b.state.count == 111)
  }

  @Test func `another order of an array is another state`() throws {
    final class Impure: Reducer<Numbers, AddNumber>, @unchecked Sendable {
      let isReversed: Bool
      init(isReversed: Bool) { self.isReversed = isReversed }

      override func reduce(_ state: inout Numbers, _ action: AddNumber) {
        state.all = [action.number, 0, -action.number]
        if isReversed { state.all.reverse() }
      }
    }
    let recorders = try [false, true].map { isReversed in
      let hub = StrataFlux.Dispatcher()
      let recorder = RecorderMiddleware()
      let reducer = Impure(isReversed: isReversed)
      try hub.register(store: NumbersStore(identifier: "numbers", reducer: reducer))
      hub.register(middleware: recorder)
      hub.dispatch(AddNumber(number: 1), mode: .sync)
      return (hub, recorder)
    }
    try recorders[1].1.import(recorders[0].1.export())
    #expect(recorders[1].1.entries[0].decidedOtherwise == ["numbers"])
    try recorders[0].1.import(recorders[0].1.export())
    #expect(recorders[0].1.entries[0].decidedOtherwise == [])
  }

  @Test func `200 entries over 1,000 entities take at most 50 KB`() throws {
    let first = try Hub(books: 1000)
    try first.hub.unregister(store: first.operating)
    for step in 0..<200 { first.dispatch(.price(EntityID(step * 7 % 1000), step)) }
    let clock = ContinuousClock()
    let start = clock.now
    let data = try first.recorder.export()
    printStatistics("export: \(data.count) bytes in \(start.duration(to: clock.now))")
    #expect(data.count <= 50_000, "\(data.count) bytes")
  }

  @Test func `an accident is found by the checksum`() throws {
    let first = try RecordedHub()
    first.dispatch(.add(1), .add(10), .add(100))
    let bytes = [UInt8](try first.recorder.export())
    let start = try #require(bytes.firstIndex(of: 0x0A)) + 1
    for index in bytes.indices[start...] {
      var damaged = bytes
      damaged[index] ^= 4
      for content in [damaged, Array(bytes[..<index])] {
        #expect(throws: RecorderError.self) { try RecordedHub().recorder.import(Data(content)) }
      }
    }
    var damaged = bytes
    damaged[start] ^= 1
    let error = #expect(throws: RecorderError.self) {
      try RecordedHub().recorder.import(Data(damaged))
    }
    guard case .checksumMismatch(let stored, let computed)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(String(decoding: bytes[..<start], as: UTF8.self).hasSuffix(" \(stored)\n"))
    #expect(stored != computed)
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

  @Test(arguments: 0..<6)
  func `edited recordings with right checksums are refused or shown, and never trap`(
    part: UInt64
  ) throws {
    let first = try Hub(books: 2)
    first.dispatch(.price(1, 5))
    first.dispatch(.remove(1))
    first.dispatch(.line("l"))
    first.dispatch(.line("m"))
    first.dispatch(.tag(3))
    try first.recorder.skip(3)
    let original = try EditedRecording(first.recorder.export())
    let second = try Hub()
    let seed = randomSeed() &+ part
    var random = SeededGenerator(seed: seed)
    let odd: [RecordValue?] = [
      nil, .null, .integer(-1), .integer(.max), .integer(.min), .integer(1), .string("x"),
      .array([]),
      .object([]), .bool(true), .bool(false), .double(.nan), .array([.string("=")]),
      .array([.string("s"), .integer(0), .integer(9), .array([])]),
      .array([.string("t"), .object([])]),
      .object([RecordValue.Member("part#", .integer(7))]),
      .object([RecordValue.Member("part#", .integer(0))]),
    ]
    var accepted = 0
    let rounds = loopCount("STRATA_EDITS", 200)
    for _ in 0..<rounds {
      var file = original
      let path = file.paths.randomElement(using: &random) ?? []
      file.set(path, to: odd[Int.random(in: odd.indices, using: &random)])
      do {
        try second.recorder.import(file.data())
        accepted += 1
        for position in 0...second.recorder.entries.count {
          try second.recorder.jump(to: position)
        }
        #expect(second.recorder.description.contains("base"))
      } catch {
        // What does not fit is refused.
      }
    }
    #expect((1..<(rounds / 2)).contains(accepted), "seed \(seed): \(accepted)")
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
    let action = RecordValue.object([RecordValue.Member("multiply", .object([]))])
    file.set(["fields", "entries", "1", "action", "tagged"], to: action)
    let data = try file.data()
    let error = #expect(throws: RecorderError.self) { try RecordedHub().recorder.import(data) }
    let text = "\(String(describing: error))"
    for word in ["Entry 2", "multiply", "Add the case to CounterAction", "\"a\""] {
      #expect(text.contains(word), "\(text)")
    }
  }
}
