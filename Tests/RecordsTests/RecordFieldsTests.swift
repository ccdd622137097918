import Foundation
import StrataRecords
import TestSupport
import Testing

/// Reading single fields gives what reading the whole record gives.
@Suite struct RecordFieldsTests {
  private struct Row: Codable {
    var bool: Bool?
    var int8: Int8?
    var int: Int?
    var uint8: UInt8?
    var uint: UInt64?
    var float: Float?
    var double: Double?
    var text: String?
    var data: Data?
    var date: Date?
    var uuid: UUID?
    var url: URL?
    var decimal: Decimal?
    var list: [Int?]?
    var nested: CodableFixtures.Pair?
    var any: JSONLike?

    init(using random: inout RecordGenerator) {
      if random.chance(70) { bool = .random(using: &random) }
      if random.chance(70) { int8 = .random(in: .min ... .max, using: &random) }
      if random.chance(70) { int = .random(in: .min ... .max, using: &random) }
      if random.chance(70) { uint8 = .random(in: .min ... .max, using: &random) }
      if random.chance(70) { uint = .random(in: .min ... .max, using: &random) }
      if random.chance(70) { float = [0.1, .nan, -0.0, .infinity].randomElement(using: &random) }
      if random.chance(70) { double = [0.1, .nan, -0.0, .infinity].randomElement(using: &random) }
      if random.chance(70) { text = random.text() }
      if random.chance(70) { data = Data(random.text().utf8) }
      if random.chance(70) {
        date = Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random))
      }
      if random.chance(70) { uuid = UUID() }
      if random.chance(70) {
        url = URL(string: "https://example.com/\(Int.random(in: 0...9, using: &random))")
      }
      if random.chance(70) { decimal = Decimal(Int.random(in: -99...99, using: &random)) / 8 }
      if random.chance(70) { list = [1, nil, 3] }
      if random.chance(70) { nested = .init(left: random.text(), right: 1) }
      if random.chance(70) { any = .random(depth: 3, using: &random) }
    }
  }

  private static let names = [
    "any", "text", "lacking", "bool", "int8", "int", "uint8", "uint", "float", "double", "data",
    "date", "uuid", "url", "decimal", "list", "nested",
  ]

  /// The content as a value; integers are 64 bits wide, and a URL is a text.
  private func value(_ content: RecordFields.Content, _ record: ArraySlice<UInt8>) -> RecordValue {
    switch content {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value, .bits64)
    case .uint(let value): .uint(value, .bits64)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .date(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .text(let range): .string(String(decoding: record[range], as: UTF8.self))
    case .data(let range): .data(Data(record[range]))
    case .uuid(let value): .uuid(value)
    case .decimal(let value): .decimal(value)
    case .nested(let value): value
    }
  }

  private func widened(_ value: RecordValue?) -> RecordValue {
    switch value {
    case .int(let value, _)?: .int(value, .bits64)
    case .uint(let value, _)?: .uint(value, .bits64)
    case .url(let url)?: .string(url.absoluteString)
    case let value: value ?? .null
    }
  }

  @Test func `every field of a record is found, among its extras too`() throws {
    var random = RecordGenerator.printed("fields")
    var extras = 0
    for round in 0..<20 {
      var writer = RecordWriter()
      for _ in 0..<50 {
        // The records before and after stand for the block around it.
        var bytes: [UInt8] = [0xFF, 0xFF]
        let row = Row(using: &random)
        let layout =
          if round % 2 == 0 {
            // Beside a layout that lists none of the fields.
            try writer.encode(
              StoredObject(try RecordValue(encoding: row).members ?? [], fields: []),
              into: &bytes
            )
          } else {
            try writer.encode(row, into: &bytes)
          }
        let record = bytes[2...]
        let whole = try RecordValue(record: record, layout: layout)
        let names = Self.names.shuffled(using: &random).prefix(.random(in: 0...17, using: &random))
        let fields = RecordFields(Array(names), in: layout)
        var places = [RecordFields.Place](repeating: .none, count: names.count)
        try fields.locate(in: record, &places)
        for (place, name) in zip(places, names) {
          let content = try fields.content(at: place, in: record)
          #expect(value(content, record) == widened(whole[name]), "\(name)")
          #expect(try fields.value(at: place, in: record) == whole[name], "\(name)")
          let isListed = layout.fields.contains { $0.name == name }
          if !isListed, whole[name] != nil { extras += 1 }
        }
      }
    }
    #expect(extras > 100)
  }

  @Test func `a value is given as what it is, and as nothing else`() {
    let values: [RecordValue] = [.bool(true), .string("a"), .integer(3), .double(2.5)]
    #expect(values.map(\.truth) == [true, nil, nil, nil])
    #expect(values.map(\.text) == [nil, "a", nil, nil])
    #expect(values.map(\.integer) == [nil, nil, 3, nil])
    #expect(values.map(\.number) == [nil, nil, 3, 2.5])
  }

  @Test func `a record that is one value is found under its own number`() throws {
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    let layout = try writer.encode("only", into: &bytes)
    let fields = RecordFields(["name", "value"], in: layout, lone: 1)
    var places = [RecordFields.Place](repeating: .none, count: 2)
    try fields.locate(in: bytes[...], &places)
    #expect(value(try fields.content(at: places[0], in: bytes[...]), bytes[...]) == .null)
    #expect(value(try fields.content(at: places[1], in: bytes[...]), bytes[...]) == .string("only"))
  }

  @Test func `damaged bytes are errors, and never more`() throws {
    var random = RecordGenerator.printed("damaged fields")
    var writer = RecordWriter()
    var errors = 0
    for _ in 0..<2_000 {
      var bytes: [UInt8] = []
      let layout = try writer.encode(Row(using: &random), into: &bytes)
      let fields = RecordFields(Self.names, in: layout)
      let at = Int.random(in: 0..<bytes.count, using: &random)
      if random.chance(50) {
        bytes[at] = .random(in: .min ... .max, using: &random)
      } else {
        bytes.removeLast(bytes.count - at)
      }
      var places = [RecordFields.Place](repeating: .none, count: Self.names.count)
      do throws(RecordError) {
        try fields.locate(in: bytes[...], &places)
        for place in places { _ = try fields.content(at: place, in: bytes[...]) }
      } catch {
        errors += 1
      }
    }
    #expect(errors > 500)
  }
}
