/// Whether warnings are highlighted with colors.
package enum Highlighting: Sendable {
  case off, on

  /// The text of a warning, bold and red if highlighting is on.
  package func warning(_ text: String) -> String {
    self == .on ? "\u{1B}[1;31m\(text)\u{1B}[0m" : text
  }
}
