package import Foundation
import StrataBase
import StrataCore

/// A program of this package that runs as a child process.
package final class ChildProcess: Sendable {
  /// The output so far.
  private struct Output {
    var bytes: [UInt8] = []
    var isComplete = false
  }

  /// The environment of child processes.
  ///
  /// The address sanitizer looks for leaks in the process of the tests only.
  package static let environment: [String: String] = {
    var environment = ProcessInfo.processInfo.environment
    environment["ASAN_OPTIONS"] = environment["ASAN_OPTIONS"].map { "\($0):detect_leaks=0" }
    return environment
  }()

  private let process: Process
  private let output = Lock(Output())

  /// The same, in which each process hashes in an order of its own, as programs do.
  package static var hashingAtRandom: [String: String] {
    environment.filter { $0.key != "SWIFT_DETERMINISTIC_HASHING" }
  }

  /// Starts the built program with a name.
  package init(
    _ product: String,
    _ arguments: [String],
    environment: [String: String] = ChildProcess.environment
  ) throws {
    process = Process()
    process.executableURL = Self.directory.appendingPathComponent(product)
    process.arguments = arguments
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = output
    Thread.detachNewThread {
      while true {
        let data = pipe.fileHandleForReading.availableData
        output.withLockSignalling {
          $0.bytes += Array(data)
          $0.isComplete = data.isEmpty
        }
        if data.isEmpty { return }
      }
    }
  }

  deinit { kill() }

  /// Waits until it has written a number of lines or has ended, and returns its lines.
  package func lines(atLeast count: Int) -> [String] {
    output.withLock(
      when: { $0.isComplete || $0.bytes.count { $0 == UInt8(ascii: "\n") } >= count },
      { Self.lines($0.bytes) }
    )
  }

  /// Whether it has ended, so that there are no more lines.
  package var hasEnded: Bool { output.withLock { $0.isComplete } }

  /// Its number.
  package var identifier: Int32 { process.processIdentifier }

  /// Sends it a signal.
  package func signal(_ signal: Int32) {
    if identifier > 0 { _ = Foundation.kill(identifier, signal) }
  }

  /// Kills it with SIGKILL, waits for its end, and returns its lines.
  @discardableResult
  package func kill() -> [String] {
    // One that was not started has the number 0, which would be this process and all that it has started.
    if identifier > 0 { _ = Foundation.kill(identifier, SIGKILL) }
    process.waitUntilExit()
    return output.withLock(when: { $0.isComplete }, { Self.lines($0.bytes) })
  }

  /// Waits for its end and returns its exit code and its lines.
  package func finish() -> (code: Int32, lines: [String]) {
    process.waitUntilExit()
    let lines = output.withLock(when: { $0.isComplete }, { Self.lines($0.bytes) })
    return (process.terminationStatus, lines)
  }

  /// Complete lines only: the end of the process may have cut off the last one.
  private static func lines(_ bytes: [UInt8]) -> [String] {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// The directory of the programs of this build, which is that of the tests.
  package static var directory: URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let tests = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return tests.deletingLastPathComponent()
  }
}
