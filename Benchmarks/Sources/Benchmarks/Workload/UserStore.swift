import Strata

final class UserStore: Store<UserState, Never>, @unchecked Sendable {}

extension UserStore {
  /// The commit that most benchmarks measure: it changes one field of one user.
  func commitUpdate(_ number: Int64) {
    do {
      try commit { try $0.db.users.update(User.ID(number)) { $0.age += 1 } }
    } catch {
      fatalError("The commit failed: \(error)")
    }
  }
}
