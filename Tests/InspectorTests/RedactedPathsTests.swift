import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataRecords
import TestSupport
import Testing

/// Parts of nested values are redacted by their paths.
struct RedactedPathsTests {
  struct Customer: EntityType {
    struct Contact: Codable, Equatable, Sendable {
      var email: String
      var city: String
      var friend: EntityID<Customer>?
      var others: [EntityID<Customer>] = []
    }

    struct Line: Codable, Equatable, Sendable {
      var note: String
      var code: String
    }

    enum Status: Codable, Equatable, Sendable {
      case open
      case done(notes: String, by: String)
    }

    static let tableName: TableName = "customers"
    let id: EntityID<Customer>
    var contact: Contact
    var status: Status
    var lines: [Line]
    var pages: [String: Line]
    var friends: [EntityID<Customer>]
  }

  struct Shop: DatabaseType {
    var customers = EntityTable<Customer>()
    static let schema = DatabaseSchema<Shop> { Entities(\.customers) }
  }

  struct ShopState: StateType {
    struct Settings: Codable, Equatable, Sendable {
      struct Account: Codable, Equatable, Sendable { var token: String, name: String }
      var account = Account(token: "planted-token", name: "planted-account")
    }

    var db = Shop()
    var settings = Settings()
  }

  /// All that is planted, by the path that leads there.
  static let planted = [
    "customers.contact.email": "planted-email", "customers.contact.city": "planted-city",
    "customers.status.done.notes": "planted-notes", "customers.status.done.by": "planted-by",
    "customers.lines.note": "planted-line", "customers.lines.code": "planted-code",
    "customers.pages.note": "planted-page", "customers.pages.code": "planted-mark",
    "settings.account.token": "planted-token", "settings.account.name": "planted-account",
  ]

  let directory: TemporaryDirectory
  let path: String
  let bundle: String

  init() async throws {
    directory = try TemporaryDirectory()
    (path, bundle) = (directory.path("app.strata"), directory.path("bug.strata"))
    let persistence = try await Self.open(at: path)
    let store = Store<ShopState, Never>(persistence)
    store.commit { state in
      for id in ["ann", "bob"] as [Customer.ID] {
        state.db.customers.insert(
          Customer(
            id: id,
            contact: .init(
              email: "planted-email",
              city: "planted-city",
              friend: "ann",
              others: ["bob"]
            ),
            status: .done(notes: "planted-notes", by: "planted-by"),
            lines: [.init(note: "planted-line", code: "planted-code")],
            pages: ["first": .init(note: "planted-page", code: "planted-mark")],
            friends: ["ann", "bob"]
          )
        )
      }
      state.settings.account.name += " 2"
    }
    store.commit { $0.settings.account.token += " 2" }
    try await persistence.close()
  }

  private static func open(at path: String) async throws -> Persistence<ShopState, Shop> {
    try await Persistence.open(
      at: path,
      initialState: ShopState(),
      database: \.db,
      values: [PersistedValue("settings", \.settings)]
    )
  }

  private func write(_ fields: [String]) throws -> [String] {
    _ = try StoreBundle.writeBlocking(
      of: path,
      last: 10,
      redacting: fields.compactMap { StoreBundle.Field($0) },
      to: bundle
    )
    let bytes = try Data(contentsOf: URL(fileURLWithPath: bundle))
    return Self.planted.filter { bytes.range(of: Data($0.value.utf8)) == nil }.map(\.key).sorted()
  }

  @Test(arguments: RedactedPathsTests.planted.keys.sorted())
  func `a path replaces what it leads to, and nothing else`(field: String) async throws {
    #expect(try write([field]) == [field])
    #expect(try Inspector(path: bundle).verify().isSound)
    let persistence = try await Self.open(at: bundle)
    let customer = try #require(persistence.initialState.db.customers["bob"])
    try await persistence.close()
    #expect(customer.friends == ["ann", "bob"] && customer.contact.others == ["bob"])
  }

  @Test(arguments: ["customers.lines[].note", "customers.lines[0].note", "customers.lines[*].note"])
  func `an element of an array may be written as it is printed, and all are meant`(field: String)
    throws
  {
    // Both paths through one array are followed.
    #expect(
      try write([field, "customers.lines.code"]) == [
        "customers.lines.code", "customers.lines.note",
      ]
    )
  }

  @Test func `a key of a dictionary can be named, and IDs in a replaced field stay`() async throws {
    #expect(
      try write(["customers.pages.first.note", "customers.contact", "customers.status"]) == [
        "customers.contact.city", "customers.contact.email", "customers.pages.note",
        "customers.status.done.by", "customers.status.done.notes",
      ]
    )
    let persistence = try await Self.open(at: bundle)
    let customer = try #require(persistence.initialState.db.customers["ann"])
    try await persistence.close()
    #expect(customer.contact.friend == "ann" && customer.contact.others == ["bob"])
    #expect(customer.pages.keys.elementsEqual(["first"]))
    guard case .done(let notes, _) = customer.status else {
      Issue.record("\(customer.status)")
      return
    }
    #expect(notes.count == "planted-notes".count)
  }

  @Test(
    arguments: [
      ("customers.contact.friend", "it has IDs of customers, which stay"),
      ("customers.contact.others", "it has IDs of customers, which stay"),
      ("customers.contact.mail", "no record has it"),
      ("customers.status.gone", "no record has it"),
      ("customers.contact.email.x", "no record has it"),
      ("customers.id", "IDs stay, because others refer to them"),
      ("customers.pages.second.nothing", "no record of the bundle has it"),
    ]
  )
  func `a path that leads to nothing, or to IDs alone, is refused`(
    field: String,
    detail: String
  ) throws {
    let error = #expect(throws: PersistenceError.self) { try write([field]) }
    #expect(
      error?.reason == .feature(MaintenanceError.notRedactable(field: field, detail: detail))
    )
    #expect(!FileManager.default.fileExists(atPath: bundle))
  }
}
