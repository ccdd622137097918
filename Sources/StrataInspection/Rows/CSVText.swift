/// CSV as RFC 4180 has it.
package enum CSVText {
  /// A field, in quotes where it needs them.
  package static func field(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { ![0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
