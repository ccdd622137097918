import Strata

/// A carrier, known by its two-character code.
struct Airline: EntityType {
  static let tableName: TableName = "airlines"

  let id: EntityID<Airline>
  var name: String
  var form: LegalForm

  enum LegalForm: Codable, Equatable, Sendable {
    case company(suffix: String)
    case unstated
  }
}

extension Airline {
  init(_ row: CSVRow) throws {
    id = try EntityID(row.text("carrier"))
    name = try row.text("name")
    form = LegalForm(endOf: name)
  }
}

extension Airline.LegalForm {
  init(endOf name: String) {
    let suffixes = ["Inc.", "Co.", "Corporation"]
    self = suffixes.first(where: name.hasSuffix).map(Self.company) ?? .unstated
  }
}
