import Foundation
import StrataRecords
import TestSupport
import Testing

@Suite struct LayoutTests {
  private static func random(_ generator: inout RecordGenerator, depth: Int) -> [Layout.Field] {
    let count = Int.random(in: 0...6, using: &generator)
    return (0..<count).map { index in
      Layout.Field(
        "\(generator.text())\(index)",
        kind(&generator, depth: depth),
        to: Bool.random(using: &generator) ? references(&generator, depth: depth) : nil
      )
    }
  }

  private static func references(
    _ generator: inout RecordGenerator,
    depth: Int
  ) -> ReferencedTables {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 1), using: &generator) {
    case 0...2: .table(generator.text())
    case 3: .elements(references(&generator, depth: depth - 1))
    case 4: .dictionary(keys: nil, values: references(&generator, depth: depth - 1))
    default:
      .dictionary(
        keys: references(&generator, depth: depth - 1),
        values: references(&generator, depth: depth - 1)
      )
    }
  }

  private static func kind(_ generator: inout RecordGenerator, depth: Int) -> Layout.Kind {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &generator) {
    case 0: .unknown
    case 1: .tagged
    case 2...5: .scalar(Scalar.allCases.randomElement(using: &generator) ?? .bool)
    case 6, 7: .array(of: kind(&generator, depth: depth - 1))
    default: .record(random(&generator, depth: depth - 1))
    }
  }

  @Test func `layouts come back from their bodies`() throws {
    var generator = RecordGenerator.printed("layouts")
    for _ in 0..<500 {
      let layout = try Layout(Self.random(&generator, depth: 4))
      let read = try Layout(body: layout.body)
      #expect(read.fields == layout.fields)
      #expect(read.id == layout.id)
      #expect(read == layout)
    }
  }

  @Test func `the body of a layout is as the format says`() throws {
    let layout = try Layout([
      .init("id", .scalar(.int64)), .init("tags", .array(of: .scalar(.string))),
      .init("at", .record([.init("x", .unknown)])), .init("any", .tagged),
    ])
    let expected: [[UInt8]] = [
      [1, 4], [2, 105, 100, 5], [4, 116, 97, 103, 115, 32, 12], [2, 97, 116, 34, 1, 1, 120, 0],
      [3, 97, 110, 121, 35],
    ]
    #expect(layout.body == Array(expected.joined()))
  }

  @Test func `the bytes of a record are as the format says`() throws {
    struct Sample: Codable {
      var id = -2
      var name: String?
      var tags = ["a", "b"]
      var pair = CodableFixtures.Pair(left: "l", right: 300)
    }
    let layout = try Layout([
      .init("id", .scalar(.int64)), .init("name", .unknown),
      .init("tags", .array(of: .scalar(.string))),
      .init("pair", .record([.init("left", .scalar(.string)), .init("right", .scalar(.bool))])),
    ])
    var writer = RecordWriter(resuming: layout)
    var bytes: [UInt8] = []
    let grown = try writer.encode(Sample(), into: &bytes)
    #expect(
      grown.fields[3].kind == .record([.init("left", .scalar(.string)), .init("right", .tagged)])
    )
    // map 0 · id 2 · name 0 · tags 2 | pair 2; id; tags: 2 elements; pair: map, left, right tagged
    let expected: [[UInt8]] = [
      [0b10_00_10_00, 0b10], [3], [4, 1, 97, 1, 98], [0b10_10_00, 1, 108, 5, 0xD8, 0x04],
    ]
    #expect(bytes == Array(expected.joined()))
  }

  @Test func `a layout names each field once`() {
    #expect(throws: RecordError.duplicateField("a")) {
      try Layout([.init("a", .unknown), .init("a", .tagged)])
    }
  }

  @Test func `layouts of too many fields are refused, made or read`() throws {
    let most = RecordLimits.fields
    func body(_ count: Int) -> [UInt8] {
      var bytes: [UInt8] = [1]
      bytes.appendVarint(UInt64(count))
      for number in 0..<count {
        bytes.appendText("\(number)")
        bytes.append(1)
      }
      return bytes
    }
    #expect(try Layout(body: body(most)).fields.count == most)
    #expect(throws: RecordError.tooManyFields) { try Layout(body: body(most + 1)) }
    let fields = (0...most).map { Layout.Field("\($0)", .unknown) }
    #expect(throws: RecordError.tooManyFields) { try Layout(fields) }
    // Arrays in arrays count too, since each takes one byte only.
    let nested = (0..<200).reduce(Layout.Kind.unknown) { kind, _ in .array(of: kind) }
    let arrays = (0..<most / 200).map { Layout.Field("\($0)", nested) }
    #expect(throws: RecordError.tooManyFields) { try Layout(arrays) }
  }

  @Test func `layouts too deep are refused, made or read`() throws {
    let kind = (0..<300).reduce(Layout.Kind.unknown) { kind, _ in .array(of: kind) }
    #expect(throws: RecordError.tooDeep) { try Layout([.init("a", kind)]) }
    let body: [UInt8] = [1, 1, 1, 97] + Array(repeating: 32, count: 100_000) + [0]
    #expect(throws: RecordError.tooDeep) { try Layout(body: body) }
  }

  @Test(
    arguments: [
      ([], RecordError.truncated(at: 0)),
      ([2, 0], .badTag(2, at: 0)),
      ([1, 200], .truncated(at: 2)),
      ([1, 9], .countTooLarge(9, at: 1)),
      ([1, 1, 1, 97, 33], .badTag(33, at: 4)),
      ([1, 1, 1, 0xFF, 0], .badUTF8(at: 3)),
      ([1, 0, 0], .trailingBytes(at: 2)),
      ([1, 0x80, 0], .badVarint(at: 1)),
    ] as [([UInt8], RecordError)]
  )
  func `what is no layout says why`(body: [UInt8], error: RecordError) {
    #expect(throws: error) { try Layout(body: body) }
  }
}
