package import Foundation

/// Lends a new, empty directory and removes it with everything in it.
///
/// The path is absolute and without links, and holds a blank, so that paths get quoted wherever they must.
package func withTemporaryDirectory<R>(_ body: (URL) throws -> R) throws -> R {
  let directory = try makeTemporaryDirectory()
  defer { removeTemporaryDirectory(directory) }
  return try body(directory)
}

/// The same for an asynchronous closure, which runs where the caller runs.
package func withTemporaryDirectory<R>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: (URL) async throws -> R
) async throws -> R {
  let directory = try makeTemporaryDirectory()
  defer { removeTemporaryDirectory(directory) }
  return try await body(directory)
}

private func makeTemporaryDirectory() throws -> URL {
  let directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    .appendingPathComponent("strata tests \(UUID().uuidString)", isDirectory: true)
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  return directory
}

/// A directory that cannot be removed is the system's to clean up, not a reason to fail a test.
private func removeTemporaryDirectory(_ directory: URL) {
  do { try FileManager.default.removeItem(at: directory) } catch {}
}
