import Foundation

/// The terminal of standard output.
struct Terminal {
  /// Its width; where standard output is not a terminal, that of the variable `COLUMNS`, or 100.
  let columns: Int
  /// On for a terminal, unless `NO_COLOR` (no-color.org) is set or `TERM` is `dumb`.
  let highlighting: Highlighting

  /// Whether standard error is a terminal.
  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// The current terminal of standard output.
  static var standard: Terminal {
    let environment = ProcessInfo.processInfo.environment
    guard isatty(STDOUT_FILENO) == 1 else {
      let columns = environment["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
      return Terminal(columns: columns ?? 100, highlighting: .off)
    }
    var size = winsize()
    let isSized = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? (environment["TERM"] == "dumb")
    return Terminal(
      columns: isSized ? Int(size.ws_col) : 100,
      highlighting: isPlain ? .off : .on
    )
  }
}
