import Foundation
import Strata

// The blocks of README.md. Its first one is the program Examples/Readme.

private func holdingBoth() async throws {
  let persistence = try await Persistence.open(
    at: "app.strata",
    initialState: AppState(),
    database: \.db
  )
  let store = AppStore(persistence)
  print(persistence.report)  // Restored 1 entity at revision 1, from the snapshot of …
  try await persistence.flush()
  try await persistence.close()
  _ = store
}

private struct Visitor: Sendable {
  var name: String
  var visits: Int
}

private struct Server: Sendable {
  func user() async throws -> Visitor { Visitor(name: "Ada", visits: 1) }
}

private func show(_ changes: Changes<AppState>) {}

private func readingAndActing(store: AppStore, server: Server) async throws {
  let count = store.derived(.map(\.items.count))  // a value that follows the store
  print(count.value)
  let subscription = count.sinkValue { print($0.value) }
  let price = store.derived(.map { $0.items.count * $0.factor })  // $0 has the members of the state
  for await changes in store.values() { show(changes) }  // every version; .newest(1) skips

  final class Service: StoreComponentType {  // commits, and what they need
    let store: AppStore
    let server: Server

    init(store: AppStore, server: Server) {
      self.store = store
      self.server = server
    }

    func rename(to name: String) -> Mutation<Void> { .mutation("rename") { $0.name = name } }
    func fetch() -> AsyncThrowingAction<Int> {
      .action { context in
        let user = try await self.server.user()
        context.commit { $0.rename(to: user.name) }
        return user.visits
      }
    }
  }

  let service = Service(store: store, server: server)
  service.accept { $0.rename(to: "Ada") }  // commits a mutation
  let visits = try await service.dispatch { $0.fetch() }  // runs an action

  let users = AppStore.TableDispatcher<User>(targetStore: store, table: \.db.users)
  try users.insert(User(id: .random(), name: "Grace"))  // each verb is one commit
  try users.update("ada") { $0.name = "Ada Lovelace" }
  try users.remove("ada")

  final class Profile: AppStore.ScopedDispatcher<ProfileState>, @unchecked Sendable {
    init(store: AppStore) { super.init(targetStore: store, scope: \.profile) }

    func rename(to name: String) { commit("rename") { $0.name = name } }
  }
  _ = (subscription, price, visits, Profile(store: store))
}

@MainActor final class ProfileView {
  var title = ""
  private var subscription: StoreSubscription?

  init(_ store: AppStore) {
    subscription = store.sinkState(queue: .mainImmediate) { [weak self] in self?.update(changes: $0)
    }
  }

  func update(changes: Changes<AppState>) {
    changes.ifChanged(\.name, \.db.users.count) { name, count in title = "\(name) of \(count)" }
  }
}

private enum Computed {
  struct AppState: ExtendedStateType {
    var items: [Int] = []

    struct Extended: ExtendedType {
      let largeItems = Field.Computed<[Int]> { $0.items.filter { $0 > 300 } }.ifChanged(
        selector: \.items
      )
    }
  }

  static func read(_ store: Store<AppState, Never>) {
    print(store.changes.computed.largeItems)
  }
}

private enum Rules {
  struct Database: DatabaseType {
    var users = EntityTable<User>()
    var posts = EntityTable<Post>()

    static let schema = DatabaseSchema<Database> {
      Entities(\.users)
      Entities(\.posts)
      References(from: \.posts, Post.byAuthor, to: \.users, onRemoval: .cascade)
    }
  }

  struct Post: EntityType {
    static let tableName: TableName = "posts"
    let id: EntityID<Post>
    var author: User.ID
    var slug: String
    var date: Date

    static let byAuthor = GroupIndex(\Post.author, sortedBy: \.date)
    static let bySlug = UniqueIndex(\Post.slug)
    static let indexes: EntityIndexes<Post> = [byAuthor, bySlug]
  }

  struct AppState: RuledStateType { var db = Database() }

  static func read(_ db: Database) {
    let hello = db.posts[Post.bySlug]["hello"]  // the one post, or nil
    let newest = db.posts[Post.byAuthor]["ada"].suffix(10)  // her newest ten; nothing is copied
    print(hello?.slug ?? "", newest.count)
  }

  static func follow(_ store: Store<AppState, Never>) {
    let ada = store.derived(from: "ada", in: \.db.users)
    let hers = store.derived(Post.byAuthor, of: "ada", in: \.db.posts)
    print(ada.value?.name ?? "", hers.value.count)
  }

  static func write(_ store: Store<AppState, Never>, post: Post) throws {
    do {
      try store.commit { $0.db.posts.insert(post) }
    } catch let violation as RuleViolation {
      print(violation)
    }
  }
}

private func archiving(cart: Cart) async throws {
  let persistence = try await Persistence.open(
    at: "app.strata",
    initialState: AppState(),
    database: \.db,
    archive: FolderArchive("/mnt/backups/app")
  )
  let store = AppStore(persistence)
  try await store.commitDurably(.replicated, "place order") { try $0.db.place(cart) }
}

private func migrating() async throws {
  let migrations = [DataMigration("0001_memos", .rename("notes", to: "memos"))]
  let persistence = try await Persistence.open(
    at: "app.strata",
    initialState: AppState(),
    database: \.db,
    migrations: migrations
  )
  _ = persistence
}

private enum Renamed {
  struct User: EntityType {
    static let tableName: TableName = "users"
    let id: EntityID<User>
    var fullName: String  // was: name

    private enum CodingKeys: String, CodingKey { case id, fullName = "name" }
  }
}

private func lookingBack(persistence: Persistence<AppState, Database>, editor: Editor) async throws
{
  let yesterday = try await persistence.state(at: .time(.now - 86_400))
  for try await delta in persistence.deltas(from: 100, to: 200) { print(delta.name, delta.changes) }
  let versions = try await persistence.history(of: User.ID("ada"))  // of one entity
  try await persistence.revert(to: .revision(120))  // a new commit
  let typed = Revision(readLine() ?? "")  // from text, or nil

  let undo = UndoStack(of: editor, database: \.db)  // what this dispatcher commits
  try undo.undo()  // false if there is nothing
  try undo.redo()
  try undo.undo(.overwrite)  // even if others changed the same since
  _ = (yesterday, versions, typed)
}
