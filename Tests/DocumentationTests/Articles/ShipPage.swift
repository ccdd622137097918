import Foundation
import Strata

/// The page "Before you ship".
private enum BeforeYouShip {
  static func configuration() -> PersistenceConfiguration {
    var configuration = PersistenceConfiguration()
    configuration.application = "com.example.notes"
    configuration.snapshots = SnapshotPolicy(minimumHistoryAge: .seconds(30 * 86_400))
    configuration.commitTraces = .nameOnly
    configuration.commitContexts = .none
    return configuration
  }

  static func terminate(persistence: Persistence<AppState, Database>) -> any DispatchSourceSignal {
    signal(SIGTERM, SIG_IGN)  // the source below receives it instead
    let termination = DispatchSource.makeSignalSource(signal: SIGTERM)
    termination.setEventHandler {
      Task {
        do { try await persistence.close() } catch { print(error) }
        exit(0)
      }
    }
    termination.resume()
    return termination
  }

  static func open(configuration: PersistenceConfiguration) async {
    do {
      let persistence = try await Persistence.open(
        at: "app.strata",
        initialState: AppState(),
        database: \.db,
        configuration: configuration
      )
      print(persistence.report)
    } catch {
      print(error)  // what is wrong with which file, and the remedy
    }
  }

  static func watch(persistence: Persistence<AppState, Database>) async {
    for await event in persistence.events { print(event) }
  }

  static func backUp(persistence: Persistence<AppState, Database>) async throws {
    let day = Date.now.formatted(.iso8601.year().month().day())
    try await persistence.backup(to: "backups/app-\(day).strata")
  }

  static func blocking() throws {
    let persistence = try Persistence.openBlocking(
      at: "app.strata",
      initialState: AppState(),
      database: \.db
    )
    _ = persistence
  }
}
