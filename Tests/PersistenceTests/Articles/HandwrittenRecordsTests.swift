import Foundation
import Strata
import StrataRecords
import Testing

private struct Address: Codable, Equatable, Sendable {
  var street: String
  var city: String
}

extension Address: RecordCodable {
  init(record: inout RecordFieldReader) throws {
    street = try record.decode("street")
    city = try record.decode("city")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("street", street)
    record.encode("city", city)
  }
}

private struct Contact: EntityType {
  static let tableName: TableName = "contacts"
  let id: EntityID<Contact>
  var name: String
  var email: String?
  var address: Address
  var tags: [String]
}

extension Contact: RecordCodable {
  init(record: inout RecordFieldReader) throws {
    id = try record.decode("id")
    name = try record.decode("name")
    email = try record.decodeIfPresent("email")
    address = try record.decode("address")
    tags = try record.decode("tags")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("id", id)
    record.encode("name", name)
    record.encodeIfPresent("email", email)
    record.encode("address", address)
    record.encode("tags", tags)
  }
}

private struct UnknownPlan: Error {}

private enum Plan: Codable, Equatable {
  case free
  case paid(seats: Int)
}

extension Plan: RecordCodable {
  init(record: inout RecordFieldReader) throws {
    if let plan = try record.decodeCase("paid", { Plan.paid(seats: try $0.decode("seats")) }) {
      self = plan
    } else if try record.decodeCase("free") {
      self = .free
    } else {
      throw UnknownPlan()
    }
  }

  func encode(record: inout RecordFieldWriter) {
    switch self {
    case .free: record.encodeCase("free")
    case .paid(let seats): record.encodeCase("paid") { $0.encode("seats", seats) }
    }
  }
}

/// The example of the article "Handwritten Records".
struct HandwrittenRecordsTests {
  @Test func `plans are the same by hand`() throws {
    try RecordCodableLaw.check([Plan.free, .paid(seats: 3)])
  }

  @Test func `contacts are the same by hand`() throws {
    try RecordCodableLaw.check([
      Contact(id: "1", name: "Ada", email: nil, address: Address(street: "", city: ""), tags: []),
      Contact(
        id: "2",
        name: "Grace",
        email: "g@example.org",
        address: Address(street: "Main Street", city: "Arlington"),
        tags: ["navy"]
      ),
    ])
  }
}
