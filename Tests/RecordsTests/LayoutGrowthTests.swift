import Foundation
import StrataRecords
import TestSupport
import Testing

/// How a table's layout follows the records it meets.
@Suite struct LayoutGrowthTests {
  struct Loose: Codable, Equatable {
    var a: Int?
    var b: String?
    var c: Double?
    var d: [Int?]?
    var e: [String: JSONLike]
    var f: JSONLike
    var g: [String: Int]?
    var h: CodableFixtures.Shape?
  }

  private func random(_ generator: inout RecordGenerator) -> Loose {
    var members: [String: JSONLike] = [:]
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      members[generator.text()] = .random(depth: 2, using: &generator)
    }
    let shapes = [CodableFixtures.Shape.point, .circle(radius: 1), .group([.point], main: nil)]
    return Loose(
      a: generator.chance(5) ? 1 : nil,
      b: generator.chance(30) ? generator.text() : nil,
      c: generator.chance(1) ? 0.5 : nil,
      d: generator.chance(20) ? [1, nil] : nil,
      e: members,
      f: .random(depth: 2, using: &generator),
      g: generator.chance(50) ? ["x": 1] : nil,
      h: generator.chance(30) ? shapes.randomElement(using: &generator) : nil
    )
  }

  @Test func `ten thousand records of whatever shape make a few layouts`() throws {
    var generator = RecordGenerator.printed("layout law")
    var writer = RecordWriter()
    var layouts: Set<Layout> = []
    for _ in 0..<10_000 {
      let value = random(&generator)
      var bytes: [UInt8] = []
      let layout = try writer.encode(value, into: &bytes)
      layouts.insert(layout)
      #expect(try RecordReader(layout: layout).decode(Loose.self, from: bytes) == value)
    }
    printStatistics("10,000 irregular records in \(layouts.count) layouts")
    // Each place has two kinds at most, and there are some twelve places.
    #expect(layouts.count <= 24)
  }

  /// A value with a member of another name each time, whose keys look like those of a type.
  struct Endless: Encodable {
    var number: Int

    enum Key: CodingKey {
      case member(Int)

      var stringValue: String { if case .member(let number) = self { "m\(number)" } else { "" } }
      var intValue: Int? { nil }
      init?(stringValue: String) { nil }
      init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(number, forKey: .member(number))
    }
  }

  @Test func `values with endless members make as many layouts as are not rationed, and few more`()
    throws
  {
    var writer = RecordWriter()
    var layouts: Set<Layout> = []
    for number in 0..<10_000 {
      var bytes: [UInt8] = []
      layouts.insert(try writer.encode(["a": Endless(number: number)], into: &bytes))
      layouts.insert(try writer.encode(Box(box: Endless(number: number)), into: &bytes))
    }
    #expect(layouts.count > RecordWriter.unrationed)
    #expect(layouts.count <= RecordWriter.unrationed + 4)
  }

  struct Box<Content: Encodable>: Encodable { var box: Content }

  @Test func `a layout says the kinds in lists and nested values as soon as there are some`() throws
  {
    struct Line: Encodable { var at: Date? }
    struct Order: Encodable { var lines: [Line] = [], last: Line? }
    var writer = RecordWriter()
    func fields(_ order: Order) throws -> [Layout.Field] {
      var bytes: [UInt8] = []
      let layout: Layout = try writer.encode(order, into: &bytes)
      return layout.fields
    }
    let dated = Layout.Kind.record([.init("at", .scalar(.date))])
    let empty = Layout.Kind.record([.init("at", .unknown)])
    #expect(
      try fields(Order()) == [.init("lines", .array(of: .unknown)), .init("last", .unknown)]
    )
    #expect(
      try fields(Order(lines: [Line(at: .distantPast)]))
        == [.init("lines", .array(of: dated)), .init("last", .unknown)]
    )
    #expect(
      try fields(Order(last: Line())) == [.init("lines", .array(of: dated)), .init("last", empty)]
    )
    #expect(
      try fields(Order(last: Line(at: .distantPast)))
        == [.init("lines", .array(of: dated)), .init("last", dated)]
    )
  }

  @Test func `the first record makes a layout with its optionals, seen or not`() throws {
    let names = ["text", "number", "date", "nested", "doubled"]
    let unknown = names.map { Layout.Field($0, .unknown) }
    #expect(
      try record(CodableFixtures.Optionals(list: [])).layout.fields
        == unknown + [.init("list", .array(of: .unknown)), .init("lists", .unknown)]
    )
  }

  @Test func `a layout lists kinds, nested records, and nothing of dictionaries`() throws {
    struct Sample: Encodable {
      var pair = CodableFixtures.Pair(left: "l", right: 1)
      var pairs = [CodableFixtures.Pair(left: "l", right: 1)]
      var names = ["a": 1]
      var mixed: [JSONLike] = [.int(1), .string("a")]
      var small = UInt8(1)
    }
    let pair = Layout.Kind.record([
      .init("left", .scalar(.string)), .init("right", .scalar(.int64)),
    ])
    #expect(
      try record(Sample()).layout.fields == [
        .init("pair", pair), .init("pairs", .array(of: pair)), .init("names", .tagged),
        .init("mixed", .array(of: .tagged)), .init("small", .scalar(.uint8)),
      ]
    )
  }

  @Test func `rationed growth of parts waits for sixty-four times as many records`() throws {
    var writer = RecordWriter(unrationed: 0)
    var bytes: [UInt8] = []
    func write(_ value: JSONLike) throws -> Layout {
      try writer.encode(Nest(holder: Holder(value: value)), into: &bytes)
    }
    let first = try write(.int(1))
    #expect(first.fields == [.init("holder", .record([.init("value", .scalar(.int64))]))])
    for _ in 2..<64 { #expect(try write(.string("a")) === first) }
    let second = try write(.int(1))
    #expect(second === first)
    #expect(
      try write(.string("a")).fields == [.init("holder", .record([.init("value", .tagged)]))]
    )
  }

  @Test func `a value of another kind in a field of the record itself does not wait`() throws {
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    let first = try writer.encode(Holder(value: .int(1)), into: &bytes)
    #expect(first.fields == [.init("value", .scalar(.int64))])
    let second = try writer.encode(Holder(value: .string("a")), into: &bytes)
    #expect(second.fields == [.init("value", .tagged)])
    #expect(try writer.encode(Holder(value: .int(2)), into: &bytes) === second)
  }

  /// A member that its `encode` leaves out if it has no value.
  struct Sparse: Encodable {
    var note: String?
    enum CodingKeys: CodingKey { case id, note }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(1, forKey: .id)
      if let note { try container.encode(note, forKey: .note) }
    }
  }

  @Test func `a member that an encode left out until now is a field with its first value`() throws {
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    #expect(try writer.encode(Sparse(), into: &bytes).fields.map(\.name) == ["id"])
    #expect(
      try writer.encode(Sparse(note: "x"), into: &bytes).fields.map(\.name) == ["id", "note"]
    )
  }

  struct Nest: Codable, Equatable {
    var holder: Holder
  }

  struct Holder: Codable, Equatable {
    var value: JSONLike
  }

  @Test func `a resumed layout grows with the first record that it does not fit`() throws {
    let stored = try record(CodableFixtures.Pair(left: "l", right: 1)).layout
    struct Wider: Codable {
      var extra = true
      var left = "l"
      var right = 1
    }
    var writer = RecordWriter(resuming: stored)
    var bytes: [UInt8] = []
    #expect(try writer.encode(CodableFixtures.Pair(left: "l", right: 1), into: &bytes) === stored)
    let grown = try writer.encode(Wider(), into: &bytes)
    #expect(grown.fields == stored.fields + [.init("extra", .scalar(.bool))])
  }

  @Test func `types that nest in themselves stop growing layouts`() throws {
    try onLargeStack { () throws in
      var tree = CodableFixtures.Tree(value: 0, children: [])
      for value in 1..<100 { tree = CodableFixtures.Tree(value: value, children: [tree]) }
      let (bytes, layout) = try record(tree)
      #expect(layout.body.count < 1_000)
      let read = try RecordReader(layout: layout).decode(CodableFixtures.Tree.self, from: bytes)
      #expect(read == tree)
    }
  }

  struct Refused: Error {}

  struct Refusing: Encodable {
    var refuses: Bool
    enum CodingKeys: CodingKey { case a, b }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(1, forKey: .a)
      if refuses { throw Refused() }
      try container.encode(2, forKey: .b)
    }
  }

  @Test func `a value that refuses leaves bytes and writer as they were`() throws {
    var writer = RecordWriter()
    var bytes: [UInt8] = [1, 2, 3]
    #expect(throws: Refused.self) { _ = try writer.encode(Refusing(refuses: true), into: &bytes) }
    #expect(bytes == [1, 2, 3])
    let layout = try writer.encode(Refusing(refuses: false), into: &bytes)
    #expect(layout.fields.map(\.name) == ["a", "b"])
    let read = try RecordReader(layout: layout).decode([String: Int].self, from: bytes[3...])
    #expect(read == ["a": 1, "b": 2])
  }

  @Test func `two forms of container for one value are refused`() throws {
    struct Torn: Encodable {
      func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(1)
        var members = encoder.container(keyedBy: Refusing.CodingKeys.self)
        try members.encode(1, forKey: .a)
      }
    }
    #expect(throws: RecordError.conflictingContainers) { try record(Torn()) }
    #expect(throws: RecordError.conflictingContainers) { try record(["a": Torn()]) }
  }

  @Test func `values nest to a depth and no further`() throws {
    try onLargeStack { () throws in
      #expect(try copy(nested(RecordLimits.depth)) == nested(RecordLimits.depth))
      #expect(throws: RecordError.tooDeep) { try record(nested(RecordLimits.depth + 1)) }
      #expect(throws: RecordError.tooDeep) { try record(nested(2_000)) }
    }
  }

  /// In a separate process, because a stack overflow ends the process.
  @Test(.enabled(if: !LimitedProcess.isSanitized, "a sanitizer makes frames larger"))
  func `a value that nests too deep for a stack of 512 KB is refused before it ends`() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      for depth in [16, 32, 64, 128, RecordLimits.depth] {
        try LayoutGrowthTests().expectCopyOrRefusal(depth)
      }
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
  }

  private func expectCopyOrRefusal(_ depth: Int) throws {
    let trees = (1..<depth).reduce(CodableFixtures.Tree(value: 0, children: [])) { tree, value in
      CodableFixtures.Tree(value: value, children: [tree])
    }
    let bytes: [UInt8] = [2] + Array(repeating: [32, 3], count: depth - 1).joined() + [32, 1]
    // What a thread with a large stack has written is read on one with a small stack.
    let (stored, layout) = try onLargeStack { try record(nested(depth)) }
    let refused = try onThread(stack: 512 << 10) {
      try Self.refusals(of: [
        {
          let read = try copy(nested(depth))
          #expect(read == nested(depth))
        },
        { _ = try record(trees) },
        { _ = try RecordValue(record: bytes, layout: .empty) },
        { _ = try RecordReader(layout: layout).decode(JSONLike.self, from: stored) },
      ])
    }
    if depth == 16 { #expect(refused == 0) }
  }

  private static func refusals(of copies: [() throws -> Void]) throws -> Int {
    var refusals = 0
    for copy in copies {
      do { try copy() } catch RecordError.tooDeep { refusals += 1 }
    }
    return refusals
  }
}

private func nested(_ depth: Int) -> JSONLike {
  (1..<depth).reduce(.array([])) { value, _ in .array([value]) }
}
