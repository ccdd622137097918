import Foundation
import StrataRecords
import TestSupport
import Testing

/// Values are written as the format says, in whatever order a type writes its members.
@Suite struct RecordEncoderTests {
  /// What comes of a value against the layout that the samples made, and what the format says of it.
  private func bytes<Value: Encodable>(
    _ value: Value,
    after samples: [Value]
  ) throws -> (written: [UInt8], expected: [UInt8]) {
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    for sample in samples { _ = try writer.encode(sample, into: &bytes) }
    let layout = writer.layout
    var written: [UInt8] = [7]
    let used = try writer.encode(value, into: &written)
    try #require(used === layout)
    let stored = try RecordValue(record: written[1...], layout: layout)
    return (written, [7] + ReferenceRecord.bytes(of: stored, layout))
  }

  private func expectAsTheFormatSays<Value: Encodable>(
    _ values: [Value],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    // The first one makes the layout, so it has everything.
    for value in values {
      let (written, expected) = try bytes(value, after: Array(values.prefix(1)))
      #expect(written == expected, sourceLocation: sourceLocation)
    }
  }

  private struct Post: Codable, Equatable {
    struct Author: Codable, Equatable {
      var name: String
      var age: UInt8?
    }

    var id: Int64
    var author: Author
    var editor: Author?
    var tags: [String]
    var reviews: [Author]
    var grade: CodableFixtures.Grade
    var isPinned: Bool
    var time: Date
    var link: URL?
    var score: Double
  }

  private func post(_ number: Int) -> Post {
    Post(
      id: Int64(number) << number,
      author: .init(name: "a\(number)", age: number.isMultiple(of: 2) ? nil : UInt8(number)),
      editor: number.isMultiple(of: 3) ? .init(name: "é", age: 0) : nil,
      tags: (0..<number * 9).map { "tag \($0)" },
      reviews: (0..<number).map { .init(name: "r\($0)", age: $0 > 2 ? 1 : nil) },
      grade: number > 2 ? .high : .low,
      isPinned: number > 1,
      time: Date(timeIntervalSinceReferenceDate: Double(number) / 3),
      link: URL(string: "https://example.com/\(number)"),
      score: -0.0
    )
  }

  @Test func `what the compiler's coding writes has the bytes of the format`() throws {
    var full = post(12)
    full.author.age = 1
    full.reviews[0].age = 1
    try expectAsTheFormatSays([full] + (1..<12).map { post($0) })
  }

  @Test func `scalars, kinds and optionals have the bytes of the format`() throws {
    try expectAsTheFormatSays([CodableFixtures.Scalars.low, .high])
    try expectAsTheFormatSays([try CodableFixtures.Kinds.sample()])
    var generator = RecordGenerator.printed("optionals")
    let texts = (0..<20).map { _ in generator.chance(50) ? generator.text() : nil }
    struct Maybe: Codable { var text: String?, number: Int?, last: [Int]? }
    try expectAsTheFormatSays(
      [Maybe(text: "", number: 0, last: [1])]
        + texts.map { Maybe(text: $0, number: $0?.count, last: $0.map { [$0.count] }) }
    )
  }

  @Test func `an array's count is right on both sides of a byte`() throws {
    struct Numbers: Codable { var before: Int, numbers: [[Int]], after: Int }
    for count in [0, 1, 63, 64, 127, 128, 9_000] {
      let inner = Array(repeating: 5, count: count)
      let value = Numbers(before: 1, numbers: [inner, [], inner], after: 2)
      let (written, expected) = try bytes(value, after: [value])
      #expect(written == expected)
    }
  }

  /// Members in an order that depends on the value, as the type says.
  private struct Shuffled: Encodable {
    enum CodingKeys: String, CodingKey { case a, b, c }

    var order: [CodingKeys]

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      for key in order { try container.encode(key.rawValue, forKey: key) }
    }
  }

  @Test func `members left out, and members out of order, are written in the layout's order`()
    throws
  {
    let all = Shuffled(order: [.a, .b, .c])
    for order: [Shuffled.CodingKeys] in [[.a, .c], [.c], [], [.c, .a], [.b, .b], [.c, .b, .a]] {
      let (written, expected) = try bytes(Shuffled(order: order), after: [all])
      #expect(written == expected)
      let sorted = Set(order).sorted { $0.rawValue < $1.rawValue }
      #expect(try written == bytes(Shuffled(order: sorted), after: [all]).written)
    }
  }

  /// Keeps the container of an inner value and writes to it after the next member.
  private struct Late: Encodable {
    enum CodingKeys: String, CodingKey { case inner, next }
    enum InnerKeys: String, CodingKey { case x, y }

    var isLate: Bool

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var inner = container.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner)
      try inner.encode(1, forKey: .x)
      if !isLate { try inner.encode(2, forKey: .y) }
      try container.encode(3, forKey: .next)
      if isLate { try inner.encode(2, forKey: .y) }
    }
  }

  @Test func `a container that is written to late has the same bytes`() throws {
    let early = try bytes(Late(isLate: false), after: [Late(isLate: false)])
    #expect(early.written == early.expected)
    let late = try bytes(Late(isLate: true), after: [Late(isLate: false)])
    #expect(late.written == early.written)
  }

  /// Writes a member, then the same one as something else, in a layout and beside it.
  private struct Overwriting: Encodable {
    enum CodingKeys: String, CodingKey { case a, b }
    enum InnerKeys: String, CodingKey { case x }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var inner = container.nestedContainer(keyedBy: InnerKeys.self, forKey: .a)
      try inner.encode(1, forKey: .x)
      try container.encode("b", forKey: .b)
      try container.encode("a", forKey: .a)
      try container.encodeIfPresent(Int?.none, forKey: .b)
    }
  }

  @Test func `the last thing written to a member counts`() throws {
    for _ in 0..<2 {
      let (bytes, layout) = try record(Overwriting())
      let value = try RecordValue(record: bytes, layout: layout)
      #expect(value == .object([.init("a", .string("a"))]))
    }
    let (written, expected) = try bytes(Overwriting(), after: [Overwriting()])
    #expect(written == expected)
  }

  @Test func `what fits no layout exactly is written with its kind or its name`() throws {
    struct Loose: Codable { var text: String }
    struct Strict: Codable { var text: Int }
    struct Wider: Codable { var text: String, more: Int }
    // In a record itself, such values make the next layout.
    struct Box<Content: Codable>: Codable { var box: Content }
    var writer = RecordWriter(unrationed: 0)
    var bytes: [UInt8] = []
    let layout = try writer.encode(Box(box: Loose(text: "")), into: &bytes)
    func write(_ value: some Encodable) throws -> [UInt8] {
      var bytes: [UInt8] = []
      #expect(try writer.encode(value, into: &bytes) === layout)
      return bytes
    }
    let wider: [UInt8] = [0b10_00, 0b10_01, 0, 1, 4, 109, 111, 114, 101, 5, 2]
    #expect(try write(Box(box: Strict(text: 1))) == [0b10_00, 0b11_00, 5, 2])
    #expect(try write(Box(box: Wider(text: "", more: 1))) == wider)
    #expect(try write("no struct") == [2, 12, 9] + "no struct".utf8)
    #expect(try write(Box(box: Loose(text: "x"))) == [0b10_00, 0b10_00, 1, 120])
  }

  @Test func `an error of the type is thrown as it is, and leaves nothing behind`() throws {
    struct Refusal: Error {}
    struct Refusing: Encodable {
      enum CodingKeys: CodingKey { case a }
      var refuses: Bool
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("x", forKey: .a)
        if refuses { throw Refusal() }
      }
    }
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    _ = try writer.encode(Refusing(refuses: false), into: &bytes)
    let before = bytes
    #expect(throws: Refusal.self) { try writer.encode(Refusing(refuses: true), into: &bytes) }
    #expect(bytes == before)
  }

  /// Counts how often it is asked to write itself, and writes its members in another order.
  private struct Counted: Encodable {
    static let calls = Recorder<Int>()
    enum CodingKeys: CodingKey { case a, b }
    var isReversed: Bool

    func encode(to encoder: any Encoder) throws {
      Self.calls.record(1)
      var container = encoder.container(keyedBy: CodingKeys.self)
      for key in isReversed ? [CodingKeys.b, .a] : [.a, .b] { try container.encode(1, forKey: key) }
    }
  }

  @Test func `a type that writes in another order is asked once a record`() throws {
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    _ = try writer.encode(Counted(isReversed: false), into: &bytes)
    let before = Counted.calls.elements.count
    for _ in 0..<1_000 { _ = try writer.encode(Counted(isReversed: true), into: &bytes) }
    #expect(Counted.calls.elements.count == before + 1_000)
  }

  /// Notes where it stands.
  private struct Place: Encodable {
    static let paths = Recorder<[String]>()

    func encode(to encoder: any Encoder) throws {
      Self.paths.record(encoder.codingPath.map(\.stringValue))
      var container = encoder.singleValueContainer()
      try container.encode(1)
    }
  }

  @Test func `a type that asks for its coding path while it is written gets it`() throws {
    struct Holder: Encodable { var places = ["a": [Place()]], place = Place() }
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    _ = try writer.encode(Holder(), into: &bytes)
    _ = try writer.encode(Holder(), into: &bytes)
    let paths = Place.paths.elements
    #expect(Set(paths) == [["places", "a", "Index 0"], ["place"]])
    #expect(paths.count >= 4)
  }
}
