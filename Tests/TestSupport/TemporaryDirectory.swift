package import Foundation
import StrataBase
import StrataStorage

/// A temporary directory that is deleted with its content when the object is released.
///
/// Its path contains no links. It contains blanks, so that tests find paths that are not quoted.
package final class TemporaryDirectory: Sendable {
  package let url: URL

  package init() throws {
    // Tests leave stores to disks that fail, and an assertion would end all tests of the process.
    JournalWriter.assertsClosing.withLock { $0 = false }
    url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("strata tests \(Scheduling.uuid().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      FileHandle.standardError.write(Data("\(url.path) was not deleted: \(error)\n".utf8))
    }
  }

  /// The path of a file in the directory.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}

extension String {
  /// The same text wherever the folder for temporary files is.
  package var withoutTemporaryPath: String {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
    return replacingOccurrences(of: folder, with: "$TMPDIR")
  }
}

/// Calls a closure with a temporary directory, which is deleted afterwards.
package func withTemporaryDirectory<R>(_ body: (URL) throws -> R) throws -> R {
  let directory = try TemporaryDirectory()
  return try withExtendedLifetime(directory) { try body(directory.url) }
}

/// The form for an asynchronous closure, which runs on the caller's actor.
package func withTemporaryDirectory<R>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: (URL) async throws -> R
) async throws -> R {
  let directory = try TemporaryDirectory()
  let result = try await body(directory.url)
  withExtendedLifetime(directory) {}
  return result
}

extension TemporaryDirectory {
  /// The files in the directory that this process has open.
  package var openFiles: [String] {
    get throws {
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      return descriptors.compactMap { descriptor in
        let target = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(descriptor)"
        )
        return target.flatMap { $0.hasPrefix(url.path) ? $0 : nil }
      }
    }
  }
}
