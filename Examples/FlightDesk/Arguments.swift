/// What the command line asks for.
struct Arguments {
  var store: String
  var batchSize = 8
  var pause = Duration.zero

  static let usage = "usage: FlightDesk STORE_PATH [--batch ROWS] [--pause MILLISECONDS]"

  init(_ words: some Sequence<String>) throws(UsageError) {
    var store: String?
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--batch":
        batchSize = try Self.number(words.next(), for: word, atLeast: 1)
      case "--pause":
        pause = .milliseconds(try Self.number(words.next(), for: word, atLeast: 0))
      case _ where word.hasPrefix("-"):
        throw UsageError(reason: "\(word) is no option.")
      case _ where store == nil:
        store = word
      default:
        throw UsageError(reason: "\(word) is one argument too many.")
      }
    }
    guard let store else { throw UsageError(reason: "The path of the store is missing.") }
    self.store = store
  }

  private static func number(
    _ word: String?,
    for option: String,
    atLeast least: Int
  ) throws(UsageError) -> Int {
    guard let number = word.flatMap({ Int($0) }), number >= least else {
      throw UsageError(reason: "\(option) needs a whole number, at least \(least).")
    }
    return number
  }
}

/// A command line that cannot be followed.
struct UsageError: Error, CustomStringConvertible {
  let reason: String

  var description: String { "\(reason)\n\(Arguments.usage)" }
}
