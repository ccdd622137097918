import Foundation

/// Runs one benchmark in a new process of this program.
enum ChildRun {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  static func lines(
    of name: String,
    quick: Bool,
    directory: String,
    strata: String?,
    postgres: String?
  ) throws -> [Line] {
    let arguments =
      ["--child", name, "--directory", directory] + (quick ? ["--quick"] : [])
      + (strata.map { ["--strata", $0] } ?? []) + (postgres.map { ["--postgres", $0] } ?? [])
    return try JSONDecoder().decode([Line].self, from: output(of: arguments))
  }

  /// What a new process of this program costs.
  static func measure(_ arguments: [String]) throws -> CommandRun {
    try CommandRun.measure([program()] + arguments)
  }

  private static func program() throws -> String {
    guard let program = Bundle.main.executablePath else {
      throw Failure(
        description: "The path of this program is unknown, so it cannot start a child process."
      )
    }
    return program
  }

  /// What this program prints in a new process.
  static func output(of arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try program())
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        description: """
          \(arguments.joined(separator: " ")) failed with exit code \(process.terminationStatus).
          """
      )
    }
    return data
  }
}
