import Foundation
import Strata
import StrataRecords
import TestSupport
import Testing

/// One reader for many records: what types may do with their decoders, and what damage does.
@Suite struct RecordReaderTests {
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

  /// Reads a value back with a reader that reads other records before and after.
  private func expectReread<Value: Codable & Equatable>(
    _ value: Value,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (bytes, layout) = try record(value)
    let reader = try RecordReader(layout: layout)
    for _ in 0..<3 {
      let read = try reader.decode(Value.self, from: bytes[...])
      #expect(read == value, sourceLocation: sourceLocation)
      let again = try record(read)
      #expect(again.bytes == bytes && again.layout == layout, sourceLocation: sourceLocation)
      _ = try? reader.decode(Value.self, from: bytes.dropLast())
    }
  }

  @Test func `structs, arrays, enums and every scalar are read again and again`() throws {
    try expectReread(Plain.sample())
    try expectReread(CodableFixtures.Scalars.low)
    try expectReread(CodableFixtures.Scalars.high)
    try expectReread(CodableFixtures.Kinds.sample())
    try expectReread(
      CodableFixtures.Tree(value: 1, children: [CodableFixtures.Tree(value: 2, children: [])])
    )
    try expectReread(bulkBook(3))
  }

  @Test func `dictionaries, nulls in arrays, superclasses and lone values are too`() throws {
    try expectReread(["a": 1])
    try expectReread(CodableFixtures.Wrapped(5))
    try expectReread([CodableFixtures.Wrapped([1, nil])])
    try expectReread(
      CodableFixtures.Dog(name: "Rex", legs: 4, owner: CodableFixtures.Animal(name: "Ann"))
    )
  }

  /// A part of a larger array is read as the same bytes in an array of their own.
  @Test func `a slice reads as its own bytes, with the offsets of its array`() throws {
    let (bytes, layout) = try record(try Plain.sample())
    let reader = try RecordReader(layout: layout)
    let larger = [9, 9, 9] + bytes + [9]
    let whole = try reader.decode(Plain.self, from: bytes)
    #expect(try reader.decode(Plain.self, from: larger[3..<3 + bytes.count]) == whole)
    #expect(throws: RecordError.trailingBytes(at: 3 + bytes.count)) {
      try reader.decode(Plain.self, from: larger[3...])
    }
  }

  @Test func `a bit flipped in a plain record is read or refused`() throws {
    let (bytes, layout) = try record(Plain.sample())
    let reader = try RecordReader(layout: layout)
    var read = 0
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(bit)
        if let value = try? reader.decode(Plain.self, from: flipped) {
          read += 1
          #expect(throws: Never.self) { try RecordValue(record: flipped, layout: layout) }
          #expect(try copy(value) == value)
        }
      }
      #expect(throws: RecordError.self) { try reader.decode(Plain.self, from: bytes[..<index]) }
    }
    #expect(read > 0 && read < 8 * bytes.count)
    #expect(throws: RecordError.trailingBytes(at: bytes.count)) {
      try reader.decode(Plain.self, from: bytes + [0])
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
    let reader = try RecordReader(layout: layout)
    #expect(try reader.decode(New.self, from: bytes[...]) == New(kept: 1))
    bytes[bytes.count - 1] = 0xFF
    #expect(throws: RecordError.self) { try reader.decode(New.self, from: bytes[...]) }
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
    let reader = try RecordReader(layout: layout)
    for _ in 0..<3 {
      #expect(try reader.decode(Either.self, from: bytes[...]).text == "float 0.5")
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
    let reader = try RecordReader(layout: layout)
    let late = try reader.decode(Late.self, from: bytes[...])
    for _ in 0..<3 { _ = try reader.decode(CodableFixtures.Pair.self, from: other[...]) }
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
    let reader = try RecordReader(layout: layout)
    #expect(try reader.decode(Holder.self, from: bytes[...]).place.path == ["place"])
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

  @Test func `records that all need defaults are read once each`() throws {
    struct Before: Codable { var left = "l" }
    let (bytes, layout) = try record(Before())
    let defaults = try record(Counted(left: "", added: 5))
    let reader = try RecordReader(layout: layout, defaults: defaults)
    for _ in 0..<10_000 {
      #expect(try reader.decode(Counted.self, from: bytes[...]).added == 5)
    }
    let calls = Counted.calls.elements.count
    #expect(calls == 10_000)
  }

  /// Takes its members from the last to the first, through two containers in turn.
  struct Backwards: Decodable, Equatable {
    enum CodingKeys: String, CodingKey, CaseIterable { case a, b, c, d }
    var numbers: [[Int]] = []

    init(from decoder: any Decoder) throws {
      let containers = [
        try decoder.container(keyedBy: CodingKeys.self),
        try decoder.container(keyedBy: CodingKeys.self),
      ]
      for key in CodingKeys.allCases.reversed() + CodingKeys.allCases + [.b, .d, .a] {
        for container in containers {
          numbers.append(try container.decode([Int].self, forKey: key))
          #expect(try container.decode([Int].self, forKey: key) == numbers.last)
        }
      }
    }
  }

  @Test func `members are found in any order`() throws {
    struct Written: Encodable { var a = [1], b = [2, 300], c: [Int] = [], d = [4] }
    let (bytes, layout) = try record(Written())
    let reader = try RecordReader(layout: layout)
    let down = [[4], [], [2, 300], [1]]
    let expected = (down + down.reversed() + [[2, 300], [4], [1]]).flatMap { [$0, $0] }
    for _ in 0..<2 {
      #expect(try reader.decode(Backwards.self, from: bytes).numbers == expected)
    }
  }

  @Test func `a field that is missing or null is an error also behind other bytes`() throws {
    struct Both: Decodable {
      let first: Int
      let second: String
    }
    let layout = try Layout([.init("first", .scalar(.int64)), .init("second", .scalar(.string))])
    // The maps of records whose fields are: absent, null, a value and absent, a value and null.
    for record in [[0], [0b0101_00], [0b0010_00, 4], [0b0110_00, 4]] as [[UInt8]] {
      let bytes = [UInt8](repeating: 9, count: 300) + record
      #expect(throws: DecodingError.self) {
        try RecordReader(layout: layout).decode(Both.self, from: bytes[300...])
      }
    }
    let lone: [UInt8] = [9, 9, 9, 9, 2, 0]
    #expect(throws: DecodingError.self) {
      try RecordReader(layout: layout).decode(Int.self, from: lone[4...])
    }
  }
}
