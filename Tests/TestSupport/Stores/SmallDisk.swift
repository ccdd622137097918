package import Foundation

/// A file system of a few megabytes in memory, mounted for a test, so that a full disk is a real one.
///
/// Mounting requires root on Linux. Without it the tests that need it are skipped, with that reason.
package final class SmallDisk: Sendable {
  package let directory: URL

  package static let isAvailable: Bool = {
    guard let disk = try? SmallDisk(megabytes: 1) else { return false }
    return FileManager.default.fileExists(atPath: disk.directory.path)
  }()

  private struct MountFailed: Error {}

  package init(megabytes: Int) throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-disk-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    guard Self.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", directory.path])
    else {
      try FileManager.default.removeItem(at: directory)
      throw MountFailed()
    }
  }

  deinit {
    _ = Self.run("umount", ["-l", directory.path])
    try? FileManager.default.removeItem(at: directory)
  }

  /// Mounts the same files again with other options.
  package func remount(_ options: String) throws {
    guard Self.run("mount", ["-o", "remount,\(options)", directory.path]) else {
      throw MountFailed()
    }
  }

  package func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

  private static func run(_ command: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command] + arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
