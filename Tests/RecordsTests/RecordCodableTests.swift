import Foundation
import StrataRecords
import TestSupport
import Testing

/// Types that write and read their records by hand.
@Suite struct RecordCodableTests {
  @Test func `both forms of a type say the same`() throws {
    try RecordCodableLaw.check([Person.full, .empty, .some])
    try RecordCodableLaw.check([Person.empty])
    try RecordCodableLaw.check([try Kinds.sample])
  }

  @Test func `the law finds a misspelled name, another order, another kind and another value`() {
    func violation(_ check: () throws -> Void) -> String {
      let error = #expect(throws: RecordCodableViolation.self, performing: check)
      return error.map { "\($0)" } ?? ""
    }
    #expect(
      violation { try RecordCodableLaw.check([Misspelled(name: "a")]) }
        .contains("encode(record:) does not write Misspelled(name: \"a\")")
    )
    #expect(
      violation { try RecordCodableLaw.check([OtherOrder(first: 1, second: 2)]) }
        .contains("in another order")
    )
    #expect(
      violation { try RecordCodableLaw.check([OtherKind(number: 1)]) }
        .contains("init(record:) does not read")
    )
    #expect(
      violation { try RecordCodableLaw.check([OtherValue(number: 1)]) }
        .contains("write other bytes")
    )
    #expect(
      violation { try RecordCodableLaw.check([OtherDefault(number: 1)]) }
        .contains("read other values from a record with no \"number\"")
    )
    #expect(
      violation { try RecordCodableLaw.check([Missing(first: 1, second: 2)]) }
        .contains("write other bytes")
    )
  }

  @Test func `records are written and read by hand where their layout allows it`() throws {
    var writer = RecordWriter()
    var first: [UInt8] = []
    _ = try writer.encode(Marked(text: "a", form: "codable"), into: &first)
    var second: [UInt8] = []
    let layout = try writer.encode(Marked(text: "b", form: "codable"), into: &second)
    let reader = try RecordReader(layout: layout)
    #expect(try reader.decode(Marked.self, from: first).form == "hand")
    var unknown: UnknownFields?
    // The first record shows which fields the type asks for.
    _ = try reader.decode(Marked.self, from: first[...], unknown: &unknown)
    #expect(try reader.decode(Marked.self, from: second[...], unknown: &unknown).form == "hand")
    #expect(unknown == nil)
    #expect(reader.notedRecords == 1)
  }

  @Test func `whatever is committed has the bytes of Codable`() throws {
    var random = SeededGenerator(seed: randomSeed())
    var byHand = RecordWriter()
    var byCodable = RecordWriter()
    for _ in 0..<2_000 {
      let person = Person.random(&random)
      var bytes: [UInt8] = []
      let layout = try byHand.encode(person, into: &bytes)
      var expected: [UInt8] = []
      #expect(try byCodable.encode(person.plain, into: &expected) == layout, "\(random)")
      #expect(bytes == expected, "\(random)")
      #expect(try RecordReader(layout: layout).decode(Person.self, from: bytes) == person)
      #expect(try RecordReader(layout: layout).decode(Plain.self, from: bytes) == person.plain)
    }
  }

  @Test func `damaged records are read as Codable reads them, or refused as it refuses them`()
    throws
  {
    var random = SeededGenerator(seed: randomSeed())
    var writer = RecordWriter()
    var records: [[UInt8]] = []
    for _ in 0..<200 {
      var bytes: [UInt8] = []
      _ = try writer.encode(Person.random(&random), into: &bytes)
      records.append(bytes)
    }
    let reader = try RecordReader(layout: writer.layout)
    for record in records {
      for _ in 0..<50 {
        var bytes = record
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let index = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: bytes.removeLast(min(bytes.count - 1, Int.random(in: 1...9, using: &random)))
          case 1: bytes.insert(.random(in: 0 ... .max, using: &random), at: index)
          default: bytes[index] = .random(in: 0 ... .max, using: &random)
          }
        }
        let byHand = Result { try reader.decode(Person.self, from: bytes) }
        let byCodable = Result { try reader.decode(Plain.self, from: bytes) }
        switch (byHand, byCodable) {
        case (.success(let person), .success(let plain)):
          #expect(person.plain.isSame(plain), "\(random), \(bytes)")
        case (.failure, .failure): break
        default: Issue.record("\(random), \(bytes): \(byHand), \(byCodable)")
        }
      }
    }
  }

  @Test func `an absent field is taken from the defaults`() throws {
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    let layout = try writer.encode(Earlier(name: "Ada"), into: &bytes)
    var defaults: [UInt8] = []
    var defaultWriter = RecordWriter()
    let defaultLayout = try defaultWriter.encode(Person.some, into: &defaults)
    let reader = try RecordReader(layout: layout, defaults: (defaults, defaultLayout))
    var expected = Person.some
    expected.name = "Ada"
    expected.nickname = nil
    expected.manager = nil
    let person = try reader.decode(Person.self, from: bytes)
    #expect(person == expected)
    #expect(throws: DecodingError.self) {
      try RecordReader(layout: layout).decode(Person.self, from: bytes)
    }
  }

  @Test func `an error that a caller ignores does not make a field absent`() throws {
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    let layout = try writer.encode(Wide(number: 7), into: &bytes)
    #expect(try RecordReader(layout: layout).decode(Ignoring.self, from: bytes).number == 7)
  }

  @Test func `a container that a part keeps reads its record later`() throws {
    var writer = RecordWriter()
    var records: [[UInt8]] = []
    for text in ["first", "second"] {
      var bytes: [UInt8] = []
      _ = try writer.encode(Outer(part: Keeping(text: text)), into: &bytes)
      records.append(bytes)
    }
    let reader = try RecordReader(layout: writer.layout)
    let kept = try records.map { try reader.decode(Outer.self, from: $0) }
    #expect(try kept.map { try $0.part.read() } == ["first", "second"])
  }

  @Test func `cases are written and read by hand, with and without values`() throws {
    var byHand = RecordWriter()
    var byCodable = RecordWriter()
    let plans = [Plan.none, .paid(seats: 1, code: nil), .trial, .paid(seats: 2, code: "a")]
    for round in 0..<100 {
      for plan in plans {
        var bytes: [UInt8] = []
        let layout = try byHand.encode(plan, into: &bytes)
        var expected: [UInt8] = []
        #expect(try byCodable.encode(plan.plain, into: &expected) == layout)
        #expect(bytes == expected)
        #expect(try RecordReader(layout: layout).decode(Plan.self, from: bytes) == plan)
        guard round == 99 else { continue }
        // All cases are known, so this is the fast path: it is shown by a type that breaks the law.
        let marking = try RecordReader(layout: layout).decode(MarkingPlan.self, from: bytes)
        #expect(
          marking == (plan == .none || plan == .trial ? .trial : .paid(seats: -1, code: "read"))
        )
        var marked: [UInt8] = []
        #expect(try byHand.encode(MarkingPlan.none, into: &marked) == layout)
        #expect(try RecordReader(layout: layout).decode(Plan.self, from: marked) == .trial)
      }
    }
    try RecordCodableLaw.check(plans)
  }

  @Test func `a record with two cases is refused as Codable refuses it`() throws {
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    var layout = try writer.encode(TwoCases(trial: .init(), paid: .init(seats: 1)), into: &bytes)
    #expect(throws: DecodingError.self) {
      try RecordReader(layout: layout).decode(Plan.self, from: bytes)
    }
    for _ in 0..<200 {
      bytes = []
      layout = try writer.encode(TwoCases(trial: nil, paid: .init(seats: 1)), into: &bytes)
    }
    #expect(
      try RecordReader(layout: layout).decode(Plan.self, from: bytes) == .paid(seats: 1, code: nil)
    )
  }

  @Test func `values nest as deep by hand as by Codable`() throws {
    try onLargeStack { () throws in
      var deep = Nested(child: [])
      for _ in 0..<40 { deep = Nested(child: [deep]) }
      var writer = RecordWriter()
      var bytes: [UInt8] = []
      for _ in 0..<200 {
        bytes = []
        _ = try writer.encode(deep, into: &bytes)
      }
      #expect(try RecordReader(layout: writer.layout).decode(Nested.self, from: bytes) == deep)
      for _ in 0..<200 { deep = Nested(child: [deep]) }
      #expect(throws: RecordError.tooDeep) { try writer.encode(deep, into: &bytes) }
    }
  }
}

private struct HomeAddress: RecordCodable, Equatable {
  var street: String
  var number: Int?

  init(street: String, number: Int?) {
    self.street = street
    self.number = number
  }

  init(record: inout RecordFieldReader) throws {
    street = try record.decode("street")
    number = try record.decodeIfPresent("number")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("street", street)
    record.encodeIfPresent("number", number)
  }
}

private enum Role: Codable, Equatable {
  case guest, member(since: Int)
}

private enum Plan: RecordCodable, Equatable {
  case none, trial
  case paid(seats: Int, code: String?)

  enum Plain: Codable {
    case none, trial
    case paid(seats: Int, code: String?)
  }

  var plain: Plain {
    switch self {
    case .none: .none
    case .trial: .trial
    case .paid(let seats, let code): .paid(seats: seats, code: code)
    }
  }

  init(record: inout RecordFieldReader) throws {
    if try record.decodeCase("none") {
      self = .none
    } else if try record.decodeCase("trial") {
      self = .trial
    } else if let plan = try record.decodeCase(
      "paid",
      { Plan.paid(seats: try $0.decode("seats"), code: try $0.decodeIfPresent("code")) }
    ) {
      self = plan
    } else {
      throw RecordError.tooDeep
    }
  }

  func encode(record: inout RecordFieldWriter) {
    switch self {
    case .none: record.encodeCase("none")
    case .trial: record.encodeCase("trial")
    case .paid(let seats, let code):
      record.encodeCase("paid") { fields in
        fields.encode("seats", seats)
        fields.encodeIfPresent("code", code)
      }
    }
  }
}

/// A plan that breaks the law, and so shows that its methods are used.
private enum MarkingPlan: RecordCodable, Equatable {
  case none, trial
  case paid(seats: Int, code: String?)

  init(record: inout RecordFieldReader) throws {
    if try record.decodeCase("none") || record.decodeCase("trial") {
      self = .trial
    } else if let plan = try record.decodeCase("paid", { _ in Self.paid(seats: -1, code: "read") })
    {
      self = plan
    } else {
      throw RecordError.tooDeep
    }
  }

  func encode(record: inout RecordFieldWriter) { record.encodeCase("trial") }
}

private struct TwoCases: Codable {
  struct Trial: Codable {}
  struct Paid: Codable { var seats: Int }
  var trial: Trial?
  var paid: Paid?
}

private struct Person: RecordCodable, Equatable {
  var name: String
  var nickname: String?
  var age: Int
  var score: Double
  var isActive: Bool
  var created: Date
  var tags: [String]
  var lengths: [Int]
  var address: HomeAddress
  var former: [HomeAddress]
  var manager: HomeAddress?
  var role: Role
  var counts: [String: Int]

  var plain: Plain {
    Plain(
      name: name,
      nickname: nickname,
      age: age,
      score: score,
      isActive: isActive,
      created: created,
      tags: tags,
      lengths: lengths,
      address: .init(address),
      former: former.map { .init($0) },
      manager: manager.map { .init($0) },
      role: role,
      counts: counts
    )
  }
}

extension Person {
  init(record: inout RecordFieldReader) throws {
    name = try record.decode("name")
    nickname = try record.decodeIfPresent("nickname")
    age = try record.decode("age")
    score = try record.decode("score")
    isActive = try record.decode("isActive")
    created = try record.decode("created")
    tags = try record.decode("tags")
    lengths = try record.decode("lengths")
    address = try record.decode("address")
    former = try record.decode("former")
    manager = try record.decodeIfPresent("manager")
    role = try record.decode("role")
    counts = try record.decode("counts")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("name", name)
    record.encodeIfPresent("nickname", nickname)
    record.encode("age", age)
    record.encode("score", score)
    record.encode("isActive", isActive)
    record.encode("created", created)
    record.encode("tags", tags)
    record.encode("lengths", lengths)
    record.encode("address", address)
    record.encode("former", former)
    record.encodeIfPresent("manager", manager)
    record.encode("role", role)
    record.encode("counts", counts)
  }

  static let full = Person(
    name: "Ada Lovelace, née Byron",
    nickname: "A",
    age: 36,
    score: 1.5,
    isActive: true,
    created: Date(timeIntervalSinceReferenceDate: 12.25),
    tags: ["a", "ünïcode 🦎", ""],
    lengths: [1, -2, .max],
    address: HomeAddress(street: "a street with a long name", number: 12),
    former: [HomeAddress(street: "b", number: nil), HomeAddress(street: "c", number: -1)],
    manager: HomeAddress(street: "d", number: nil),
    role: .member(since: 1840),
    counts: ["x": 1, "y": 2]
  )

  static let some: Person = {
    var some = full
    (some.tags, some.lengths, some.manager, some.role) = ([], [], nil, .guest)
    return some
  }()

  static let empty = Person(
    name: "",
    nickname: nil,
    age: 0,
    score: 0,
    isActive: false,
    created: Date(timeIntervalSinceReferenceDate: 0),
    tags: [],
    lengths: [],
    address: HomeAddress(street: "", number: nil),
    former: [],
    manager: nil,
    role: .guest,
    counts: [:]
  )

  static func random(_ random: inout SeededGenerator) -> Person {
    func number(_ bound: Int) -> Int { Int.random(in: -bound...bound, using: &random) }
    func text() -> String {
      String(
        repeating: ["a", "é", "🦎", "name"].randomElement(using: &random) ?? "",
        count: abs(number(6))
      )
    }
    func address() -> HomeAddress {
      HomeAddress(street: text(), number: number(1) == 0 ? number(99) : nil)
    }
    return Person(
      name: text(),
      nickname: number(1) == 0 ? text() : nil,
      age: number(1 << 40),
      score: Double(number(1_000)) / 8,
      isActive: number(1) == 0,
      created: Date(timeIntervalSinceReferenceDate: Double(number(1_000_000))),
      tags: (0..<abs(number(3))).map { _ in text() },
      lengths: (0..<abs(number(3))).map { _ in number(300) },
      address: address(),
      former: (0..<abs(number(2))).map { _ in address() },
      manager: number(1) == 0 ? address() : nil,
      role: number(1) == 0 ? .guest : .member(since: number(3_000)),
      counts: number(1) == 0 ? [:] : [text(): number(9)]
    )
  }
}

/// The same fields, written and read by `Codable`.
private struct Plain: Codable, Equatable {
  struct Address: Codable, Equatable {
    var street: String
    var number: Int?

    init(_ address: HomeAddress) { (street, number) = (address.street, address.number) }
  }

  var name: String
  var nickname: String?
  var age: Int
  var score: Double
  var isActive: Bool
  var created: Date
  var tags: [String]
  var lengths: [Int]
  var address: Address
  var former: [Address]
  var manager: Address?
  var role: Role
  var counts: [String: Int]

  /// Whether the two are equal, or differ only in numbers and dates that are not equal to themselves.
  func isSame(_ other: Plain) -> Bool {
    var (left, right) = (self, other)
    if left.score.isNaN, right.score.isNaN { (left.score, right.score) = (0, 0) }
    let (created, otherCreated) = (left.created, right.created)
    // Foundation ends the process where such a date is described.
    if created.timeIntervalSinceReferenceDate.isNaN,
      otherCreated.timeIntervalSinceReferenceDate.isNaN
    {
      (left.created, right.created) = (.distantPast, .distantPast)
    }
    return left == right
  }
}

private struct Kinds: RecordCodable, Equatable {
  var small: Int8
  var wide: UInt64
  var single: Float
  var id: UUID
  var data: Data
  var link: URL
  var price: Decimal
  var maybe: UUID?

  init(record: inout RecordFieldReader) throws {
    small = try record.decode("small")
    wide = try record.decode("wide")
    single = try record.decode("single")
    id = try record.decode("id")
    data = try record.decode("data")
    link = try record.decode("link")
    price = try record.decode("price")
    maybe = try record.decodeIfPresent("maybe")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("small", small)
    record.encode("wide", wide)
    record.encode("single", single)
    record.encode("id", id)
    record.encode("data", data)
    record.encode("link", link)
    record.encode("price", price)
    record.encodeIfPresent("maybe", maybe)
  }

  private init(small: Int8, link: URL) {
    self.small = small
    self.link = link
    (wide, single, id, data, price) = (
      .max, 0.5, UUID(), Data([1, 2]), Decimal(string: "1.25") ?? 0
    )
  }

  static var sample: Kinds {
    get throws {
      guard let link = URL(string: "https://example.com/a?b=c") else { throw CancellationError() }
      return Kinds(small: -3, link: link)
    }
  }
}

private struct Misspelled: RecordCodable, Equatable {
  var name: String
  init(name: String) { self.name = name }
  init(record: inout RecordFieldReader) throws { name = try record.decode("nmae") }
  func encode(record: inout RecordFieldWriter) { record.encode("nmae", name) }
}

private struct OtherOrder: RecordCodable, Equatable {
  var first: Int
  var second: Int

  init(first: Int, second: Int) { (self.first, self.second) = (first, second) }

  init(record: inout RecordFieldReader) throws {
    second = try record.decode("second")
    first = try record.decode("first")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("second", second)
    record.encode("first", first)
  }
}

private struct OtherKind: RecordCodable, Equatable {
  var number: Int
  init(number: Int) { self.number = number }
  init(record: inout RecordFieldReader) throws {
    let text: String = try record.decode("number")
    number = Int(text) ?? 0
  }
  func encode(record: inout RecordFieldWriter) { record.encode("number", number) }
}

private struct OtherValue: RecordCodable, Equatable {
  var number: Int
  init(number: Int) { self.number = number }
  init(record: inout RecordFieldReader) throws { number = try record.decode("number") }
  func encode(record: inout RecordFieldWriter) { record.encode("number", number + 1) }
}

private struct OtherDefault: RecordCodable, Equatable {
  var number: Int?
  init(number: Int?) { self.number = number }
  init(record: inout RecordFieldReader) throws {
    number = try record.decodeIfPresent("number") ?? 5
  }
  func encode(record: inout RecordFieldWriter) { record.encodeIfPresent("number", number) }
}

private struct Missing: RecordCodable, Equatable {
  var first: Int
  var second: Int

  init(first: Int, second: Int) { (self.first, self.second) = (first, second) }

  init(record: inout RecordFieldReader) throws {
    first = try record.decode("first")
    second = try record.decode("second")
  }

  func encode(record: inout RecordFieldWriter) { record.encode("first", first) }
}

private struct Marked: RecordCodable, Equatable {
  var text: String
  var form: String

  private enum CodingKeys: CodingKey { case text }

  init(text: String, form: String) { (self.text, self.form) = (text, form) }

  init(from decoder: any Decoder) throws {
    text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
    form = "codable"
  }

  init(record: inout RecordFieldReader) throws {
    text = try record.decode("text")
    form = "hand"
  }

  func encode(record: inout RecordFieldWriter) { record.encode("text", text) }
}

private struct Earlier: Codable {
  var name: String
}

private struct Wide: Codable {
  var number: Int16
}

private struct Ignoring: RecordCodable, Equatable {
  var number: Int?

  init(record: inout RecordFieldReader) throws {
    do { number = try record.decodeIfPresent("number") } catch _ { number = nil }
  }

  func encode(record: inout RecordFieldWriter) { record.encodeIfPresent("number", number) }
}

private struct Keeping: Codable {
  private enum CodingKeys: CodingKey { case text }

  private let container: KeyedDecodingContainer<CodingKeys>?
  private let text: String

  init(text: String) { (container, self.text) = (nil, text) }

  init(from decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: CodingKeys.self)
    text = ""
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(text, forKey: .text)
  }

  func read() throws -> String? { try container?.decode(String.self, forKey: .text) }
}

private struct Outer: RecordCodable {
  var part: Keeping

  init(part: Keeping) { self.part = part }
  init(record: inout RecordFieldReader) throws { part = try record.decode("part") }
  func encode(record: inout RecordFieldWriter) { record.encode("part", part) }
}

private struct Nested: RecordCodable, Equatable {
  var child: [Nested]

  init(child: [Nested]) { self.child = child }
  init(record: inout RecordFieldReader) throws { child = try record.decode("child") }
  func encode(record: inout RecordFieldWriter) { record.encode("child", child) }
}
