import Strata

/// The part of the state that is in the file.
struct Database: DatabaseType {
  var airlines = EntityTable<Airline>()
  var airports = EntityTable<Airport>()
  var planes = EntityTable<Plane>()

  static let schema = DatabaseSchema<Database> {
    Entities(\.airlines)
    Entities(\.airports)
    Entities(\.planes)
  }

  var entityCount: Int { airlines.count + airports.count + planes.count }
}
