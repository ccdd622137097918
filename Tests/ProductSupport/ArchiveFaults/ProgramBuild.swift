package import Strata
package import StrataMigrating
import StrataRecords
package import TestSupport

/// A build of the program of a fault run, by what it stores beside the database.
package enum ProgramBuild: String {
  /// Nothing: of a run without migrations.
  case only
  /// The number of the last commit.
  case first
  /// The same as a text, which a migration makes of the number.
  case second

  private static let name = "last"

  package var values: [PersistedValue<LibraryState>] {
    switch self {
    case .only: []
    case .first: [PersistedValue(Self.name, \.loggedOut.attempts)]
    case .second: [PersistedValue(Self.name, \.loggedIn.myInfo.name)]
    }
  }

  package var migrations: [DataMigration] {
    guard self == .second else { return [] }
    return [
      DataMigration("0001_last_as_text", value: Self.name) { last in
        last["value"] = .string("\(last["value"]?.integer ?? 0)")
      }
    ]
  }

  /// Notes a commit beside the database.
  package func note(_ commit: Int, in state: inout LibraryState) {
    switch self {
    case .only: break
    case .first: state.loggedOut.attempts = commit
    case .second: state.loggedIn.myInfo.name = "\(commit)"
    }
  }

  /// The commit that a state has beside its database; nil if it has none there.
  package func noted(in state: LibraryState) -> Int? {
    switch self {
    case .only: nil
    case .first: state.loggedOut.attempts
    case .second: Int(state.loggedIn.myInfo.name) ?? 0
    }
  }
}
