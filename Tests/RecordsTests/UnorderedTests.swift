import Foundation
import StrataRecords
import TestSupport
import Testing

/// Equal values have equal bytes, whatever the order in which their collections were filled.
@Suite struct UnorderedTests {
  @Test func `equal values have equal bytes, by Codable, by hand and as IDs`() throws {
    let seed = randomSeed()
    var order = SeededGenerator(seed: .random(in: .min ... .max))
    var writers = (RecordWriter(), RecordWriter(), RecordWriter())
    let rounds = loopCount("STRATA_VALUES", 1_000)
    print("\(rounds) unordered records, seed \(seed)")
    for number in 0..<rounds {
      let first = Unordered(seed: seed, number: number, order: &order)
      let second = Unordered(seed: seed, number: number, order: &order)
      var bytes: ([UInt8], [UInt8], [UInt8]) = ([], [], [])
      let layout = try writers.0.encode(first, into: &bytes.0)
      #expect(try writers.1.encode(second, into: &bytes.1) == layout, "seed \(seed), \(number)")
      _ = try writers.2.encode(ByCodable(value: second), into: &bytes.2)
      guard bytes.0 == bytes.1, bytes.0 == bytes.2 else {
        Issue.record("other bytes: seed \(seed), record \(number), \(first)")
        return
      }
      #expect(try EncodedID.bytes(of: first) == EncodedID.bytes(of: second), "seed \(seed)")
      let read = try RecordReader(layout: layout).decode(Unordered.self, from: bytes.0)
      #expect(read == first, "seed \(seed), record \(number)")
      #expect(
        try TaggedValue.bytes(of: read) == TaggedValue.bytes(of: first),
        "seed \(seed), record \(number)"
      )
    }
  }

  @Test func `both forms of a type with unordered collections say the same`() throws {
    let seed = randomSeed()
    var order = SeededGenerator(seed: .random(in: .min ... .max))
    try RecordCodableLaw.check(
      (0..<40).map { Unordered(seed: seed, number: $0, order: &order) }
    )
  }

  @Test func `the parts of a set come in the order of their bytes`() throws {
    func elements(_ value: some Encodable) throws -> [RecordValue]? {
      try RecordValue(encoding: value).elements
    }
    #expect(try elements(Set(["b", "a", "cc"])) == [.string("a"), .string("b"), .string("cc")])
    #expect(
      try elements([UInt8(2): "two", 1: "one"])
        == [.uint(1, .bits8), .string("one"), .uint(2, .bits8), .string("two")]
    )
  }

  @Test func `a list keeps its order, also in a set`() throws {
    let value = Set([[3, 1, 2]])
    #expect(
      try RecordValue(encoding: value).elements?.first?.elements?.map(\.integer) == [3, 1, 2]
    )
  }

  @Test func `a collection that says so has no order`() throws {
    let bags = [Bag(contents: [3, 1, 2]), Bag(contents: [1, 3, 2])]
    let values = try bags.map { try RecordValue(encoding: $0) }
    #expect(values[0] == values[1])
    #expect(values[0].elements?.map(\.integer) == [1, 2, 3])
  }

  @Test func `a set that passes its encoder on is not seen`() throws {
    struct Hidden: Encodable {
      let parts: Set<Int>

      func encode(to encoder: any Encoder) throws { try parts.encode(to: encoder) }
    }
    let parts = Set(0..<100)
    let expected = parts.map { RecordValue.integer($0) }
    #expect(try RecordValue(encoding: Hidden(parts: parts)).elements == expected)
    #expect(try RecordValue(encoding: parts).elements != expected)
  }

  private struct ByCodable: Encodable {
    let value: Unordered

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }
}

/// A collection of a program.
private struct Bag<Element> {
  var contents: [Element]
}

extension Bag: Encodable where Element: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for part in contents { try container.encode(part) }
  }
}

extension Bag: UnorderedCodable where Element: Codable {
  static var storedOrder: StoredOrder { .elements }
}
