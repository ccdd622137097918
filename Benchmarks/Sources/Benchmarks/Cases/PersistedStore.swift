import Strata

/// A store of users with its file.
struct PersistedStore: Sendable {
  let store: UserStore
  let persistence: Persistence<UserState, UserDatabase>

  static func open(
    _ path: String,
    _ users: [User] = [],
    _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
    archive: (any Archive)? = nil
  ) async throws -> PersistedStore {
    let persistence = try await Persistence.open(
      at: path,
      initialState: UserState(users),
      database: \.db,
      archive: archive,
      configuration: configuration
    )
    return PersistedStore(store: UserStore(persistence), persistence: persistence)
  }
}
