import Foundation

/// The terminal of standard output.
package struct Terminal {
  /// Its width; where standard output is not a terminal, that of the variable `COLUMNS`, or ``unlimited``: what goes to a
  /// program or a file is neither cut nor fitted.
  let columns: Int
  /// On for a terminal, unless `NO_COLOR` (no-color.org) is set or `TERM` is `dumb`.
  let highlighting: Highlighting

  /// The width where nothing is fitted: more than any line has, and so small that adding to it does not overflow.
  package static let unlimited = 1 << 30

  /// Whether standard error is a terminal.
  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// The current terminal of standard output.
  static var standard: Terminal {
    let environment = ProcessInfo.processInfo.environment
    guard isatty(STDOUT_FILENO) == 1 else {
      let columns = environment["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
      return Terminal(columns: columns ?? unlimited, highlighting: .off)
    }
    var size = winsize()
    let isSized = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    // An empty NO_COLOR is none (no-color.org), and asks for no colors on a terminal that has none either.
    let isPlain = environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
    return Terminal(
      columns: isSized ? Int(size.ws_col) : 100,
      highlighting: isPlain ? .off : .on
    )
  }
}

/// Whether output is highlighted with colors.
package enum Highlighting: Sendable {
  case off, on

  /// The text of a warning, bold and red if highlighting is on.
  package func warning(_ text: String) -> String { wrap(text, .warning) }
  /// What was added: green.
  package func added(_ text: String) -> String { wrap(text, .added) }
  /// What was removed: red.
  package func removed(_ text: String) -> String { wrap(text, .removed) }
  /// What was changed: yellow.
  package func changed(_ text: String) -> String { wrap(text, .changed) }
  /// A heading, or the name of a commit: bold.
  package func heading(_ text: String) -> String { wrap(text, .heading) }
  /// Words that were removed from a text: red, bold and underlined.
  package func removedWords(_ text: String) -> String { wrap(text, .removedWords) }
  /// Words that were added to a text: green, bold and underlined.
  package func addedWords(_ text: String) -> String { wrap(text, .addedWords) }
  /// The revision of a commit: yellow and bold.
  func revision(_ text: String) -> String { wrap(text, .revision) }
  /// A time, which is seldom what is looked for: faint.
  func time(_ text: String) -> String { wrap(text, .time) }
  /// A place in the source: cyan.
  func place(_ text: String) -> String { wrap(text, .place) }
  /// Who wanted a commit: magenta.
  func user(_ text: String) -> String { wrap(text, .user) }

  private func wrap(_ text: String, _ style: Style) -> String {
    self == .on && !text.isEmpty ? style.rawValue + text + Self.end : text
  }

  private enum Style: String, CaseIterable {
    case warning = "\u{1B}[1;31m"
    case added = "\u{1B}[32m"
    case removed = "\u{1B}[31m"
    case changed = "\u{1B}[33m"
    case heading = "\u{1B}[1m"
    case removedWords = "\u{1B}[1;4;31m"
    case addedWords = "\u{1B}[1;4;32m"
    case revision = "\u{1B}[1;33m"
    case time = "\u{1B}[2m"
    case place = "\u{1B}[36m"
    case user = "\u{1B}[35m"
  }

  private static let end = "\u{1B}[0m"
  private static let sequences = Style.allCases.map { Array($0.rawValue.utf8) } + [Array(end.utf8)]

  /// Changes a text everywhere but in the sequences that highlight.
  static func keeping(in text: String, _ change: (String) -> String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.contains(0x1B) else { return change(text) }
    var result = ""
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let rest = bytes[index...]
      if bytes[index] == 0x1B, let sequence = sequences.first(where: { rest.starts(with: $0) }) {
        result += change(String(decoding: plain, as: UTF8.self))
        result += String(decoding: sequence, as: UTF8.self)
        plain = []
        index += sequence.count
      } else {
        plain.append(bytes[index])
        index += 1
      }
    }
    return result + change(String(decoding: plain, as: UTF8.self))
  }
}
