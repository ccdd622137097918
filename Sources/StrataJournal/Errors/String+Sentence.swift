extension String {
  /// The text as a sentence: its first letter in upper case, and one full stop at its end.
  package var sentence: String { (prefix(1).uppercased() + dropFirst()).withFullStop }

  /// The text with one full stop at its end.
  package var withFullStop: String { hasSuffix(".") ? self : self + "." }

  /// The text without a full stop at its end, to stand within a sentence.
  package var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
