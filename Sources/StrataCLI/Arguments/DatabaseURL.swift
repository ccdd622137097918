import Foundation
import StrataArchiving
import StrataJournal

/// A URL of a database in an argument of the command line.
struct DatabaseURL {
  /// What follows `://`.
  private let rest: Substring

  /// Nil for anything else.
  init?(_ text: String) {
    // Every start comes here, and the first regular expression of a process takes half a millisecond.
    let scheme = text.prefix { $0 != ":" }
    let others = text[scheme.endIndex...]
    guard others.hasPrefix("://"), ["postgres", "postgresql"].contains(scheme.lowercased()) else {
      return nil
    }
    rest = others.dropFirst(3)
  }

  /// Whether it has a password, also one that libpq would not take for one, as its `/` or `@` is not encoded.
  var hasPassword: Bool {
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let question = rest.firstIndex(of: "?") ?? rest.endIndex
    // libpq takes what is before an `@` for a user and a password, up to the first `/`.
    let place = question < slash ? rest : rest[..<question]
    if let at = place.lastIndex(of: "@"), place[..<at].contains(":") { return true }
    return rest[question...].dropFirst().split(separator: "&").contains { option in
      let name = String(option.prefix { $0 != "=" })
      let decoded = (name.removingPercentEncoding ?? name).lowercased()
      return decoded.contains("password") || decoded.contains("secret")
    }
  }

  /// Throws if an argument has a password, before anything quotes it.
  ///
  /// - Parameters:
  ///   - arguments: Those of the program, without its own name.
  ///   - others: The subcommands that take no archive: their arguments may be any text, but for the first, a path.
  static func checkPasswords(
    in arguments: [String],
    besides others: Set<String>
  ) throws(ArchiveError) {
    let isOther = arguments.first.map { others.contains($0) } ?? false
    for argument in isOther ? arguments.prefix(2) : arguments[...] {
      let value =
        argument.hasPrefix("-") ? argument.drop { $0 != "=" }.dropFirst() : argument[...]
      guard let url = DatabaseURL(String(value)), url.hasPassword else { continue }
      throw ArchiveError(
        .unusable(
          """
          the URL has a password, which the list of processes and the history of the shell show too: put \
          it into a service file (postgres:///?service=NAME), a password file (~/.pgpass, PGPASSFILE) or \
          PGPASSWORD, and write an @ or : of a name as %40 or %3A
          """
        ),
        archive: "PostgreSQL"
      )
    }
  }
}
