import Strata

/// A plane, known by its tail number.
struct Plane: EntityType {
  static let tableName: TableName = "planes"

  let id: EntityID<Plane>
  var manufacturer: String
  var model: String
  var year: Int?
  var airframe: Airframe
  var engines: Engines
  var seats: Int
  /// Average cruising speed in miles per hour.
  var speed: Int?

  enum Airframe: String, Codable, Sendable {
    case fixedWingSingleEngine = "Fixed wing single engine"
    case fixedWingMultiEngine = "Fixed wing multi engine"
    case rotorcraft = "Rotorcraft"
  }

  struct Engines: Codable, Equatable, Sendable {
    var kind: String
    var count: Int
  }
}

extension Plane {
  init(_ row: CSVRow) throws {
    id = try EntityID(row.text("tailnum"))
    manufacturer = try row.text("manufacturer")
    model = try row.text("model")
    year = try row.optionalInteger("year")
    airframe = try row.value("type", Airframe.init(rawValue:))
    engines = try Engines(kind: row.text("engine"), count: row.integer("engines"))
    seats = try row.integer("seats")
    speed = try row.optionalInteger("speed")
  }
}
