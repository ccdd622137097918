import Foundation
import StrataRecords
import TestSupport
import Testing

/// Bytes that may be anything: they are read or refused, and nothing else happens.
@Suite struct RecordFuzzTests {
  private func samples(_ generator: inout RecordGenerator) throws -> [(
    bytes: [UInt8], layout: Layout
  )] {
    let pair = CodableFixtures.Pair(left: "left", right: 5)
    var samples = [
      try record(CodableFixtures.Scalars.high), try record(try CodableFixtures.Kinds.sample()),
      try record(
        CodableFixtures.Optionals(text: "a", nested: pair, list: [1, nil], lists: [["a"], nil])
      ),
      try record(
        CodableFixtures.Enums(
          shape: .group([.point, .labeled("x", at: pair)], main: .circle(radius: 1)),
          shapes: [],
          grade: .high,
          level: .two,
          byGrade: [.low: 1]
        )
      ),
      try record(
        CodableFixtures.Tree(value: 1, children: [CodableFixtures.Tree(value: 2, children: [])])
      ),
      try record(
        CodableFixtures.Dog(name: "Rex", legs: 4, owner: CodableFixtures.Animal(name: "Ann"))
      ),
    ]
    for _ in 0..<10 { samples.append(try record(JSONLike.random(depth: 4, using: &generator))) }
    return samples
  }

  private func mutate(_ bytes: [UInt8], _ generator: inout RecordGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let index = Int.random(in: 0...bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes.removeLast(bytes.count - index)
      case 1: bytes.insert(.random(in: 0 ... .max, using: &generator), at: index)
      case 2 where index < bytes.count: bytes.remove(at: index)
      case 3 where index < bytes.count:
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case _ where index < bytes.count:
        bytes[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      default: bytes.append(.random(in: 0 ... .max, using: &generator))
      }
    }
    return bytes
  }

  private func readEveryWay(_ bytes: [UInt8], _ layout: Layout) -> Bool {
    func reads<Value: Decodable>(_ type: Value.Type) -> Bool {
      do {
        _ = try RecordReader(layout: layout).decode(type, from: bytes)
        return true
      } catch {
        return false
      }
    }
    let typed = [
      reads(CodableFixtures.Scalars.self), reads(CodableFixtures.Kinds.self),
      reads(CodableFixtures.Optionals.self),
      reads(CodableFixtures.Enums.self), reads(CodableFixtures.Tree.self),
      reads(CodableFixtures.Dog.self), reads(JSONLike.self),
      reads([String: JSONLike].self), reads(CodableFixtures.Unruly.self),
      reads(CodableFixtures.Nulls.self),
    ]
    do {
      _ = try RecordValue(record: bytes, layout: layout).json()
      return true
    } catch {
      // A record whose URLs and decimals are no such texts is refused as a whole when it is untyped.
      if case .badText = error as RecordError { return true }
      #expect(!typed.contains(true))
      return false
    }
  }

  @Test func `twenty thousand broken records and layouts are read or refused`() throws {
    var generator = RecordGenerator.printed("fuzz")
    let samples = try samples(&generator)
    var read = 0
    for round in 0..<20_000 {
      guard let sample = samples.randomElement(using: &generator) else { return }
      var layout = sample.layout
      if round % 4 == 0, let broken = try? Layout(body: mutate(layout.body, &generator)) {
        layout = broken
      } else if round % 4 == 1, let other = samples.randomElement(using: &generator) {
        layout = other.layout
      }
      if readEveryWay(mutate(sample.bytes, &generator), layout) { read += 1 }
    }
    #expect(read > 100 && read < 19_900)
  }

  @Test func `random bytes are read or refused`() throws {
    var generator = RecordGenerator.printed("noise")
    let samples = try samples(&generator)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...64, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
      guard let sample = samples.randomElement(using: &generator) else { return }
      _ = readEveryWay(bytes, sample.layout)
      _ = try? Layout(body: bytes)
      _ = try? EncodedID.value(of: bytes)
    }
  }

  @Test func `every shorter part of a record is refused`() throws {
    var generator = RecordGenerator.printed("cuts")
    for sample in try samples(&generator) {
      for count in 0..<sample.bytes.count {
        #expect(throws: RecordError.self) {
          try RecordValue(record: sample.bytes[..<count], layout: sample.layout)
        }
      }
      #expect(throws: RecordError.trailingBytes(at: sample.bytes.count)) {
        try RecordValue(record: sample.bytes + [0], layout: sample.layout)
      }
    }
  }

  @Test(
    arguments: [
      ([2, 255], RecordError.badTag(255, at: 1)),
      ([2, 32, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], .countTooLarge(0x3_FFFF_FFFF, at: 2)),
      ([2, 33, 5], .countTooLarge(5, at: 2)),
      ([2, 12, 1, 0xFF], .badUTF8(at: 3)),
      ([2, 1, 2], .badTag(2, at: 2)),
      ([2, 17, 1, 97], .badText(at: 3)),
      ([2, 17, 4, 49, 50, 97, 98], .badText(at: 3)),
      ([3], .badTag(3, at: 0)),
      ([2, 5, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2], .badVarint(at: 2)),
    ] as [([UInt8], RecordError)]
  )
  func `what is no record says why`(bytes: [UInt8], error: RecordError) {
    #expect(throws: error) { try RecordValue(record: bytes, layout: .empty) }
  }

  @Test func `bytes that nest too deep are refused`() throws {
    func arrays(_ count: Int) -> [UInt8] {
      [2] + Array(repeating: [32, 3], count: count - 1).joined() + [32, 1]
    }
    func objects(_ count: Int) -> [UInt8] {
      [2] + Array(repeating: [33, 1, 0], count: count - 1).joined() + [33, 0]
    }
    let deepest = RecordLimits.depth
    let (fitting, tooDeep) = (
      [arrays(deepest), objects(deepest)],
      [arrays(deepest + 1), objects(deepest + 1), arrays(100_000), objects(100_000)]
    )
    try onLargeStack { () throws in
      for bytes in fitting {
        #expect(throws: Never.self) { try RecordValue(record: bytes, layout: .empty) }
      }
      for bytes in tooDeep {
        #expect(throws: RecordError.tooDeep) { try RecordValue(record: bytes, layout: .empty) }
      }
    }
  }
}
