import Strata
import StrataArchive

/// A store of users with its file.
struct PersistedUsers<State: UsersState>: Sendable {
  let store: UsersStore<State>
  let persistence: Persistence<State, State.Database>

  static func open(
    _ path: String,
    _ users: [User] = [],
    _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
    archive: (any Archive)? = nil
  ) async throws -> PersistedUsers {
    let persistence = try await Persistence.open(
      at: path,
      initialState: State(users),
      database: State.database,
      configuration: configuration,
      with: archive.map { [.archive($0)] } ?? []
    )
    return PersistedUsers(store: UsersStore(persistence), persistence: persistence)
  }
}

typealias PersistedStore = PersistedUsers<UserState>
