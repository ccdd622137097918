/// A page with blocks of code that begin with a command behind `$ `; below a command is what it prints.
enum ScreenPage {
  /// The page with the screens that its commands print now.
  ///
  /// The closure runs a command that stands below a heading, and returns the lines of its screen.
  static func replay(
    _ page: String,
    screen: (_ command: String, _ heading: String) async throws -> [String]
  ) async throws -> String {
    enum Place {
      case text, code, screen
    }
    var place = Place.text
    var heading = ""
    var lines: [String] = []
    for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        place = place == .text ? .code : .text
        lines.append(line)
      } else if line.hasPrefix("$ "), place != .text {
        place = .screen
        lines.append(line)
        lines += try await screen(String(line.dropFirst(2)), heading)
      } else if place != .screen {
        if place == .text, line.hasPrefix("## ") { heading = String(line.dropFirst(3)) }
        lines.append(line)
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The screen of a program that has ended: standard output, then standard error behind `! `, then the exit code
  /// unless it is 0.
  static func lines(of program: Program) -> [String] {
    var lines = program.output.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    if lines.last == "" { lines.removeLast() }
    lines += program.errors.split(separator: "\n").map { "! \($0)" }
    if program.status != 0 { lines.append("[exit \(program.status)]") }
    return lines
  }
}
