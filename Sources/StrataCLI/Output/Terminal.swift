import Foundation

/// Whether words that must not be overlooked are coloured.
package enum Tint: Sendable {
  case plain, colour

  /// The text as an alarm: bold and red where colours are shown.
  package func alarm(_ text: String) -> String {
    self == .colour ? "\u{1B}[1;31m\(text)\u{1B}[0m" : text
  }
}

/// What standard output is shown on.
struct Terminal {
  /// How wide it is; 100 where it is no terminal.
  let columns: Int
  /// Colours are for terminals, unless `NO_COLOR` (no-color.org) is set or the terminal is dumb.
  let tint: Tint

  /// Standard output as it is now.
  static var standard: Terminal {
    guard isatty(STDOUT_FILENO) == 1 else { return Terminal(columns: 100, tint: .plain) }
    var size = winsize()
    let isSized = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let environment = ProcessInfo.processInfo.environment
    let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? (environment["TERM"] == "dumb")
    return Terminal(
      columns: isSized ? Int(size.ws_col) : 100,
      tint: isPlain ? .plain : .colour
    )
  }
}
