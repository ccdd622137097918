import Foundation
import StrataRecords
import Testing

/// A record outlives the type it was written from: five versions of one type, forwards and back.
@Suite struct RecordEvolutionTests {
  enum State1: Codable, Equatable {
    case draft
    case done(by: String)
  }

  enum State2: Codable, Equatable {
    case draft
    case done(by: String)
    case dropped(reason: String)
  }

  struct Task1: Codable, Equatable {
    var id: String
    var title: String
    var points: Int16
    var state: State1
    var note: String?
  }

  /// An optional was added.
  struct Task2: Codable, Equatable {
    var id: String
    var title: String
    var points: Int16
    var state: State1
    var note: String?
    var due: Date?
  }

  /// A field was added that is not optional, here and in a nested type.
  struct Task3: Codable, Equatable {
    struct Place: Codable, Equatable {
      var city: String
      var zip: String
    }

    var id: String
    var title: String
    var points: Int16
    var state: State1
    var note: String?
    var due: Date?
    var weight: Double
    var place: Place

    static let defaults = Task3(
      id: "",
      title: "untitled",
      points: 1,
      state: .draft,
      note: "default note",
      weight: 0.5,
      place: Place(city: "Nowhere", zip: "0")
    )
  }

  /// A field was removed, the others reordered, a number widened, an enum case added.
  struct Task4: Codable, Equatable {
    var weight: Float
    var state: State2
    var points: Int64
    var title: String
    var id: String
  }

  /// What always was there may now be missing.
  struct Task5: Codable, Equatable {
    var id: String
    var title: String?
    var points: Double?
    var state: State2?
  }

  let first = Task1(id: "1", title: "t", points: 7, state: .done(by: "Ann"), note: nil)

  @Test func `an added optional is nil`() throws {
    let read = try reread(first, as: Task2.self)
    #expect(read == Task2(id: "1", title: "t", points: 7, state: .done(by: "Ann")))
    #expect(try reread(read, as: Task1.self) == first)
  }

  @Test func `an added field is taken from the defaults, an optional is not`() throws {
    let read = try reread(first, as: Task3.self, defaults: Task3.defaults)
    let expected = Task3(
      id: "1",
      title: "t",
      points: 7,
      state: .done(by: "Ann"),
      weight: 0.5,
      place: Task3.defaults.place
    )
    #expect(read == expected)
    #expect(try reread(read, as: Task1.self) == first)
  }

  @Test func `a field added to a nested type is taken from the defaults at its path`() throws {
    struct Old: Codable {
      struct Place: Codable { var city: String }
      var id = "1"
      var title = "t"
      var points: Int16 = 7
      var state = State1.draft
      var weight = 2.0
      var place = Place(city: "Bern")
    }
    let read = try reread(Old(), as: Task3.self, defaults: Task3.defaults)
    #expect(read.place == Task3.Place(city: "Bern", zip: "0"))
  }

  @Test func `without defaults an added field is an error that names it`() throws {
    let error = #expect(throws: DecodingError.self) { try reread(first, as: Task3.self) }
    guard case .keyNotFound(let key, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(key.stringValue == "weight")
  }

  @Test func `fields may be removed, reordered and widened, enums may grow`() throws {
    let third = Task3(
      id: "1",
      title: "t",
      points: 7,
      state: .done(by: "Ann"),
      weight: 0.5,
      place: Task3.defaults.place
    )
    let fourth = Task4(weight: 0.5, state: .done(by: "Ann"), points: 7, title: "t", id: "1")
    #expect(try reread(third, as: Task4.self) == fourth)
    var back = third
    back.place = Task3.defaults.place
    #expect(try reread(fourth, as: Task3.self, defaults: Task3.defaults) == back)
  }

  @Test func `a value may become optional and change its type of number`() throws {
    let fourth = Task4(weight: 1, state: .dropped(reason: "r"), points: 7, title: "t", id: "1")
    let fifth = Task5(id: "1", title: "t", points: 7, state: .dropped(reason: "r"))
    #expect(try reread(fourth, as: Task5.self) == fifth)
    #expect(try reread(Task5(id: "1"), as: Task5.self) == Task5(id: "1"))
    let older = try reread(first, as: Task5.self)
    #expect(older == Task5(id: "1", title: "t", points: 7, state: .done(by: "Ann")))
  }

  @Test func `what an older version does not know throws and does not guess`() throws {
    let fourth = Task4(weight: 1, state: .dropped(reason: "r"), points: 70_000, title: "t", id: "1")
    #expect(throws: DecodingError.self) { try reread(fourth, as: Task1.self) }
    #expect(throws: DecodingError.self) { try reread(["points": 70_000], as: [String: Int16].self) }
  }

  @Test func `one writer takes records of several versions in turn`() throws {
    var writer = RecordWriter()
    var written: [(bytes: [UInt8], layout: Layout)] = []
    func write(_ value: some Encodable) throws {
      var bytes: [UInt8] = []
      let layout = try writer.encode(value, into: &bytes)
      written.append((bytes, layout))
    }
    let fourth = Task4(weight: 1, state: .dropped(reason: "r"), points: 7, title: "t", id: "4")
    for _ in 0..<100 {
      try write(first)
      try write(fourth)
    }
    #expect(Set(written.map(\.layout)).count == 2)
    for (index, record) in written.enumerated() {
      let reader = try RecordReader(layout: record.layout)
      if index.isMultiple(of: 2) {
        #expect(try reader.decode(Task1.self, from: record.bytes) == first)
      } else {
        #expect(try reader.decode(Task4.self, from: record.bytes) == fourth)
      }
    }
  }

  @Test(
    arguments: [
      (Int64.max, false), ((1 << 53) + 1, false), (1 << 53, true), (-(1 << 53), true), (0, true),
    ]
      as [(Int64, Bool)]
  )
  func `an integer is read as a double when that is exact`(number: Int64, fits: Bool) throws {
    if fits {
      #expect(try reread([number], as: [Double].self) == [Double(number)])
    } else {
      #expect(throws: DecodingError.self) { try reread([number], as: [Double].self) }
    }
  }

  @Test func `numbers are read as any type that holds them exactly`() throws {
    #expect(try reread([Int64(200)], as: [UInt8].self) == [200])
    #expect(try reread([UInt64.max], as: [UInt].self) == [.max])
    #expect(try reread([Float(0.1)], as: [Double].self) == [Double(Float(0.1))])
    #expect(try reread([0.5], as: [Float].self) == [0.5])
    #expect(try reread([7], as: [Decimal].self) == [7])
    #expect(throws: DecodingError.self) { try reread([0.1], as: [Float].self) }
    #expect(throws: DecodingError.self) { try reread([-1], as: [UInt].self) }
    #expect(throws: DecodingError.self) { try reread([300], as: [Int8].self) }
    #expect(throws: DecodingError.self) { try reread([1.0], as: [Int].self) }
    #expect(throws: DecodingError.self) { try reread(["1"], as: [Int].self) }
  }

  @Test func `errors name the way to the value`() throws {
    let error = #expect(throws: DecodingError.self) {
      try reread(["a": [["b": "text"]]], as: [String: [[String: Int]]].self)
    }
    guard case .typeMismatch(_, let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["a", "Index 0", "b"])
  }

  @Test func `a record in a larger array may lack a field, too`() throws {
    struct Old: Codable {
      var name = "n"
      var size: Int?
    }
    struct New: Codable, Equatable {
      var name = "d"
      var size = 5
      var weight = 7
    }
    var writer = RecordWriter()
    var bytes: [UInt8] = [9, 9, 9, 9]
    let layout = try writer.encode(Old(), into: &bytes)
    var defaults = RecordWriter()
    var defaultBytes: [UInt8] = []
    let defaultLayout = try defaults.encode(New(), into: &defaultBytes)
    let reader = try RecordReader(layout: layout, defaults: (defaultBytes, defaultLayout))
    #expect(try reader.decode(New.self, from: bytes[4...]) == New(name: "n"))
    let strict = try RecordReader(layout: layout)
    #expect(throws: DecodingError.self) { try strict.decode(New.self, from: bytes[4...]) }
  }
}
