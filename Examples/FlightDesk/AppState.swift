import Strata

/// What is kept in the file.
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

/// Everything the desk knows: the database, and what ends with the process.
struct AppState: StateType {
  var db = Database()
  var session = Session()
}

/// What happened since launch; outside the database, so it is not kept.
struct Session: Sendable {
  var imported = 0
}

final class AppStore: Store<AppState, Never>, @unchecked Sendable {}
