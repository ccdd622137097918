import Strata

/// The text that the program prints about its state.
struct Report {
  let state: AppState

  private var db: Database { state.db }

  var contents: String {
    "\(db.entityCount) entities (\(db.airlines.count) airlines, \(db.airports.count) airports, "
      + "\(db.planes.count) planes)"
  }

  var lines: [String] {
    [
      "The store has \(contents); \(state.session.imported) of them are new in this run.",
      "Most planes were built by \(topManufacturers(3)).",
      highestAirport,
      "Daylight saving time: \(clocks).",
    ].compactMap(\.self)
  }

  private func topManufacturers(_ count: Int) -> String {
    Dictionary(grouping: db.planes, by: \.manufacturer)
      .map { (name: $0, planes: $1.count) }
      .sorted { ($1.planes, $0.name) < ($0.planes, $1.name) }
      .prefix(count)
      .map { "\($0.name) (\($0.planes))" }
      .joined(separator: ", ")
  }

  private var highestAirport: String? {
    db.airports
      .max { ($0.position.altitudeFeet, $0.id) < ($1.position.altitudeFeet, $1.id) }
      .map { "The highest airport is \($0.name) (\($0.id)), at \($0.position.altitudeFeet) feet." }
  }

  private var clocks: String {
    var observing = 0
    var others = 0
    for airport in db.airports {
      switch airport.localTime.daylightSaving {
      case .observed: observing += 1
      case .notObserved, .unknown: others += 1
      }
    }
    return "\(observing) airports observe it, \(others) do not or are unknown"
  }
}
