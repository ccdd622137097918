import Foundation
import Strata
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A program that starts others: a forked process holds its descriptors until it calls `exec`.
struct ForkedLockTests {
  @Test
  func `a store that was closed can be opened, whoever has inherited its lock file`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let persistence = try await open(path)
    let inherited = try #require(descriptor(of: path + ".lock"))
    let copy = dup(inherited)
    defer { close(copy) }
    try await persistence.close()
    let again = try await open(path)
    try await again.close()
  }

  private func open(_ path: String) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(at: path, initialState: LibraryState(), database: \.db)
  }

  /// The descriptor under which this process has a file open.
  private func descriptor(of path: String) -> Int32? {
    var wanted = stat()
    guard stat(path, &wanted) == 0 else { return nil }
    return (3..<getdtablesize()).first { descriptor in
      var found = stat()
      return fstat(descriptor, &found) == 0 && found.st_ino == wanted.st_ino
        && found.st_dev == wanted.st_dev
    }
  }
}
