import Foundation
import StrataRecords
import TestSupport
import Testing

@Suite struct EncodedIDTests {
  private func expectOrder<ID: Encodable & Comparable>(
    _ ids: [ID],
    by isLess: (ID, ID) -> Bool = { $0 < $1 },
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let encoded = try ids.map { (id: $0, bytes: try EncodedID.bytes(of: $0)) }
    for left in encoded {
      for right in encoded {
        let isBefore = left.bytes.lexicographicallyPrecedes(right.bytes)
        #expect(
          isBefore == isLess(left.id, right.id),
          "\(left) and \(right)",
          sourceLocation: sourceLocation
        )
        #expect(
          (left.bytes == right.bytes) == (left.id == right.id),
          sourceLocation: sourceLocation
        )
      }
    }
  }

  @Test func `bytes sort as integers do`() throws {
    var generator = RecordGenerator.printed("ids")
    let small = (0..<100).map { _ in Int.random(in: -300...300, using: &generator) }
    try expectOrder(small + [.min, .max, -1, 0, 1] + small.map { $0 << 48 })
    try expectOrder(small.map(Int8.init(truncatingIfNeeded:)))
    try expectOrder(
      (0..<50).map { _ in UInt64.random(in: 0 ... .max, using: &generator) } + [0, .max]
    )
  }

  @Test func `bytes sort as strings do, however they are composed`() throws {
    var generator = RecordGenerator.printed("text ids")
    let texts = (0..<120).map { _ in generator.text() } + ["", "é", "e\u{301}", "\u{10FFFF}"]
    // Not by `<`, which does not put "e\u{301}" before "é ", though it puts "é" there (Swift 6.3).
    try expectOrder(texts) { left, right in
      let composed = [left, right].map { $0.precomposedStringWithCanonicalMapping.utf8 }
      return composed[0].lexicographicallyPrecedes(composed[1])
    }
  }

  @Test func `bytes sort as UUIDs do`() throws {
    let ids = (0..<50).map { _ in UUID() }
    let sorted = try ids.sorted {
      try EncodedID.bytes(of: $0).lexicographicallyPrecedes(try EncodedID.bytes(of: $1))
    }
    #expect(sorted.map(\.uuidString) == ids.map(\.uuidString).sorted())
  }

  @Test func `an integer has one encoding whatever its width`() throws {
    let bytes = try EncodedID.bytes(of: 5)
    #expect(bytes == [1, 0x80, 0, 0, 0, 0, 0, 0, 5])
    #expect(try EncodedID.bytes(of: UInt8(5)) == bytes)
    #expect(try EncodedID.bytes(of: CodableFixtures.Wrapped(Int16(5))) == bytes)
    #expect(try EncodedID.bytes(of: UInt64.max) == [2] + Array(repeating: 0xFF, count: 8))
  }

  @Test func `values come back`() throws {
    let uuid = UUID()
    func value(_ raw: some Encodable) throws -> RecordValue {
      try EncodedID.value(of: EncodedID.bytes(of: raw))
    }
    #expect(try value(-7) == .int(-7, .bits64))
    #expect(try value(UInt.max) == .uint(.max, .bits64))
    #expect(try value("日本") == .string("日本"))
    #expect(try value(uuid) == .uuid(uuid))
    #expect(try value(CodableFixtures.Grade.low) == .string("low"))
    #expect(try value(0.5) == .double(0.5))
    #expect(
      try value(CodableFixtures.Pair(left: "l", right: 1))
        == .object([.init("left", .string("l")), .init("right", .int(1, .bits64))])
    )
  }

  @Test func `equal IDs have equal bytes`() throws {
    #expect(try EncodedID.bytes(of: -0.0) == EncodedID.bytes(of: 0.0))
    let composed = CodableFixtures.Pair(left: "é", right: 1)
    let typed = CodableFixtures.Pair(left: "e\u{301}", right: 1)
    #expect(composed == typed)
    #expect(try EncodedID.bytes(of: composed) == EncodedID.bytes(of: typed))
    #expect(try EncodedID.bytes(of: ["b": 1, "a": 2]) == EncodedID.bytes(of: ["a": 2, "b": 1]))
  }

  @Test(
    arguments: [
      [], [0], [9, 1], [1, 2], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0], [3, 0xFF], [4, 1], [5],
    ] as [[UInt8]]
  )
  func `what is no ID is refused`(bytes: [UInt8]) {
    #expect(throws: RecordError.self) { try EncodedID.value(of: bytes) }
  }
}
