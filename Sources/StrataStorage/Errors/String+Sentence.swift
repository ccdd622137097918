extension String {
  /// The text as a sentence: its first letter in upper case, and one full stop at its end.
  package var sentence: String {
    let start = prefix(1).uppercased() + dropFirst()
    return start.hasSuffix(".") ? start : start + "."
  }
}
