package import Foundation
import StrataBase
package import StrataRecords

/// A record with collections that have no order: at every depth, of every kind, with and without a value.
package struct Unordered: Codable, Hashable, Sendable {
  package enum Suit: String, Codable, CaseIterable, Hashable, Sendable {
    case clubs, diamonds, hearts, spades
  }

  package struct Point: Codable, Hashable, Sendable {
    package var x: Double
    package var name: String?
  }

  package enum Content: Codable, Hashable, Sendable {
    case nothing
    case names(Set<String>)
    case counts(of: [UUID: Int], at: Set<Date>)
  }

  /// A set that writes itself as the only value of its encoder.
  package struct Wrapped: Codable, Hashable, Sendable {
    package var parts: Set<Data>

    package init(_ parts: Set<Data>) { self.parts = parts }

    package init(from decoder: any Decoder) throws {
      parts = try decoder.singleValueContainer().decode(Set<Data>.self)
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(parts)
    }
  }

  /// A collection of this package that has no order, and says so.
  package struct Bag: Codable, Hashable, Sendable, UnorderedCodable {
    package static var storedOrder: StoredOrder { .elements }

    package var parts: [Int]

    package init(from decoder: any Decoder) throws {
      parts = try decoder.singleValueContainer().decode([Int].self)
    }

    package init(_ parts: [Int]) { self.parts = parts }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for part in parts { try container.encode(part) }
    }

    package static func == (a: Bag, b: Bag) -> Bool { a.parts.sorted() == b.parts.sorted() }

    package func hash(into hasher: inout Hasher) { hasher.combine(parts.count) }
  }

  package var id: Int
  package var texts: Set<String>
  package var numbers: Set<Double>
  package var sets: Set<Set<UInt8>>?
  package var bySuit: [Suit: Point]
  package var byPoint: [Point: [UUID: Set<Int>]]
  package var byText: [String: Set<Int64>]
  package var byNumber: [Int: [Suit]]
  package var list: [Set<Suit>]
  package var content: Content
  package var wrapped: Wrapped?
  package var bag: Bag
}

extension Unordered: RecordCodable {
  package init(record: inout RecordFieldReader) throws {
    id = try record.decode("id")
    texts = try record.decode("texts")
    numbers = try record.decode("numbers")
    sets = try record.decodeIfPresent("sets")
    bySuit = try record.decode("bySuit")
    byPoint = try record.decode("byPoint")
    byText = try record.decode("byText")
    byNumber = try record.decode("byNumber")
    list = try record.decode("list")
    content = try record.decode("content")
    wrapped = try record.decodeIfPresent("wrapped")
    bag = try record.decode("bag")
  }

  package func encode(record: inout RecordFieldWriter) throws {
    record.encode("id", id)
    record.encode("texts", texts)
    record.encode("numbers", numbers)
    record.encodeIfPresent("sets", sets)
    record.encode("bySuit", bySuit)
    record.encode("byPoint", byPoint)
    record.encode("byText", byText)
    record.encode("byNumber", byNumber)
    record.encode("list", list)
    record.encode("content", content)
    record.encodeIfPresent("wrapped", wrapped)
    record.encode("bag", bag)
  }
}

extension Unordered {
  /// A value whose content the seed determines, and whose collections are filled in an order that `order` determines.
  ///
  /// The system's generator is an empty struct, so it has no address, which the thread sanitizer reads all the same.
  package init(seed: UInt64, number: Int, order: inout SeededGenerator) {
    var random = SeededGenerator(seed: seed, step: number)
    id = number
    texts = Set(Self.parts(&random, &order) { $0.text() })
    numbers = Set(Self.parts(&random, &order) { $0.number() })
    sets =
      random.chance(30)
      ? nil
      : Set(
        Self.parts(&random, &order) { random in
          Self.parts(&random) { UInt8.random(in: 0...9, using: &$0) }
        }.map { Set($0.shuffled(using: &order)) }
      )
    let suits = Self.parts(&random) { $0.suit() }
    let points = suits.map { _ in random.point() }
    bySuit = Self.dictionary(suits, points, &order)
    let keys = Self.parts(&random) { $0.point() }
    let contents = keys.map { _ in
      Self.parts(&random) { ($0.uuid(), Self.parts(&$0) { Int.random(in: -99...99, using: &$0) }) }
    }
    byPoint = Self.dictionary(
      keys,
      contents.map { content in
        Self.dictionary(content.map(\.0), content.map { Set($0.1.shuffled(using: &order)) }, &order)
      },
      &order
    )
    let names = Self.parts(&random) { $0.text() }
    let values = names.map { _ in
      Self.parts(&random) { Int64.random(in: .min ... .max, using: &$0) }
    }
    byText = Self.dictionary(names, values.map { Set($0.shuffled(using: &order)) }, &order)
    let numbers = Self.parts(&random) { Int.random(in: -9...9, using: &$0) }
    byNumber = Self.dictionary(
      numbers,
      numbers.map { _ in [random.suit(), random.suit()] },
      &order
    )
    list = Self.parts(&random) { random in Self.parts(&random) { $0.suit() } }
      .map { Set($0.shuffled(using: &order)) }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: content = .nothing
    case 1: content = .names(Set(Self.parts(&random, &order) { $0.text() }))
    default:
      let ids = Self.parts(&random) { $0.uuid() }
      content = .counts(
        of: Self.dictionary(ids, Array(ids.indices), &order),
        at: Set(Self.parts(&random, &order) { Date(timeIntervalSinceReferenceDate: $0.number()) })
      )
    }
    wrapped =
      random.chance(30)
      ? nil : Wrapped(Set(Self.parts(&random, &order) { Data($0.text().utf8) }))
    bag = Bag(Self.parts(&random, &order) { Int.random(in: -300...300, using: &$0) })
  }

  private static func parts<Part>(
    _ random: inout SeededGenerator,
    _ part: (inout SeededGenerator) -> Part
  ) -> [Part] {
    (0..<Int.random(in: 0...5, using: &random)).map { _ in part(&random) }
  }

  private static func parts<Part>(
    _ random: inout SeededGenerator,
    _ order: inout SeededGenerator,
    _ part: (inout SeededGenerator) -> Part
  ) -> [Part] {
    parts(&random, part).shuffled(using: &order)
  }

  /// A dictionary of the first value of each key, filled in another order, with room for more.
  private static func dictionary<Key: Hashable, Value>(
    _ keys: [Key],
    _ values: [Value],
    _ order: inout SeededGenerator
  ) -> [Key: Value] {
    let first = Dictionary(zip(keys, values)) { first, _ in first }
    var dictionary: [Key: Value] = [:]
    dictionary.reserveCapacity(Int.random(in: 0...64, using: &order))
    for key in keys.shuffled(using: &order) { dictionary[key] = first[key] }
    return dictionary
  }

  /// The bytes of values of a seed, with their layouts, and as IDs: a line for every so many.
  package static func fingerprints(seed: UInt64, count: Int, every size: Int = 100) throws
    -> [String]
  {
    var order = SeededGenerator(seed: .random(in: .min ... .max))
    var writer = RecordWriter()
    var lines: [String] = []
    for start in stride(from: 0, to: count, by: size) {
      var bytes: [UInt8] = []
      for number in start..<min(start + size, count) {
        let value = Unordered(seed: seed, number: number, order: &order)
        let layout = try writer.encode(value, into: &bytes)
        bytes += try layout.body + EncodedID.bytes(of: value)
      }
      lines.append("\(start) \(Checksum(of: bytes))")
    }
    return lines
  }
}

extension SeededGenerator {
  fileprivate mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }

  fileprivate mutating func text() -> String {
    let alphabet = ["a", "Z", "0", "\n", "\u{E9}", "日", "🙂"]
    let count = chance(3) ? 200 : Int.random(in: 0...4, using: &self)
    return (0..<count).map { _ in alphabet.randomElement(using: &self) ?? "" }.joined()
  }

  fileprivate mutating func number() -> Double {
    let extremes: [Double] = [
      0, 1, -1, .pi, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ]
    return chance(50)
      ? extremes.randomElement(using: &self) ?? 0 : .random(in: -9...9, using: &self)
  }

  fileprivate mutating func suit() -> Unordered.Suit {
    Unordered.Suit.allCases.randomElement(using: &self) ?? .clubs
  }

  fileprivate mutating func point() -> Unordered.Point {
    Unordered.Point(x: number(), name: chance(30) ? nil : text())
  }
}
