import Foundation
import StrataRecords
import TestSupport
import Testing

/// Streaming writes the bytes that the tree writes, or nothing.
@Suite struct StreamingEncodingTests {
  /// What comes of a value against the layout that the samples made, streamed and as a tree.
  private func bothWays<Value: Encodable>(
    _ value: Value,
    after samples: [Value]
  ) throws -> (streamed: [UInt8]?, tree: [UInt8]) {
    var writer = RecordWriter(streams: false)
    var bytes: [UInt8] = []
    for sample in samples { _ = try writer.encode(sample, into: &bytes) }
    var tree: [UInt8] = [7]
    let layout = writer.layout
    let used = try writer.encode(value, into: &tree)
    try #require(used === layout)
    var streamed: [UInt8] = [7]
    let isStreamed = StreamingEncoding.write(value, layout, into: &streamed)
    if !isStreamed { #expect(streamed == [7]) }
    return (isStreamed ? streamed : nil, tree)
  }

  private func expectStreamed<Value: Encodable>(
    _ values: [Value],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    // The first one makes the layout, so it has everything.
    for value in values {
      let (streamed, tree) = try bothWays(value, after: Array(values.prefix(1)))
      #expect(streamed == tree, sourceLocation: sourceLocation)
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

  @Test func `what the compiler's coding writes is streamed, with the bytes of the tree`() throws {
    var full = post(12)
    full.author.age = 1
    full.reviews[0].age = 1
    try expectStreamed([full] + (1..<12).map { post($0) })
  }

  @Test func `scalars, kinds and optionals are streamed`() throws {
    try expectStreamed([CodableFixtures.Scalars.low, .high])
    try expectStreamed([try CodableFixtures.Kinds.sample()])
    var generator = RecordGenerator.printed("optionals")
    let texts = (0..<20).map { _ in generator.chance(50) ? generator.text() : nil }
    struct Maybe: Codable { var text: String?, number: Int?, last: [Int]? }
    try expectStreamed(
      [Maybe(text: "", number: 0, last: [1])]
        + texts.map { Maybe(text: $0, number: $0?.count, last: $0.map { [$0.count] }) }
    )
  }

  @Test func `an array's count is right on both sides of a byte`() throws {
    struct Numbers: Codable { var before: Int, numbers: [[Int]], after: Int }
    for count in [0, 1, 63, 64, 127, 128, 9_000] {
      let inner = Array(repeating: 5, count: count)
      let value = Numbers(before: 1, numbers: [inner, [], inner], after: 2)
      let (streamed, tree) = try bothWays(value, after: [value])
      #expect(streamed == tree)
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

  @Test func `members left out are streamed, and members out of order are not`() throws {
    let all = Shuffled(order: [.a, .b, .c])
    for order: [Shuffled.CodingKeys] in [[.a, .c], [.c], []] {
      let (streamed, tree) = try bothWays(Shuffled(order: order), after: [all])
      #expect(streamed == tree)
    }
    for order: [Shuffled.CodingKeys] in [[.c, .a], [.b, .b]] {
      #expect(try bothWays(Shuffled(order: order), after: [all]).streamed == nil)
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

  @Test func `a container that is written to too late gives up`() throws {
    let early = try bothWays(Late(isLate: false), after: [Late(isLate: false)])
    #expect(early.streamed == early.tree)
    let late = try bothWays(Late(isLate: true), after: [Late(isLate: false)])
    #expect(late.streamed == nil)
    #expect(late.tree == early.tree)
  }

  @Test func `what fits no layout exactly gives up`() throws {
    struct Loose: Codable { var text: String }
    struct Strict: Codable { var text: Int }
    struct Wider: Codable { var text: String, more: Int }
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    let layout = try writer.encode(Loose(text: ""), into: &bytes)
    #expect(!StreamingEncoding.write(Strict(text: 1), layout, into: &bytes))
    #expect(!StreamingEncoding.write(Wider(text: "", more: 1), layout, into: &bytes))
    #expect(!StreamingEncoding.write("no struct", layout, into: &bytes))
    #expect(StreamingEncoding.write(Loose(text: "x"), layout, into: &bytes))
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

  @Test func `a type that never streams is tried ever more rarely`() {
    var patience = StreamingPatience()
    var tries = 0
    for _ in 0..<10_000 where patience.isDue() {
      tries += 1
      patience.note(false)
    }
    #expect(tries < 25)
    while !patience.isDue() {}
    patience.note(true)
    let isDue = patience.isDue()
    #expect(isDue)
  }
}
