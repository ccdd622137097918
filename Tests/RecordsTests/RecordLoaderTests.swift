import Foundation
import Strata
import StrataRecords
import TestSupport
import Testing

/// The short way to read a record: where it is taken, where it must not be, and what it costs in vain.
@Suite struct RecordLoaderTests {
  struct Plain: Codable, Equatable {
    var id: EntityID<Book>
    var name: String
    var long: String
    var age: Int
    var small: Int16?
    var nothing: String?
    var isActive: Bool
    var createdAt: Date
    var tags: [String]
    var scores: [Double]
    var home: CodableFixtures.Pair
    var others: [CodableFixtures.Pair]
    var visited: [CodableFixtures.Pair]?
    var grade: CodableFixtures.Grade
    var wrapped: CodableFixtures.Wrapped<Int>
    var shape: CodableFixtures.Shape
    var link: URL
    var key: UUID
    var price: Decimal
    var blob: Data

    static func sample() throws -> Plain {
      Plain(
        id: 7,
        name: "é 日本",
        long: String(repeating: "long ", count: 50),
        age: -3,
        small: nil,
        nothing: nil,
        isActive: true,
        createdAt: Date(timeIntervalSinceReferenceDate: 0.1),
        tags: ["a", "", "tag"],
        scores: [0.5, -0.0],
        home: CodableFixtures.Pair(left: "l", right: 1),
        others: [
          CodableFixtures.Pair(left: "a", right: 1), CodableFixtures.Pair(left: "b", right: 300),
        ],
        visited: [],
        grade: .high,
        wrapped: CodableFixtures.Wrapped(9),
        shape: .labeled("x", at: CodableFixtures.Pair(left: "q", right: 2)),
        link: try #require(URL(string: "https://example.com/a")),
        key: UUID(),
        price: try #require(Decimal(string: "12.50")),
        blob: Data([0, 255])
      )
    }
  }

  private func isDirect<Value: Codable & Equatable>(
    _ value: Value,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Bool {
    let (bytes, layout) = try record(value)
    let direct = RecordLoader(try RecordReader(layout: layout))
      .decodeDirectly(Value.self, from: bytes[...])
    if let direct { #expect(direct == value, sourceLocation: sourceLocation) }
    return direct != nil
  }

  @Test func `structs, arrays, enums and every scalar are read directly`() throws {
    #expect(try isDirect(Plain.sample()))
    #expect(try isDirect(CodableFixtures.Scalars.low))
    #expect(try isDirect(CodableFixtures.Scalars.high))
    #expect(try isDirect(CodableFixtures.Kinds.sample()))
    #expect(
      try isDirect(
        CodableFixtures.Tree(value: 1, children: [CodableFixtures.Tree(value: 2, children: [])])
      )
    )
    #expect(try isDirect(bulkBook(3)))
  }

  @Test func `dictionaries, nulls in arrays, superclasses and lone values are not`() throws {
    #expect(try !isDirect(["a": 1]))
    #expect(try !isDirect(CodableFixtures.Wrapped(5)))
    #expect(try !isDirect([CodableFixtures.Wrapped([1, nil])]))
    #expect(
      try !isDirect(
        CodableFixtures.Dog(name: "Rex", legs: 4, owner: CodableFixtures.Animal(name: "Ann"))
      )
    )
  }

  @Test func `a bit flipped in a plain record is read alike or refused alike`() throws {
    let (bytes, layout) = try record(Plain.sample())
    let reader = try RecordReader(layout: layout)
    var read = 0
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(bit)
        if (try? bothWays(Plain.self, flipped, reader)) != nil { read += 1 }
      }
      _ = try? bothWays(Plain.self, Array(bytes[..<index]), reader)
    }
    #expect(read > 0 && read < 8 * bytes.count)
    #expect(throws: RecordError.trailingBytes(at: bytes.count)) {
      try bothWays(Plain.self, bytes + [0], reader)
    }
  }

  @Test func `damage in a field that nobody reads is found all the same`() throws {
    struct Old: Codable {
      var kept = 1
      var dropped = "text"
    }
    struct New: Codable, Equatable { var kept: Int }
    let (written, layout) = try record(Old())
    var bytes = written
    let loader = RecordLoader(try RecordReader(layout: layout))
    #expect(try loader.decode(New.self, from: bytes[...]) == New(kept: 1))
    bytes[bytes.count - 1] = 0xFF
    #expect(throws: RecordError.self) { try loader.decode(New.self, from: bytes[...]) }
  }

  /// Takes the first type that fits, whatever the others throw.
  struct Either: Decodable, Equatable {
    var text: String

    enum CodingKeys: CodingKey { case value }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if let float = try? container.decode(Float.self, forKey: .value) {
        text = "float \(float)"
      } else {
        text = "double \(try container.decode(Double.self, forKey: .value))"
      }
    }
  }

  @Test func `a type that tries one thing after another comes to the same value`() throws {
    struct Written: Encodable { var value = 0.5 }
    let (bytes, layout) = try record(Written())
    let loader = RecordLoader(try RecordReader(layout: layout))
    for _ in 0..<3 {
      #expect(try loader.decode(Either.self, from: bytes[...]).text == "float 0.5")
    }
  }

  /// Reads when it is asked.
  struct Late: Decodable {
    enum CodingKeys: CodingKey { case left, right }
    let container: KeyedDecodingContainer<CodingKeys>

    init(from decoder: any Decoder) throws {
      container = try decoder.container(keyedBy: CodingKeys.self)
    }
  }

  @Test func `a type that keeps its container reads from it later`() throws {
    let (bytes, layout) = try record(CodableFixtures.Pair(left: "first", right: 1))
    let other = try record(CodableFixtures.Pair(left: "other", right: 2)).bytes
    let loader = RecordLoader(try RecordReader(layout: layout))
    let late = try loader.decode(Late.self, from: bytes[...])
    for _ in 0..<3 { _ = try loader.decode(CodableFixtures.Pair.self, from: other[...]) }
    #expect(try late.container.decode(String.self, forKey: .left) == "first")
    #expect(try late.container.decode(Int.self, forKey: .right) == 1)
  }

  /// Notes where it stands.
  struct Place: Codable, Equatable {
    var path: [String] = []

    init() {}

    init(from decoder: any Decoder) throws { path = decoder.codingPath.map(\.stringValue) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(1)
    }
  }

  @Test func `a type that asks for its coding path is told it`() throws {
    struct Holder: Codable { var place = Place() }
    let (bytes, layout) = try record(Holder())
    let loader = RecordLoader(try RecordReader(layout: layout))
    #expect(try loader.decode(Holder.self, from: bytes[...]).place.path == ["place"])
  }

  /// Counts how often it was asked to read itself.
  struct Counted: Codable {
    static let calls = Recorder<Int>()

    var left: String
    var added: Int

    enum CodingKeys: CodingKey { case left, added }

    init(left: String, added: Int) { (self.left, self.added) = (left, added) }

    init(from decoder: any Decoder) throws {
      Self.calls.record(1)
      let container = try decoder.container(keyedBy: CodingKeys.self)
      left = try container.decode(String.self, forKey: .left)
      added = try container.decode(Int.self, forKey: .added)
    }
  }

  @Test func `records that all need defaults are not read twice for ever`() throws {
    struct Before: Codable { var left = "l" }
    let (bytes, layout) = try record(Before())
    let defaults = try record(Counted(left: "", added: 5))
    let loader = RecordLoader(try RecordReader(layout: layout, defaults: defaults))
    for _ in 0..<10_000 {
      #expect(try loader.decode(Counted.self, from: bytes[...]).added == 5)
    }
    let calls = Counted.calls.elements.count
    #expect(calls > 10_000 && calls < 10_050)
  }
}
