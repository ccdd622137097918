import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// OverlappingHub dispatches become entries in the order in which they end, whatever the order of their
/// commits.
struct OverlapTests {
  /// 1 commits first and ends last.
  private func crossed(limit: Int = 100) throws -> OverlappingHub {
    let overlapping = try OverlappingHub(limit: limit)
    for number in [1, 2] { #expect(overlapping.start(number)) }
    for number in [2, 1] { #expect(overlapping.finish(number)) }
    #expect(overlapping.entries == [2, 1].suffix(limit))
    return overlapping
  }

  @Test func `the first to commit and last to end can be skipped`() throws {
    let overlapping = try crossed()
    try overlapping.recorder.skip(2)
    #expect(overlapping.numbers == [2])
    try overlapping.recorder.back()
    #expect(overlapping.numbers == [2])
    try overlapping.recorder.back()
    #expect(overlapping.numbers == [])
  }

  @Test func `the last to commit and first to end can be skipped`() throws {
    let overlapping = try crossed()
    try overlapping.recorder.skip(1)
    #expect(overlapping.numbers == [1])
    try overlapping.recorder.back()
    #expect(overlapping.numbers == [])
  }

  @Test func `what the base has cannot be skipped, also after an export`() throws {
    let overlapping = try crossed(limit: 1)
    #expect(overlapping.entries == [1])
    let copy = try OverlappingHub()
    try copy.recorder.import(overlapping.recorder.export())
    for one in [overlapping, copy] {
      let error = #expect(throws: RecorderError.self) { try one.recorder.skip(2) }
      guard case .partOfBase(entry: 2, store: "numbers")? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(one.numbers == [1, 2])
      try one.recorder.jump(to: 0)
      #expect(one.numbers == [1, 2])
    }
  }

  @Test func `what a dispatch under way has done is in a base that is made meanwhile`() throws {
    let overlapping = try OverlappingHub()
    #expect(overlapping.start(1))
    try overlapping.recorder.commit()
    #expect(overlapping.finish(1))
    #expect(overlapping.entries == [1])
    #expect(throws: RecorderError.self) { try overlapping.recorder.skip(1) }
    try overlapping.recorder.jump(to: 0)
    #expect(overlapping.numbers == [1])
  }

  @Test(arguments: 0..<60)
  func `every position and every skip shows the commits that are left, in their order`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let limit = Bool.random(using: &random) ? 100 : 4
    let overlapping = try OverlappingHub(limit: limit)
    var model = try run(overlapping, limit, &random)
    let imported = try OverlappingHub()
    for _ in 0..<4 {
      if let entry = model.entries.indices.randomElement(using: &random) {
        if model.isInBase(model.entries[entry].number) {
          #expect(throws: RecorderError.self) { try overlapping.recorder.skip(model.ids[entry]) }
        } else if model.entries[entry].isSkipped {
          try overlapping.recorder.unskip(model.ids[entry])
          model.entries[entry].isSkipped = false
        } else {
          try overlapping.recorder.skip(model.ids[entry])
          model.entries[entry].isSkipped = true
        }
      }
      try imported.recorder.import(overlapping.recorder.export())
      for one in [overlapping, imported] {
        for position in (0...model.entries.count).reversed() {
          try one.recorder.jump(to: position)
          #expect(one.numbers == model.shown(at: position), "seed \(seed), position \(position)")
        }
      }
    }
    let position = Int.random(in: 0...model.entries.count, using: &random)
    for one in [overlapping, imported] {
      try one.recorder.jump(to: position)
      try one.recorder.branch()
      #expect(one.numbers == model.shown(at: position), "seed \(seed), branched at \(position)")
    }
    model.branch(at: position)
    for one in [overlapping, imported] {
      #expect(one.recorder.entries.map(\.id) == model.ids)
      for entry in model.entries.indices where !model.isInBase(model.entries[entry].number) {
        var without = model
        without.entries[entry].isSkipped = true
        try one.recorder.skip(model.ids[entry])
        #expect(
          one.numbers == without.shown(at: model.entries.count),
          "seed \(seed), branched at \(position), without \(model.ids[entry])"
        )
        try one.recorder.unskip(model.ids[entry])
      }
    }
  }

  @Test(arguments: 0..<60)
  func `what is under way is shown where it was, and stays what it is`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let limit = Bool.random(using: &random) ? 100 : 4
    let one = try OverlappingHub(limit: limit)
    var model = try run(one, limit, &random, leavingOpen: Int.random(in: 0...4, using: &random))
    for round in 0..<3 {
      for _ in 0..<2 {
        guard let entry = model.entries.indices.randomElement(using: &random) else { continue }
        if model.isRefused(model.entries[entry]) {
          #expect(throws: RecorderError.self) { try one.recorder.skip(model.ids[entry]) }
        } else if one.recorder.entries[entry].isSkipped {
          try one.recorder.unskip(model.ids[entry])
          model.entries[entry].isSkipped = false
        } else {
          try one.recorder.skip(model.ids[entry])
          model.entries[entry].isSkipped = true
        }
      }
      for position in (0...model.entries.count).reversed() {
        try one.recorder.jump(to: position)
        #expect(one.numbers == model.shown(at: position), "seed \(seed), \(round), at \(position)")
      }
      let position = Int.random(in: 0...model.entries.count, using: &random)
      try one.recorder.jump(to: position)
      let ended = one.recorder.isTravelling ? model.takeOpen(&random) : []
      for number in ended { #expect(one.finish(number)) }
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        try one.recorder.returnToPresent()
        for entry in model.entries.indices { model.entries[entry].isSkipped = false }
        for number in ended { model.end(number) }
      case 1:
        try one.recorder.branch()
        model.branch(at: position, ended: ended)
      default:
        try one.recorder.commit()
        model.commit(at: position)
      }
      #expect(!one.recorder.isTravelling)
      #expect(one.numbers == model.shown(at: model.entries.count), "seed \(seed), \(round)")
      try #require(one.recorder.entries.map(\.id) == model.ids, "seed \(seed), \(round)")
      for number in model.takeOpen(&random) {
        #expect(one.finish(number))
        model.end(number)
      }
    }
    for number in model.open { #expect(one.finish(number)) }
  }

  /// Runs dispatches 1 to 8, which commit in this order and end in a random order.
  private func run(
    _ overlapping: OverlappingHub,
    _ limit: Int,
    _ random: inout SeededGenerator,
    leavingOpen: Int = 0
  ) throws -> Model {
    var model = Model(limit: limit)
    var waiting = Array((1...8).reversed())
    var active: [Int] = []
    while !waiting.isEmpty || active.count > leavingOpen {
      if let next = waiting.last, active.isEmpty || Bool.random(using: &random) {
        waiting.removeLast()
        #expect(overlapping.start(next))
        active.append(next)
      } else {
        let ended = active.remove(at: Int.random(in: active.indices, using: &random))
        #expect(overlapping.finish(ended))
        model.end(ended)
      }
    }
    #expect(overlapping.numbers == Array(1...8))
    model.open = active.sorted()
    return model
  }
}

/// The expected behavior of a recorder when the numbers 1 to 8 are committed in this order.
private struct Model {
  struct Entry {
    let id: Int
    let number: Int
    var isSkipped = false
    /// The numbers of entries that a branch dropped although the kept states include them.
    var taken: [Int] = []
  }

  let limit: Int
  private var lastID = 0
  /// The last number that the base includes; it includes all numbers before it.
  private var base = 0
  private var gone: Set<Int> = []
  var entries: [Entry] = []
  /// The committed numbers whose dispatch is active.
  var open: [Int] = []
  var ids: [Int] { entries.map(\.id) }

  init(limit: Int) { self.limit = limit }

  mutating func end(_ number: Int) {
    lastID += 1
    entries.append(Entry(id: lastID, number: number))
    if entries.count > limit {
      let first = entries.removeFirst().number
      if !gone.contains(first) { base = max(base, first) }
    }
  }

  /// Removes and returns some of the active ones.
  mutating func takeOpen(_ random: inout SeededGenerator) -> [Int] {
    let ended = open.filter { _ in Bool.random(using: &random) }
    open.removeAll(where: ended.contains)
    return ended.shuffled(using: &random)
  }

  func isRefused(_ entry: Entry) -> Bool {
    ([entry.number] + entry.taken).contains { !gone.contains($0) && isInBase($0) }
  }

  func isInBase(_ number: Int) -> Bool { number <= base }

  func shown(at position: Int) -> [Int] {
    let skipped = entries.filter(\.isSkipped).flatMap { [$0.number] + $0.taken }
    let reached = entries.prefix(position).filter { !$0.isSkipped && !gone.contains($0.number) }
    let last = position == entries.count ? 8 : max(base, reached.map(\.number).max() ?? 0)
    return (1...8).filter { $0 <= last && !skipped.contains($0) && !gone.contains($0) }
  }

  mutating func commit(at position: Int) {
    gone = Set(1...8).subtracting(shown(at: position))
    base = 8
    entries = []
  }

  mutating func branch(at position: Int, ended: [Int] = []) {
    let shown = Set(shown(at: position))
    let left = entries.dropFirst(position).filter { !$0.isSkipped }.map(\.number)
    defer {
      for number in ended.sorted() where shown.contains(number) && !isInBase(number) { end(number) }
    }
    gone = Set(1...8).subtracting(shown)
    entries = entries.prefix(position).filter { !$0.isSkipped }
    for number in left where shown.contains(number) && !isInBase(number) {
      let later = entries.indices.filter { entries[$0].number > number }
      if let next = later.min(by: { entries[$0].number < entries[$1].number }) {
        entries[next].taken.append(number)
      }
    }
  }
}
