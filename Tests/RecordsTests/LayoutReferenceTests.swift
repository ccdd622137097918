import Foundation
import StrataRecords
import TestSupport
import Testing

/// An ID as entities have it: it is coded as its raw value and refers to a table.
private struct Key<Table: TableTag>: Codable, Hashable, Referencing {
  static var referencedTables: ReferencedTables? { .table(Table.name) }
  var raw: String

  init(_ raw: String) { self.raw = raw }

  init(from decoder: any Decoder) throws {
    raw = try decoder.singleValueContainer().decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(raw)
  }
}

private protocol TableTag { static var name: String { get } }
private enum Users: TableTag { static let name = "users" }
private enum Teams: TableTag { static let name = "teams" }

@Suite struct LayoutReferenceTests {
  private static func write(
    _ value: some Encodable,
    _ writer: inout RecordWriter
  ) throws -> (bytes: [UInt8], layout: Layout) {
    var bytes: [UInt8] = []
    let layout = try writer.encode(value, into: &bytes)
    return (bytes, layout)
  }

  /// The two bits of a field in the map of a record.
  private static func presence(of slot: Int, in record: [UInt8]) -> UInt8 {
    record[(slot + 1) / 4] >> ((slot + 1) % 4 * 2) & 3
  }

  private struct Line: Codable {
    var product = Key<Teams>("p")
    var count = 1
  }

  private enum Target: Codable {
    case user(Key<Users>)
    case team(id: Key<Teams>)
  }

  private struct Message: Codable {
    var id = Key<Users>("m")
    var author = Key<Users>("a")
    var reviewer: Key<Users>? = Key("r")
    var readers = [Key<Users>("a"), Key("b")]
    var teams: Set<Key<Teams>> = [Key("t")]
    var slots: [Key<Users>?] = [nil, Key("c")]
    var seen = [Key<Users>("a"): 3]
    var owners = ["x": Key<Teams>("t")]
    var groups = ["x": [Key<Users>("a")]]
    var pairs = [Key<Users>("a"): Key<Teams>("t")]
    var lines = [Line()]
    var target = Target.user(Key("u"))
    var text = "text"
    var numbers = [1, 2]
  }

  @Test func `the layout of a record lists the fields that refer to entities`() throws {
    var writer = RecordWriter()
    let (_, layout) = try Self.write(Message(), &writer)
    #expect(
      layout.references.map(\.description) == [
        "author → users", "reviewer → users", "readers[] → users", "teams[] → teams",
        "slots[] → users", "seen{key} → users", "owners{value} → teams",
        "groups{value}[] → users", "pairs{key} → users", "pairs{value} → teams",
        "lines[].product → teams", "target.user._0 → users",
      ]
    )
    _ = try Self.write(Message(target: .team(id: Key("t"))), &writer)
  }

  @Test func `an ID that refers to a table has the bytes of its raw value`() throws {
    struct Typed: Codable {
      var id = Key<Users>("m")
      var author = Key<Users>("a")
      var readers = [Key<Users>("a"), Key("b")]
      var seen = [Key<Users>("a"): 3]
      var owners = ["x": Key<Teams>("t")]
    }
    struct Raw: Codable {
      var id = "m"
      var author = "a"
      var readers = ["a", "b"]
      var seen: [Both] = [.text("a"), .number(3)]
      var owners = ["x": "t"]
    }
    enum Both: Codable {
      case text(String)
      case number(Int)

      init(from decoder: any Decoder) throws { self = .number(0) }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
      }
    }
    var (typed, raw) = (RecordWriter(), RecordWriter())
    let (bytes, layout) = try Self.write(Typed(), &typed)
    #expect(bytes == (try Self.write(Raw(), &raw).bytes))
    #expect(layout.fields.map(\.kind) == raw.layout.fields.map(\.kind))
    let read = try RecordReader(layout: layout).decode(Typed.self, from: bytes)
    #expect(read.readers == [Key("a"), Key("b")])
    #expect(read.seen == [Key("a"): 3])
  }

  @Test func `the body of a layout with references is as the format says`() throws {
    let layout = try Layout([
      .init("author", .scalar(.string), to: .table("users")),
      .init("tags", .array(of: .scalar(.int64)), to: .elements(.table("t"))),
      .init(
        "seen",
        .tagged,
        to: .dictionary(keys: nil, values: .elements(.table("t")))
      ),
    ])
    let expected: [[UInt8]] = [
      [1, 3],
      [6, 97, 117, 116, 104, 111, 114, 36, 1, 5, 117, 115, 101, 114, 115, 12],
      [4, 116, 97, 103, 115, 36, 2, 1, 1, 116, 32, 5],
      [4, 115, 101, 101, 110, 36, 3, 0, 2, 1, 1, 116, 35],
    ]
    #expect(layout.body == Array(expected.joined()))
    #expect(try Layout(body: layout.body).fields == layout.fields)
  }

  @Test(
    arguments: [
      // No kind behind the references, none in them, a dictionary of neither, an unknown form.
      ([36, 1, 1, 116], RecordError.truncated(at: 8)),
      ([36, 0, 12], .badTag(0, at: 5)),
      ([36, 3, 0, 0, 12], .badTag(3, at: 5)),
      ([36, 4, 12], .badTag(4, at: 5)),
      ([36, 2, 0, 12], .badTag(0, at: 6)),
      ([36, 1, 1, 116, 36, 1, 1, 116, 12], .badTag(36, at: 8)),
    ] as [([UInt8], RecordError)]
  )
  func `forged references are refused`(_ field: [UInt8], _ error: RecordError) {
    #expect(throws: error) { try Layout(body: [1, 1, 1, 120] + field) }
  }

  @Test func `references are refused beyond the limits of depth and number`() throws {
    let deep = Array(repeating: UInt8(2), count: 300) + [1, 1, 116, 12]
    #expect(throws: RecordError.tooDeep) { try Layout(body: [1, 1, 1, 120, 36] + deep) }
    // 256 fields with 512 tables each.
    func pairs(_ depth: Int) -> [UInt8] {
      depth == 0 ? [1, 0] : [3] + pairs(depth - 1) + pairs(depth - 1)
    }
    var body: [UInt8] = [1]
    body.append(contentsOf: [128, 2])
    for field in 0..<256 {
      body += [2, UInt8(65 + field / 16), UInt8(65 + field % 16), 36] + pairs(8) + [35]
    }
    #expect(throws: RecordError.tooManyFields) { try Layout(body: body) }
  }

  private struct Raw: Codable {
    var author: String
    var count = 1
  }

  private struct Typed<Table: TableTag>: Codable {
    var author: Key<Table>
    var count = 1
  }

  @Test func `a layout without references gets them with the next record`() throws {
    var old = RecordWriter()
    let (oldBytes, oldLayout) = try Self.write(Raw(author: "a"), &old)
    var writer = RecordWriter(resuming: try Layout(body: oldLayout.body))
    let (bytes, layout) = try Self.write(Typed<Users>(author: Key("a")), &writer)
    #expect(layout.fields[0] == .init("author", .scalar(.string), to: .table("users")))
    #expect(layout.fields[1] == oldLayout.fields[1])
    #expect(bytes == oldBytes)
    let reader = try RecordReader(layout: oldLayout)
    #expect(try reader.decode(Typed<Users>.self, from: oldBytes).author == Key("a"))
    #expect(try Self.write(Typed<Users>(author: Key("b")), &writer).layout === layout)
  }

  @Test func `a record without a reference leaves the layout as it is`() throws {
    var old = RecordWriter()
    let (_, layout) = try Self.write(Typed<Users>(author: Key("a")), &old)
    var writer = RecordWriter(resuming: layout)
    struct Sparse: Codable { var count = 1 }
    #expect(try Self.write(Sparse(), &writer).layout === layout)
  }

  @Test func `the references of a field follow its type`() throws {
    var first = RecordWriter()
    _ = try Self.write(Typed<Users>(author: Key("a")), &first)
    var second = RecordWriter(resuming: first.layout)
    let teams = try Self.write(Typed<Teams>(author: Key("t")), &second)
    #expect(teams.layout.fields[0] == .init("author", .scalar(.string), to: .table("teams")))
    #expect(Self.presence(of: 0, in: teams.bytes) == 2)
    var third = RecordWriter(resuming: second.layout)
    let raw = try Self.write(Raw(author: "a"), &third)
    #expect(raw.layout.fields[0] == .init("author", .scalar(.string)))
    #expect(Self.presence(of: 0, in: raw.bytes) == 2)
  }

  @Test func `a value is never stored as a reference that it is not`() throws {
    enum Author: Codable {
      case user(Key<Users>), team(Key<Teams>), text(String)

      init(from decoder: any Decoder) throws { self = .text("") }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .user(let key): try container.encode(key)
        case .team(let key): try container.encode(key)
        case .text(let text): try container.encode(text)
        }
      }
    }
    struct Mixed: Codable { var author: Author }
    var writer = RecordWriter()
    var layouts: Set<Layout> = []
    var generator = RecordGenerator.printed("mixed references")
    for number in 0..<10_000 {
      let author: (value: Author, table: String?) =
        // The first one makes a layout with a reference.
        switch number == 0 ? 0 : Int.random(in: 0..<3, using: &generator) {
        case 0: (.user(Key("\(number)")), "users")
        case 1: (.team(Key("\(number)")), "teams")
        default: (.text("\(number)"), nil)
        }
      let (bytes, layout) = try Self.write(Mixed(author: author.value), &writer)
      layouts.insert(layout)
      if case .table(let table) = layout.fields[0].references,
        Self.presence(of: 0, in: bytes) == 2
      {
        #expect(table == author.table)
      }
      let value = try RecordValue(record: bytes, layout: layout)
      #expect(value["author"] == .string("\(number)"))
    }
    #expect(layouts.count <= 3)
    #expect(writer.layout.fields[0].references == nil)
  }

  @Test func `an older build keeps the references of fields that it does not know`() throws {
    struct Known: Codable { var count = 1 }
    struct New: Codable {
      var count = 1
      var author = Key<Users>("a")
      var readers = [Key<Users>("b")]
      var seen = [Key<Users>("a"): 3]
    }
    var new = RecordWriter()
    let (bytes, layout) = try Self.write(New(), &new)
    var unknown: UnknownFields?
    let reader = try RecordReader(layout: layout)
    let known = try reader.decode(Known.self, from: bytes[...], unknown: &unknown)
    var writer = RecordWriter(resuming: layout)
    let carried = try Self.write(
      CarryingUnknownFields(known, try #require(unknown)),
      &writer
    )
    #expect(carried.bytes == bytes)
    #expect(carried.layout === layout)
  }
}
