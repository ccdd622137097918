import Strata

/// An airport, known by its FAA code.
struct Airport: EntityType {
  static let tableName: TableName = "airports"

  let id: EntityID<Airport>
  var name: String
  var position: Position
  var localTime: LocalTime

  struct Position: Codable, Equatable, Sendable {
    var latitude: Double
    var longitude: Double
    var altitudeFeet: Int
  }

  struct LocalTime: Codable, Equatable, Sendable {
    var hoursFromUTC: Int
    var daylightSaving: DaylightSaving
    var zone: String?
  }

  enum DaylightSaving: Codable, Equatable, Sendable {
    case observed(from: String, until: String)
    case notObserved
    case unknown
  }
}

extension Airport {
  init(_ row: CSVRow) throws {
    id = try EntityID(row.text("faa"))
    name = try row.text("name")
    position = try Position(
      latitude: row.number("lat"),
      longitude: row.number("lon"),
      altitudeFeet: row.integer("alt")
    )
    localTime = try LocalTime(
      hoursFromUTC: row.integer("tz"),
      daylightSaving: row.value("dst", Airport.DaylightSaving.init(code:)),
      zone: row.optionalText("tzone")
    )
  }
}

extension Airport.DaylightSaving {
  /// Parses a code of the column `dst`; the only rule in the file is that of the United States.
  init?(code: String) {
    switch code {
    case "A": self = .observed(from: "second Sunday of March", until: "first Sunday of November")
    case "N": self = .notObserved
    case "U": self = .unknown
    default: return nil
    }
  }
}
