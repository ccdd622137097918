import Foundation
import StrataRecords
import Testing

/// What a later build writes.
private struct Later: Codable, Equatable {
  struct Place: Codable, Equatable {
    var street = ""
    var floor: Int?
    var door: Door?
  }

  struct Door: Codable, Equatable {
    var color = "red"
    var bell = true
  }

  enum Kind: Codable, Equatable {
    case plain
    case priced(amount: Int, currency: String)
  }

  var name = ""
  var priority: Int?
  var place = Place()
  var second: Place?
  var tags: [String: Double] = [:]
  var history: [Place] = []
  var kind = Kind.plain
  var seen = Date(timeIntervalSinceReferenceDate: 0.1)
  var marks: [Int]?
}

/// The same in an earlier build.
private struct Earlier: Codable, Equatable {
  struct Place: Codable, Equatable {
    var street = ""
    var door: Door?
  }

  struct Door: Codable, Equatable {
    var color = "red"
  }

  enum Kind: Codable, Equatable {
    case plain
    case priced(amount: Int)
  }

  var name = ""
  var place = Place()
  var second: Place?
  var tags: [String: Double] = [:]
  var history: [Place] = []
  var kind = Kind.plain
}

/// Fields that a type does not know are found and written again.
@Suite struct UnknownFieldsTests {
  private func decode<Value: Decodable>(
    _ type: Value.Type,
    _ bytes: [UInt8],
    _ layout: Layout
  ) throws -> (Value, UnknownFields?) {
    var unknown: UnknownFields?
    let reader = try RecordReader(layout: layout)
    let value = try reader.decode(type, from: bytes[...], unknown: &unknown)
    return (value, unknown)
  }

  /// Lets the earlier build change what the later one wrote, and reads it as the later one.
  private func change(
    _ later: Later,
    _ change: (inout Earlier) -> Void = { _ in }
  ) throws -> Later {
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    let layout = try writer.encode(later, into: &bytes)
    var (earlier, unknown) = try decode(Earlier.self, bytes, layout)
    change(&earlier)
    var again: [UInt8] = []
    let carrying = CarryingUnknownFields(earlier, try #require(unknown))
    let grown = try writer.encode(carrying, into: &again)
    return try RecordReader(layout: grown).decode(Later.self, from: again)
  }

  private let later = Later(
    name: "first",
    priority: 7,
    place: .init(street: "High St", floor: 2, door: .init(color: "green", bell: false)),
    second: .init(street: "Low St", floor: 3),
    tags: ["a": 1.5],
    history: [.init(street: "Old St", floor: 1)],
    kind: .priced(amount: 5, currency: "EUR"),
    marks: [1, 2, 3]
  )

  @Test func `they ride along with a change of what the type knows, also in structs`() throws {
    var expected = later
    expected.name = "changed"
    expected.place.door?.color = "blue"
    // Elements of arrays have no identity.
    expected.history[0].floor = nil
    let changed = try change(later) {
      $0.name = "changed"
      $0.place.door?.color = "blue"
    }
    #expect(changed == expected)
  }

  @Test func `those of a struct go with it`() throws {
    let changed = try change(later) {
      $0.second = nil
      $0.place.door = nil
    }
    #expect(changed.second == nil)
    #expect(changed.place == .init(street: "High St", floor: 2))
    #expect(changed.priority == 7)
  }

  @Test func `those of the case of an enum go with the case`() throws {
    #expect(try change(later).kind == .priced(amount: 5, currency: "EUR"))
    #expect(try change(later) { $0.kind = .plain }.kind == .plain)
  }

  @Test func `a later build's absent field stays absent`() throws {
    var later = later
    later.priority = nil
    later.marks = nil
    let changed = try change(later) { $0.name = "changed" }
    #expect(changed.priority == nil)
    #expect(changed.marks == nil)
  }

  @Test func `there are none in what the type has written itself`() throws {
    var writer = RecordWriter()
    var records: [(bytes: [UInt8], layout: Layout)] = []
    for number in 0..<500 {
      var value = later
      value.priority = number % 3 == 0 ? nil : number
      value.second = number % 5 == 4 ? later.second : nil
      value.kind = number % 2 == 0 ? .plain : later.kind
      value.tags = ["\(number)": 1]
      var bytes: [UInt8] = []
      let layout = try writer.encode(value, into: &bytes)
      records.append((bytes, layout))
    }
    let layouts = Set(records.map(\.layout))
    for layout in layouts {
      let reader = try RecordReader(layout: layout)
      for record in records where record.layout == layout {
        var unknown: UnknownFields?
        _ = try reader.decode(Later.self, from: record.bytes[...], unknown: &unknown)
        #expect(unknown == nil)
      }
      // The first record, and the first that has each struct that may be absent.
      #expect(reader.notedRecords <= 4)
    }
  }

  @Test func `a layout that a type covers is read without notes after its first record`() throws {
    struct Flat: Codable, Equatable {
      var a = 1
      var b: String?
    }
    var writer = RecordWriter()
    var records: [[UInt8]] = []
    var layout = Layout.empty
    for number in 0..<1_000 {
      var bytes: [UInt8] = []
      layout = try writer.encode(Flat(a: number, b: number % 2 == 0 ? nil : "b"), into: &bytes)
      records.append(bytes)
    }
    let reader = try RecordReader(layout: layout)
    for bytes in records {
      var unknown: UnknownFields?
      _ = try reader.decode(Flat.self, from: bytes[...], unknown: &unknown)
    }
    #expect(reader.notedRecords == 1)
  }

  @Test func `a field that the type reads and no longer writes is known`() throws {
    struct Old: Codable { var title = "old" }
    struct New: Codable, Equatable {
      var name: String

      enum CodingKeys: CodingKey { case name, title }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let title = try container.decodeIfPresent(String.self, forKey: .title)
        name = try title ?? container.decode(String.self, forKey: .name)
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
      }
    }
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    let layout = try writer.encode(Old(), into: &bytes)
    let (value, unknown) = try decode(New.self, bytes, layout)
    #expect(value.name == "old")
    #expect(unknown == nil)
  }

  @Test func `a field that the value writes itself wins`() throws {
    struct WriteOnly: Codable {
      var name = "n"

      enum CodingKeys: CodingKey { case name, length }

      init() {}

      init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(name.count, forKey: .length)
      }
    }
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    let layout = try writer.encode(WriteOnly(), into: &bytes)
    var (value, unknown) = try decode(WriteOnly.self, bytes, layout)
    value.name = "longer"
    var again: [UInt8] = []
    let carrying = CarryingUnknownFields(value, try #require(unknown))
    let grown = try writer.encode(carrying, into: &again)
    #expect(try RecordValue(record: again, layout: grown)["length"] == .int(6, .bits64))
  }

  @Test func `members beside the layout ride along too`() throws {
    struct Wide: Codable, Equatable {
      var name: String
      var extra: [String: Int]

      struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }

      init(name: String, extra: [String: Int]) { (self.name, self.extra) = (name, extra) }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        name = try container.decode(String.self, forKey: Key(stringValue: "name"))
        extra = [:]
        for key in container.allKeys where key.stringValue != "name" {
          extra[key.stringValue] = try container.decode(Int.self, forKey: key)
        }
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: Key(stringValue: "name"))
        for (key, value) in extra { try container.encode(value, forKey: Key(stringValue: key)) }
      }
    }
    struct Narrow: Codable { var name: String }
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    let wide = Wide(name: "w", extra: ["x": 1, "y": 2])
    let layout = try writer.encode(wide, into: &bytes)
    var (value, unknown) = try decode(Narrow.self, bytes, layout)
    value.name = "changed"
    var again: [UInt8] = []
    let carrying = CarryingUnknownFields(value, try #require(unknown))
    let grown = try writer.encode(carrying, into: &again)
    let read = try RecordReader(layout: grown).decode(Wide.self, from: again)
    #expect(read == Wide(name: "changed", extra: ["x": 1, "y": 2]))
    #expect(try decode(Wide.self, bytes, layout).1 == nil)
  }
}
