import Foundation

/// Runs one benchmark in a new process of this program.
enum ChildRun {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  static func lines(of name: String, quick: Bool, directory: String) throws -> [Line] {
    guard let program = Bundle.main.executablePath else {
      throw Failure(
        description: "The path of this program is unknown, so it cannot start a child process."
      )
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["--child", name, "--directory", directory] + (quick ? ["--quick"] : [])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        description: "The benchmark \(name) failed with exit code \(process.terminationStatus)."
      )
    }
    return try JSONDecoder().decode([Line].self, from: data)
  }
}
