import Foundation
import Strata
import StrataArchive

/// The leader, as a child process.
final class LeaderProcess {
  private let process = Process()
  private let output = Pipe()
  private var rest = ""
  /// The last order that it called replicated.
  private(set) var lastOrder = 0

  init(_ url: String, _ file: String) throws {
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["leader", url, file]
    process.standardOutput = output
    try process.run()
  }

  /// Returns once it has called an order replicated.
  func wait(for number: Int) throws {
    while lastOrder < number {
      if !read() { fail("the leader ended after order \(lastOrder).") }
    }
  }

  /// Kills it with SIGKILL, and reads what it had printed.
  func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    while read() {}
  }

  /// Reads what it has printed; false at the end.
  private func read() -> Bool {
    let data = output.fileHandleForReading.availableData
    rest += String(decoding: data, as: UTF8.self)
    var lines = rest.components(separatedBy: "\n")
    rest = lines.removeLast()
    for line in lines {
      if let number = line.split(separator: " ").last.flatMap({ Int($0) }) { lastOrder = number }
    }
    return !data.isEmpty
  }
}
