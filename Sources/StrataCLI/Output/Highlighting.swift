import Foundation

/// Whether warnings are highlighted with colors.
package enum Highlighting: Sendable {
  case off, on

  /// The text of a warning, bold and red if highlighting is on.
  package func warning(_ text: String) -> String {
    self == .on ? Self.start + text + Self.end : text
  }

  private static let start = "\u{1B}[1;31m"
  private static let end = "\u{1B}[0m"

  /// Changes a text everywhere but in the sequences that highlight.
  static func keeping(in text: String, _ change: (String) -> String) -> String {
    guard text.utf8.contains(0x1B) else { return change(text) }
    return text.components(separatedBy: start)
      .map { $0.components(separatedBy: end).map(change).joined(separator: end) }
      .joined(separator: start)
  }
}
