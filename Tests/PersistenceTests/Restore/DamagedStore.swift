import Foundation
import Strata
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// A store with the commits of a script, to be damaged: snapshots at 0, 20 ("older") and 40 ("newest"),
/// and deltas up to 50, none of them trimmed.
struct DamagedStore {
  let directory: TemporaryDirectory
  let path: String
  let script = LibraryScript(seed: 6)

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    let persistence = try await open(.strict)
    let store = LibraryStore(persistence)
    for number in Int64(1)...50 {
      store.commit("script") { script.commit(number, to: &$0.db) }
      if number == 20 { try await persistence.snapshot(named: "older") }
      if number == 40 { try await persistence.snapshot(named: "newest") }
    }
    try await persistence.close()
  }

  func open(_ policy: RestorePolicy) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(
        snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40),
        restore: policy
      )
    )
  }

  func model(at revision: Revision) -> LibraryDatabase { script.database(after: revision.number) }

  /// Changes rows with SQL.
  func damage(_ sql: String...) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    for sql in sql {
      guard try connection.run(sql) > 0 else { throw NothingChanged(sql: sql) }
    }
    try connection.checkpoint(.truncate)
    try connection.close()
  }

  /// The ranges of the file's bytes that hold the bodies of the deltas after the newest snapshot.
  func placesOfLastDeltas(in image: Data) throws -> [Range<Int>] {
    let connection = try Connection(path: path, mode: .readOnly)
    let bodies = try connection.all("SELECT body FROM delta WHERE revision > 40") {
      Data(try $0.blob(0))
    }
    try connection.close()
    return try bodies.map { try #require(image.range(of: $0)) }
  }

  struct NothingChanged: Error {
    let sql: String
  }
}

/// The contents of every file in a directory, by name.
func contents(of directory: String) throws -> [String: Data] {
  var files: [String: Data] = [:]
  for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
    files[name] = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
  }
  return files
}
