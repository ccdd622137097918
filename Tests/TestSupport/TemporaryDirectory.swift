package import Foundation

/// An empty directory of its own, deleted with everything in it when the object goes.
///
/// Its path is without links and holds blanks, so that paths get quoted wherever they must.
package final class TemporaryDirectory: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("strata tests \(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      FileHandle.standardError.write(Data("\(url.path) was not deleted: \(error)\n".utf8))
    }
  }

  /// The path of a file in it.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}

/// Lends a new, empty directory and removes it with everything in it.
package func withTemporaryDirectory<R>(_ body: (URL) throws -> R) throws -> R {
  let directory = try TemporaryDirectory()
  return try withExtendedLifetime(directory) { try body(directory.url) }
}

/// The same for an asynchronous closure, which runs where the caller runs.
package func withTemporaryDirectory<R>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: (URL) async throws -> R
) async throws -> R {
  let directory = try TemporaryDirectory()
  let result = try await body(directory.url)
  withExtendedLifetime(directory) {}
  return result
}
