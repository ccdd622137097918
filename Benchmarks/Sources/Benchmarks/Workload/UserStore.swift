import Strata

final class UsersStore<State: UsersState>: Store<State, Never>, @unchecked Sendable {}

typealias UserStore = UsersStore<UserState>

extension UsersStore {
  /// The commit that most benchmarks measure: it changes one field of one user.
  func commitUpdate(_ number: Int64) {
    do {
      try commit { try $0.update(number) }
    } catch {
      fatalError("The commit failed: \(error)")
    }
  }
}
