import Foundation
import Strata

/// Imports airlines, airports and planes into a store, and goes on where it was when it is started
/// again, also after it was killed.
///
/// Every announced flush is a promise: what it counts is in the file, whatever happens next.
@main
struct FlightDesk {
  static func main() async {
    do {
      try await run(Arguments(CommandLine.arguments.dropFirst()))
    } catch let error as UsageError {
      say("\(error)", on: .standardError)
      exit(64)
    } catch {
      say("FlightDesk: \(error)", on: .standardError)
      exit(1)
    }
  }

  private static func run(_ arguments: Arguments) async throws {
    let persistence = try await Persistence.open(
      at: arguments.store,
      initialState: AppState(),
      database: \.db
    )
    let store = AppStore(persistence)
    announce(persistence.report, of: store)

    do {
      try await importAll(into: store, as: arguments) {
        try await persistence.flush()
        say(
          "flushed revision \(persistence.durableRevision): "
            + "\(store.state.db.entityCount) entities are safe"
        )
      }
    } catch {
      // What was committed before the error is worth storagePolicy.
      try await persistence.close()
      throw error
    }
    DeskReport(state: store.state).lines.forEach { say($0) }
    try await persistence.close()
  }

  private static func importAll(
    into store: AppStore,
    as arguments: Arguments,
    flush: @escaping () async throws -> Void
  ) async throws {
    var run = ImportRun(
      service: ImportService(store: store),
      batchSize: arguments.batchSize,
      pause: arguments.pause,
      flush: flush
    )
    try await run.add(CSVRow.all(in: "airlines.csv").map(Airline.init), to: \.airlines)
    try await run.add(CSVRow.all(in: "airports.csv").map(Airport.init), to: \.airports)
    try await run.add(CSVRow.all(in: "planes.csv").map(Plane.init), to: \.planes)
    try await flush()
  }

  private static func announce(_ report: RestoreReport, of store: AppStore) {
    if case .fresh = report.outcome {
      say("The store is new: the desk starts with nothing.")
    } else {
      say(
        "Restored at revision \(report.revision): \(DeskReport(state: store.state).contents), "
          + "from the snapshot at revision \(report.snapshotRevision) "
          + "and \(report.replayedDeltas) deltas after it."
      )
    }
  }

  /// Writes a line at once, past any buffer: whoever reads it may rely on it.
  private static func say(_ line: String, on output: FileHandle = .standardOutput) {
    output.write(Data("\(line)\n".utf8))
  }
}
