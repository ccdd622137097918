/// The arguments of the command line.
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
        throw UsageError(reason: "Unknown option \(word).")
      case _ where store == nil:
        store = word
      default:
        throw UsageError(reason: "Unexpected argument \(word).")
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
      throw UsageError(reason: "\(option) requires an integer of at least \(least).")
    }
    return number
  }
}

extension Arguments {
  /// A command line with wrong arguments.
  struct UsageError: Error, CustomStringConvertible {
    let reason: String

    var description: String { "\(reason)\n\(Arguments.usage)" }
  }
}
