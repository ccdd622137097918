import Foundation
import Strata

/// The page "Refused commits" of `StrataCore`.
private enum RefusedCommits {
  struct Database: DatabaseType {
    var users = EntityTable<User>()
    static let schema = DatabaseSchema<Database> { Entities(\.users) }
  }

  struct AppState: RuledStateType { var db = Database() }

  struct PlainState: StateType { var db = Database() }

  static func show(_ violation: RuleViolation) {}

  static func ruled(_ store: Store<AppState, Never>, ada: User) throws {
    do {
      try store.commit { $0.db.users.insert(ada) }
    } catch let violation as RuleViolation {
      show(violation)
    }
  }

  static func plain(_ store: Store<PlainState, Never>) {
    let id = store.commit { state in
      state.db.users.insert(User(id: "b", email: "a@x"))  // the address is taken: refused
      return User.ID("b")
    }
    print(store.state.db.users[id] as Any)  // nil
  }

  final class Reported: @unchecked Sendable {
    func append(_ refused: RefusedCommit) {}
  }

  static func handled(_ store: Store<PlainState, Never>, reported: Reported) {
    store.refusedCommitHandler = { refused in reported.append(refused) }
  }

  struct Reporting {
    func clear<D: DispatcherType>(_ dispatcher: D, _ edit: (inout D.Scope) -> Void) {
      dispatcher.commit { edit(&$0) }  // a refusal is reported
    }
  }

  struct Throwing {
    func clear<D: DispatcherType>(_ dispatcher: D, _ edit: (inout D.Scope) -> Void) throws {
      try dispatcher.commit { scope throws in edit(&scope) }  // a refusal is thrown
    }
  }
}

/// The page of the module `StrataCore`.
private struct Session: Sendable {
  var user = ""
}

private func handle(_ request: String) async throws {}

private func contexts(store: AppStore, name: String, session: Session, id: String, request: String)
  async throws
{
  store.commit("rename", context: CommitContext(user: "ann")) { $0.name = name }

  try await CommitContext.with(CommitContext(user: session.user, request: id)) {
    try await handle(request)
  }
}

/// The page "Subscriptions" of `StrataEntityStore`.
private final class Search: Sendable {
  func index(_ users: [User]) {}
  func forget(_ ids: [User.ID]) {}
}

private func subscriptions(store: AppStore, search: Search) throws {
  let ada = store.derived(from: "ada", in: \.db.users)  // Derived<User?>
  let retained = try store.derivedNonNull(from: "ada", in: \.db.users)
  let hers = store.derived(Post.byAuthor, of: "ada", in: \.db.posts)
  let count = store.derived(in: \.db.posts) { posts in posts[Post.published][true].count }
  let shown = store.derivedEntities(in: \.db.posts) { posts in posts.ids.sorted() }
  let changes = store.sinkEntityChanges(in: \.db.users) { changes in
    search.index(changes.put)
    search.forget(changes.removed)
  }
  _ = (ada, retained, hers, count, shown, changes)
}
