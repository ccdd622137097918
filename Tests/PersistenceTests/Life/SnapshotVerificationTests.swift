import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A new snapshot that does not read back as it was written.
struct SnapshotVerificationTests {
  @Test
  func `it is never trimmed to, nor restored from`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let policy = SnapshotPolicy(minimumJournalBytes: 3_000, minimumHistoryBytes: 3_000)
    let configuration = PersistenceConfiguration(snapshots: policy)
    let first = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    try await first.close()
    // Simulates a medium that returns other bytes than were written.
    RawSQLite.runOnOpening(
      path,
      """
      CREATE TEMP TRIGGER spoil AFTER INSERT ON main.chunk BEGIN
        UPDATE chunk SET body = zeroblob(length(body)) WHERE id = NEW.id;
      END
      """
    )
    defer { RawSQLite.stopRunningOnOpening(path) }

    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    var events = persistence.events.makeAsyncIterator()
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: 4)
    for number in Int64(1)...400 {
      store.commit { script.commit(number, to: &$0.db) }
      if number % 20 == 0 { try await persistence.flush() }
    }
    while let event = await events.next() {
      if case .snapshotFailed = event { break }
    }
    await #expect(throws: PersistenceError.self) {
      try await persistence.snapshot(named: "spoiled")
    }
    try await persistence.close()

    let info = try Inspector(path: path).info()
    #expect(info.journal.first == 1)
    #expect(info.journal.deltas == 400)
    #expect(info.snapshots.filter { $0.verified }.map(\.revision) == [0])
    let again = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    #expect(again.initialState.db == store.state.db)
    try await again.close()
  }
}
