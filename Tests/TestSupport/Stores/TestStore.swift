import Foundation
import Strata
package import StrataPersistence
package import StrataStorage

/// A path for a store of a library, and the ways to open it.
package struct TestStore {
  package typealias Options = [TableOption<LibraryDatabase>]
  package typealias Opened = Persistence<LibraryState, LibraryDatabase>

  package let directory: TemporaryDirectory
  package let path: String

  package init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  package func open(
    _ tables: Options = [],
    _ initialState: LibraryState = LibraryState(),
    _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
    with steps: [any OpeningStep] = []
  ) async throws -> Opened {
    try await Persistence.open(
      at: path,
      initialState: initialState,
      database: \.db,
      tables: tables,
      configuration: configuration,
      with: steps
    )
  }

  /// Opens it, runs `body` with a store, and closes it.
  package func run(
    _ tables: Options = [],
    _ initialState: LibraryState = LibraryState(),
    _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
    _ body: (LibraryStore, Opened) async throws -> Void
  ) async throws {
    let persistence = try await open(tables, initialState, configuration)
    try await body(LibraryStore(persistence), persistence)
    try await persistence.close()
  }

  /// The files that contain a text now, while the writer has them open.
  ///
  /// Reads a copy, as closing a file of an open store would drop its locks.
  package func files(holding text: String) async throws -> [String] {
    let copies = try TemporaryDirectory()
    for suffix in ["", "-wal", ".head"] {
      guard FileManager.default.fileExists(atPath: path + suffix) else { continue }
      let copy = Process()
      copy.executableURL = URL(fileURLWithPath: "/bin/cp")
      copy.arguments = [path + suffix, copies.path("app.strata\(suffix)")]
      try copy.run()
      copy.waitUntilExit()
    }
    return try StoreBytes(copies.path("app.strata")).files(holding: text)
  }
}
