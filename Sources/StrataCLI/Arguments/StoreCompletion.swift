import ArgumentParser
import Foundation
import StrataInspection
import StrataJournal
import StrataSQL
import StrataSQLite

/// What a shell offers for arguments that name contents of the store.
///
/// The words come from the store that the command line names; a store that cannot be read offers none. The file
/// may be anybody's: a word with a character that means something to a shell or a terminal is left out.
enum StoreCompletion {
  /// The tables of the store.
  static let table = CompletionKind.custom { words, index, _ in
    Line(words, before: index).map { tables(of: $0.store) } ?? []
  }

  /// The first IDs, in their order, of the entities whose IDs start with what was typed.
  static let id = CompletionKind.custom { words, index, prefix in
    guard let line = Line(words, before: index) else { return [] }
    let known = Set(tables(of: line.store))
    guard let table = line.words.last(where: known.contains) else { return [] }
    var query = StoreQuery(path: line.store)
    query.timeLimit = .seconds(2)
    let text = typed(prefix).replacing(scalar: "'", with: "''")
    let listing = EntityListing(
      table: table,
      columns: .names(["id"]),
      where: "substr(CAST(id AS TEXT), 1, length('\(text)')) = '\(text)'",
      limit: 100
    )
    var ids: [String] = []
    // A shell has no place for an error.
    try? query.list(listing).forEach { row in
      switch row[0] {
      case .text(let text): ids.append(text)
      case .integer(let number): ids.append(String(number))
      case .null, .real, .blob: break
      }
    }
    // One that begins with - is an option unless it comes behind --.
    return ids.filter { isPlain($0) && (!$0.hasPrefix("-") || line.isOfArguments) }
  }

  /// A command line up to the word that is completed.
  private struct Line {
    let store: String
    /// The words behind the store.
    let words: ArraySlice<String>
    /// Whether `--` stands before the word that is completed, wherever it is.
    let isOfArguments: Bool

    init?(_ words: [String], before index: Int) {
      // Behind the name of the program and its subcommand.
      let words = words.prefix(index).dropFirst(2).map(typed)
      let place = words.firstIndex { word in
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: word, isDirectory: &isDirectory)
          && !isDirectory.boolValue
      }
      guard let place else { return nil }
      store = words[place]
      isOfArguments = words.contains("--")
      self.words = words[(place + 1)...]
    }
  }

  private static func tables(of store: String) -> [String] {
    // As above: a store that cannot be read completes nothing.
    guard let overview = try? Inspector(path: store).tables() else { return [] }
    return overview.map(\.name).filter(isPlain)
  }

  private static func isPlain(_ word: String) -> Bool {
    word.allSatisfy { $0.isLetter || $0.isNumber || "-_.:@/+".contains($0) }
  }

  /// A word without the quotes and backslashes of a shell.
  private static func typed(_ word: String) -> String {
    var result = ""
    var isEscaped = false
    for character in word {
      switch character {
      case "\\" where !isEscaped: isEscaped = true
      case "\"", "'":
        if isEscaped { result.append(character) }
        isEscaped = false
      default:
        result.append(character)
        isEscaped = false
      }
    }
    return result
  }
}
