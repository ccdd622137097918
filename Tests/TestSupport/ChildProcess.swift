package import Foundation
import StrataBase
import StrataCore

/// A program of this package, run as a process of its own.
package final class ChildProcess: Sendable {
  /// What it wrote so far, and who waits for more.
  private struct Output {
    var bytes: [UInt8] = []
    var isComplete = false
  }

  private let process: Process
  private let output = Lock(Output())

  /// Starts the built program of this name.
  package init(_ product: String, _ arguments: [String]) throws {
    process = Process()
    process.executableURL = Self.directory.appendingPathComponent(product)
    process.arguments = arguments
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

  /// Waits until it has written this many lines, or ended; gives the lines.
  package func lines(atLeast count: Int) -> [String] {
    output.withLock(
      when: { $0.isComplete || $0.bytes.count { $0 == UInt8(ascii: "\n") } >= count },
      { Self.lines($0.bytes) }
    )
  }

  /// Kills it with SIGKILL, waits for its end, and gives all the lines it wrote.
  @discardableResult
  package func kill() -> [String] {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return output.withLock(when: { $0.isComplete }, { Self.lines($0.bytes) })
  }

  /// Waits for its end and gives its exit code and all it wrote.
  package func finish() -> (code: Int32, lines: [String]) {
    process.waitUntilExit()
    let lines = output.withLock(when: { $0.isComplete }, { Self.lines($0.bytes) })
    return (process.terminationStatus, lines)
  }

  /// Only whole lines: the last one may have been cut off by the end.
  private static func lines(_ bytes: [UInt8]) -> [String] {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Where the programs of this build are: beside the tests.
  package static var directory: URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let tests = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return tests.deletingLastPathComponent()
  }
}
