import ArgumentParser
import StrataJournal

/// A subcommand that does not exist, with the one that was probably meant.
///
/// The parser itself takes the name for an argument that it did not expect, and `help` ignores it.
struct UnknownVerb: Error, CustomStringConvertible {
  /// What was called: `strata migrate`.
  let command: String
  /// The name that none of its subcommands has.
  let name: String
  /// The names of its subcommands.
  let names: [String]

  var description: String {
    let problem = "“\(command)” has no subcommand “\(name)”."
    if let meant = name.nearest(among: names) {
      return "\(problem) Did you mean `\(command) \(meant)`?"
    }
    return names.isEmpty
      ? "\(problem) `\(command) --help` shows its page."
      : "\(problem) It has: \(names.joined(separator: ", "))."
  }

  /// The names of the subcommand that arguments call: `strata migrate plan`.
  ///
  /// Throws if they name one that does not exist, also behind `help`.
  static func check(
    _ arguments: [String],
    of root: any ParsableCommand.Type
  ) throws(UnknownVerb) -> String {
    var (command, path, rest) = (root, root._commandName, arguments[...])
    let isHelp = rest.first == "help"
    if isHelp { rest.removeFirst() }
    while let name = rest.popFirst(), !name.hasPrefix("-") {
      let subcommands = command.configuration.subcommands
      // Without subcommands, it is an argument of the command.
      if subcommands.isEmpty, !isHelp { break }
      if let next = subcommands.first(where: { $0._commandName == name }) {
        (command, path) = (next, "\(path) \(name)")
        continue
      }
      let shown = subcommands.filter { $0.configuration.shouldDisplay }
      throw UnknownVerb(command: path, name: name, names: shown.map { $0._commandName })
    }
    return path
  }
}
