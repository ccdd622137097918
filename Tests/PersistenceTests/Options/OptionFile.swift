import Foundation
import Strata
import StrataPersistence
import StrataStorage
import TestSupport

/// A path for a store of a library, and ways to open it with options of its tables.
struct OptionFile {
  typealias Options = [TableOption<LibraryDatabase>]
  typealias Opened = Persistence<LibraryState, LibraryDatabase>

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  func open(
    _ tables: Options,
    _ initialState: LibraryState = LibraryState(),
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) async throws -> Opened {
    try await Persistence.open(
      at: path,
      initialState: initialState,
      database: \.db,
      tables: tables,
      configuration: configuration
    )
  }

  /// Opens it, runs `body` with a store, and closes it.
  func run(
    _ tables: Options,
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
  func files(holding text: String) async throws -> [String] {
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
