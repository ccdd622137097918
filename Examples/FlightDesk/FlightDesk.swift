import Foundation
import Strata

/// Imports airlines, airports and planes into a store.
///
/// When it is started again, even after it was killed, it continues where it was.
///
/// After it has printed a flush, the entities that it counted are in the file, whatever happens next.
@main
struct FlightDesk {
  static func main() async {
    do {
      try await run(Arguments(CommandLine.arguments.dropFirst()))
    } catch let error as Arguments.UsageError {
      printLine("\(error)", on: .standardError)
      exit(64)
    } catch {
      printLine("FlightDesk: \(error)", on: .standardError)
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
    printReport(persistence.report, of: store)

    do {
      try await importAll(into: store, as: arguments) {
        try await persistence.flush()
        printLine(
          "flushed revision \(persistence.durableRevision): "
            + "\(store.state.db.entityCount) entities are safe"
        )
      }
    } catch {
      // Closing writes what was committed before the error.
      try await persistence.close()
      throw error
    }
    Report(state: store.state).lines.forEach { printLine($0) }
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

  private static func printReport(_ report: RestoreReport, of store: AppStore) {
    if case .fresh = report.outcome {
      printLine("The store is new and empty.")
    } else {
      printLine(
        "Restored at revision \(report.revision): \(Report(state: store.state).contents), "
          + "from the snapshot at revision \(report.snapshotRevision) "
          + "and \(report.replayedDeltas) deltas after it."
      )
    }
  }

  /// Writes a line unbuffered, so that a reader gets it even if the process is killed next.
  private static func printLine(_ line: String, on output: FileHandle = .standardOutput) {
    output.write(Data("\(line)\n".utf8))
  }
}
