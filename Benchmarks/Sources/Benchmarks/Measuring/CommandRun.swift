import CBenchmarks
import Foundation

/// What a command cost, seen from outside.
struct CommandRun: Codable {
  var nanoseconds: Double
  /// The most memory that it had at once.
  var peakBytes: Double

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Runs a command; what it prints is thrown away.
  ///
  /// A small process in between starts it: Linux counts the memory of the process that starts another one as
  /// that of the other.
  static func measure(_ command: [String]) throws -> CommandRun {
    try JSONDecoder().decode(
      CommandRun.self,
      from: ChildRun.output(of: ["--measure"] + command)
    )
  }

  /// The same in this process.
  static func here(_ command: [String]) throws -> CommandRun {
    var arguments = command.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var peakBytes = 0
    let start = ContinuousClock.now
    let status = benchmark_run(&arguments, &peakBytes)
    let nanoseconds = (ContinuousClock.now - start).nanoseconds
    // `strata diff` exits with 2 if something differs.
    guard status == 0 || status == 2 else {
      throw Failure(
        description: "\(command.joined(separator: " ")) ended with \(status)."
      )
    }
    return CommandRun(nanoseconds: nanoseconds, peakBytes: Double(peakBytes))
  }
}
