#if Macros
  import Foundation
  import Strata
  import StrataInspection
  import StrataJournal
  import StrataMigrating
  import StrataPersistence
  import StrataRecords
  import TestSupport
  import Testing

  /// Entities and records by macro: their records are those of synthesized `Codable`.
  struct EntityMacroTests {
    @Test
    func `an entity has the records of Codable`() throws {
      try RecordCodableLaw.check([Member.full, .empty])
      let (byMacro, layout) = try records([Member.full, .empty])
      let (plain, plainLayout) = try records([PlainMember(.full), PlainMember(.empty)])
      #expect(byMacro == plain)
      #expect(layout.fields.map(\.name) == plainLayout.fields.map(\.name))
    }

    @Test
    func `an enum has the records of Codable by itself`() throws {
      try RecordCodableLaw.check([
        Contact.none, .mail("a"), .phone(number: "1", at: [2], note: nil),
      ])
      try RecordCodableLaw.check([Contact.phone(number: "1", at: [], note: "x")])
      try RecordCodableLaw.check([Switch.on, .off])
    }

    @Test
    func `an enum has the records of Codable, whichever case comes first`() throws {
      let contacts = [Contact.none, .mail("a"), .phone(number: "1", at: [2], note: nil)]
      for first in contacts {
        let values = [first] + contacts + contacts
        let (byMacro, layout) = try records(values)
        #expect(try byMacro == records(values.map(PlainContact.init)).0)
        let reader = try RecordReader(layout: layout)
        #expect(try byMacro.suffix(3).map { try reader.decode(Contact.self, from: $0) } == contacts)
      }
    }

    @Test
    func `a record may be generic`() throws {
      try RecordCodableLaw.check([Pair(first: 1, second: "a"), Pair(first: 2, second: nil)])
      try RecordCodableLaw.check([Pair(first: Contact.none, second: Place(street: "b"))])
    }

    @Test
    func `a constant is written and not read`() throws {
      try RecordCodableLaw.check([Versioned(id: 1)])
      #expect(
        try records([Versioned(id: 1)]).1.fields.map(\.name) == ["id", "number of the version"]
      )
    }

    private func records(_ values: [some Encodable]) throws -> ([[UInt8]], Layout) {
      var writer = RecordWriter()
      let records = try values.map { value in
        var bytes: [UInt8] = []
        _ = try writer.encode(value, into: &bytes)
        return bytes
      }
      return (records, writer.layout)
    }
  }

  @Record
  private struct Place: Equatable {
    var street = ""
    var floor: Int?
  }

  @Record
  private enum Contact: Equatable {
    case none
    case mail(String)
    case phone(number: String, at: [Int], note: String?)
  }

  private enum PlainContact: Codable {
    case none
    case mail(String)
    case phone(number: String, at: [Int], note: String?)

    init(_ contact: Contact) {
      switch contact {
      case .none: self = .none
      case .mail(let address): self = .mail(address)
      case .phone(let number, let at, let note): self = .phone(number: number, at: at, note: note)
      }
    }
  }

  @Record
  private enum Switch: Equatable {
    case on, off
  }

  @Record
  private struct Pair<First: Codable & Equatable, Second>: Equatable
  where Second: Codable & Equatable {
    var first: First
    var second: Second?
  }

  private enum Color: String, Codable { case red, blue }

  @Entity("versions")
  private struct Versioned {
    typealias RawID = Int
    private enum CodingKeys: String, CodingKey {
      case id
      case number = "number of the version"
    }
    let id: EntityID<Versioned>
    var number = 3
    var cached = 0

    static func == (a: Versioned, b: Versioned) -> Bool { a.id == b.id && a.number == b.number }
  }

  /// Every form of a field.
  @Entity("members")
  private struct Member {
    typealias RawID = Int

    private enum CodingKeys: String, CodingKey {
      case id, name
      case nickname = "nick"
      case age, score, isActive, created, url, tags, lengths, counts, places, place, former,
        contact,
        contacts, color, boss, peers, `default`, deep, wide, hidden
    }

    let id: EntityID<Member>
    var name: String
    var nickname: String?
    var age = 7, score: Double
    var isActive = false
    var created: Date
    var url: URL?
    var tags: [String] = []
    var lengths: [Int]
    var counts: [String: Int]
    var places: [String: Place]
    var place: Place
    var former: [Place]
    var contact: Contact
    var contacts: Optional<[Contact]>
    var color: Color { didSet { changes += 1 } }
    var boss: EntityID<Member>?
    var peers: Set<EntityID<Member>>
    var `default`: Bool
    var deep: Int??
    var wide: UInt8
    private var hidden = "h"
    private(set) var changes = 0
    var isAdult: Bool { age > 17 }
    static let limit = 3

    static let full = Member(
      id: 1,
      name: "Ada",
      nickname: "A",
      age: 36,
      score: 1.5,
      created: Date(timeIntervalSinceReferenceDate: 5),
      url: URL(string: "https://example.org"),
      tags: ["a", "b"],
      lengths: [1, 2],
      counts: ["x": 1, "y": 2],
      places: ["home": Place(street: "c", floor: 1)],
      place: Place(street: "d", floor: nil),
      former: [Place(street: "e", floor: 2), Place()],
      contact: .phone(number: "1", at: [1], note: "n"),
      contacts: [.none, .mail("m")],
      color: .red,
      boss: 2,
      peers: [3],
      default: true,
      deep: .some(4),
      wide: 200
    )

    static let empty = Member(
      id: 2,
      name: "",
      score: 0,
      created: Date(timeIntervalSinceReferenceDate: 0),
      lengths: [],
      counts: [:],
      places: [:],
      place: Place(),
      former: [],
      contact: .none,
      contacts: nil,
      color: .blue,
      peers: [],
      default: false,
      deep: nil,
      wide: 0
    )
  }

  /// The same, by synthesized `Codable`.
  private struct PlainMember: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "members"

    private enum CodingKeys: String, CodingKey {
      case id, name
      case nickname = "nick"
      case age, score, isActive, created, url, tags, lengths, counts, places, place, former,
        contact,
        contacts, color, boss, peers, `default`, deep, wide, hidden
    }

    struct Place: Codable, Equatable {
      var street: String
      var floor: Int?
    }

    let id: EntityID<PlainMember>
    var name: String
    var nickname: String?
    var age: Int
    var score: Double
    var isActive: Bool
    var created: Date
    var url: URL?
    var tags: [String]
    var lengths: [Int]
    var counts: [String: Int]
    var places: [String: Place]
    var place: Place
    var former: [Place]
    var contact: PlainContact
    var contacts: [PlainContact]?
    var color: Color
    var boss: EntityID<PlainMember>?
    var peers: [EntityID<PlainMember>]
    var `default`: Bool
    var deep: Int??
    var wide: UInt8
    var hidden = "h"

    init(_ member: Member) {
      func plain(_ place: EntityMacroTests.Part) -> Place {
        Place(street: place.street, floor: place.floor)
      }
      id = EntityID(member.id.raw)
      name = member.name
      nickname = member.nickname
      age = member.age
      score = member.score
      isActive = member.isActive
      created = member.created
      url = member.url
      tags = member.tags
      lengths = member.lengths
      counts = member.counts
      places = member.places.mapValues(plain)
      place = plain(member.place)
      former = member.former.map(plain)
      contact = PlainContact(member.contact)
      contacts = member.contacts?.map(PlainContact.init)
      color = member.color
      boss = member.boss.map { EntityID($0.raw) }
      peers = member.peers.map { EntityID($0.raw) }
      self.default = member.default
      deep = member.deep
      wide = member.wide
    }

    static func == (a: PlainMember, b: PlainMember) -> Bool { a.id == b.id }
  }

  extension EntityMacroTests {
    fileprivate typealias Part = Place
  }
#endif
