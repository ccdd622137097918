/// Which words of two texts differ, to be marked in them.
struct ChangedWords {
  private struct Word {
    let text: String
    var isChanged = false
  }

  private var old: [Word]
  private var new: [Word]

  /// The most words of a text that are compared: more than a line of a terminal has.
  private static let most = 1_000

  /// Compares two lines; O(words × words that differ).
  init(_ old: String, _ new: String) {
    self.old = Self.words(of: old)
    self.new = Self.words(of: new)
    guard max(self.old.count, self.new.count) <= Self.most else { return }
    for change in self.new.map(\.text).difference(from: self.old.map(\.text)) {
      switch change {
      case .insert(let offset, _, _): self.new[offset].isChanged = true
      case .remove(let offset, _, _): self.old[offset].isChanged = true
      }
    }
  }

  /// Runs of letters and digits, runs of spaces, and all other characters one by one.
  private static func words(of text: String) -> [Word] {
    enum Kind {
      case word, space, other
    }
    var words: [Word] = []
    var last = Kind.other
    for character in text {
      let kind: Kind =
        character.isLetter || character.isNumber ? .word : character == " " ? .space : .other
      if kind == last, kind != .other, let word = words.popLast() {
        words.append(Word(text: word.text + String(character)))
      } else {
        words.append(Word(text: String(character)))
      }
      last = kind
    }
    return words
  }

  /// The first text, in runs of words that are in both and words that only it has.
  func removed(_ kept: (String) -> String, _ changed: (String) -> String) -> String {
    Self.text(of: old, kept, changed)
  }

  /// The second text likewise.
  func added(_ kept: (String) -> String, _ changed: (String) -> String) -> String {
    Self.text(of: new, kept, changed)
  }

  private static func text(
    of words: [Word],
    _ kept: (String) -> String,
    _ changed: (String) -> String
  ) -> String {
    var text = ""
    var rest = words[...]
    while let first = rest.first {
      let run = rest.prefix { $0.isChanged == first.isChanged }
      rest = rest.dropFirst(run.count)
      text += (first.isChanged ? changed : kept)(run.map(\.text).joined())
    }
    return text
  }
}
