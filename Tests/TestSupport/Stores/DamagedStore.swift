package import Foundation
import Strata
package import StrataJournal
package import StrataPersistence
import StrataSQLite
package import StrataStorage

/// A store with the commits of a script, to be damaged: snapshots at 0, 20 ("older") and 40 ("newest"),
/// and deltas up to 50, none of them trimmed.
package struct DamagedStore {
  package let directory: TemporaryDirectory
  package let path: String
  package let script = LibraryScript(seed: 6)

  package init() async throws {
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

  package func open(_ policy: RestorePolicy) async throws -> Persistence<
    LibraryState, LibraryDatabase
  > {
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

  package func model(at revision: Revision) -> LibraryDatabase {
    script.database(after: revision.number)
  }

  /// Changes rows with SQL.
  package func damage(_ sql: String...) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    for sql in sql {
      guard try connection.run(sql) > 0 else { throw NothingChanged(sql: sql) }
    }
    try connection.checkpoint(.truncate)
    try connection.close()
  }

  /// The ranges of the file's bytes that hold the bodies of the deltas after the newest snapshot.
  package func placesOfLastDeltas(in image: Data) throws -> [Range<Int>] {
    let connection = try Connection(path: path, mode: .readOnly)
    let bodies = try connection.all("SELECT body FROM delta WHERE revision > 40") {
      Data(try $0.blob(0))
    }
    try connection.close()
    return try bodies.map { body in
      guard let place = image.range(of: body) else { throw NothingChanged(sql: "body of a delta") }
      return place
    }
  }

  package struct NothingChanged: Error {
    package let sql: String
  }
}

/// The contents of every file in a directory, by name.
package func contentsOfFiles(in directory: String) throws -> [String: Data] {
  var files: [String: Data] = [:]
  for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
    files[name] = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
  }
  return files
}
