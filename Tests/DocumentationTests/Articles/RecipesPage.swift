import Foundation
import Strata
import StrataMigrating
import StrataRecords
import StrataScripts
import Testing

/// The page "Recipes".
private enum Recipes {
  struct Article: EntityType {
    static let tableName: TableName = "articles"
    let id: EntityID<Article>
    var author: User.ID
    var isPublished = false

    static let publishedByAuthor = GroupIndex(
      { (article: Article) -> User.ID? in article.isPublished ? article.author : nil },
      named: "published by author"
    )
    static let indexes: EntityIndexes<Article> = [publishedByAuthor]
  }

  struct Articles: DatabaseType {
    var articles = EntityTable<Article>()
    static let schema = DatabaseSchema<Articles> { Entities(\.articles) }
  }

  static func counting(db: Articles) {
    let count = db.articles[Article.publishedByAuthor]["ada"].count
    let authors = db.articles[Article.publishedByAuthor].count
    print(count, authors)
  }

  struct Passport: EntityType {
    static let tableName: TableName = "passports"
    let id: EntityID<Passport>
    var holder: User.ID
    var number: String

    static let oneEach = UniqueIndex(\Passport.holder, named: "one passport each")
    static let indexes: EntityIndexes<Passport> = [oneEach]
  }

  struct Registry: DatabaseType {
    var users = EntityTable<User>()
    var passports = EntityTable<Passport>()

    static let schema = DatabaseSchema<Registry> {
      Entities(\.users)
      Entities(\.passports)
      References(from: \.passports, Passport.oneEach, to: \.users, onRemoval: .cascade)
    }
  }

  static func passport(db: Registry) {
    let passport = db.passports[Passport.oneEach]["ada"]
    print(passport?.number ?? "none")
  }

  struct Item: EntityType {
    static let tableName: TableName = "items"
    let id: EntityID<Item>
    var list: String
    var place: Rank?

    static let byList = ManualOrder(\Item.place, within: \.list)
    static let indexes: EntityIndexes<Item> = [byList]
  }

  struct Lists: DatabaseType {
    var items = EntityTable<Item>()
    static let schema = DatabaseSchema<Lists> { Entities(\.items) }

    mutating func add(_ id: Item.ID, to list: String) throws {
      items.insert(Item(id: id, list: list))
      try items.append(id, to: Item.byList)
    }

    mutating func move(_ id: Item.ID, to position: Int, of list: String) throws {
      try items.move(id, to: position, in: Item.byList, list: list)
    }
  }

  struct Priority: RawRepresentable, Codable, Hashable, Sendable {
    let rawValue: String

    static let low = Priority(rawValue: "low")
    static let high = Priority(rawValue: "high")
  }

  struct Ticket: EntityType {
    static let tableName: TableName = "tickets"
    let id: EntityID<Ticket>
    var priority: Priority
  }

  static func renaming() -> DataMigration {
    DataMigration("0002_urgent", table: "tickets") { ticket in
      if ticket["priority"]?.text == "high" { ticket["priority"] = .string("urgent") }
    }
  }

  enum PackageResources {
    static let V0001_add_vip_sql: [UInt8] = []
  }

  static func listed() throws {
    func migrations() throws -> [DataMigration] {
      [
        try DataMigration(
          "V0001_add_vip",
          sql: String(decoding: PackageResources.V0001_add_vip_sql, as: UTF8.self)
        )
      ]
    }
    let scripts = try SQLMigrations.folder("Sources/App/Migrations")
    #expect(try migrations().map(\.name) == scripts.map(\.name))
  }

  struct Player: Equatable, Sendable {
    var position: TimeInterval = 0
  }

  struct Track: EntityType {
    static let tableName: TableName = "tracks"
    let id: EntityID<Track>
    var lastPosition: TimeInterval = 0
  }

  struct MusicDatabase: DatabaseType {
    var tracks = EntityTable<Track>()
    static let schema = DatabaseSchema<MusicDatabase> { Entities(\.tracks) }
  }

  struct MusicState: StateType {
    var db = MusicDatabase()
    var player = Player()
  }

  static func playing(store: Store<MusicState, Never>, now: TimeInterval) throws {
    store.commit("tick") { $0.player.position = now }
    try store.commit("pause") { state in
      let position = state.player.position
      try state.db.tracks.update("intro") { $0.lastPosition = position }
    }
  }

  final class Board: StoreComponentType {
    let store: AppStore

    init(store: AppStore) { self.store = store }

    func publish(_ ids: [Post.ID]) throws {
      try commit("publish \(ids.count) posts") { state in
        try state.db.posts.update(in: ids) { $0.isPublished = true }
      }
    }
  }

  static func undo(board: Board) throws {
    let undo = UndoStack(of: board, database: \.db, grouping: .sameName(within: .seconds(1)))
    try undo.group("publish and pin") {
      try board.publish(["p1", "p2"])
      try board.pin("p1")
    }
    try undo.undo()
  }

  struct Like: EntityType {
    static let tableName: TableName = "likes"
    let id: EntityID<Like>
    let user: User.ID
    let post: Post.ID

    init(user: User.ID, post: Post.ID) {
      id = Like.ID("\(user.raw)/\(post.raw)")
      (self.user, self.post) = (user, post)
    }

    static let byUser = GroupIndex(\Like.user)
    static let byPost = GroupIndex(\Like.post)
    static let indexes: EntityIndexes<Like> = [byUser, byPost]
  }

  struct Blog: DatabaseType {
    var users = EntityTable<User>()
    var posts = EntityTable<Post>()
    var likes = EntityTable<Like>()

    static let schema = DatabaseSchema<Blog> {
      Entities(\.users)
      Entities(\.posts)
      Entities(\.likes)
      References(from: \.likes, Like.byUser, to: \.users, onRemoval: .cascade)
      References(from: \.likes, Like.byPost, to: \.posts, onRemoval: .cascade)
    }
  }

  static func likes(db: Blog) -> [User.ID] {
    let fans = db.likes[Like.byPost]["p1"].map(\.user)
    return fans
  }

  struct Playlist: EntityType {
    static let tableName: TableName = "playlists"
    let id: EntityID<Playlist>
    var title: String
  }

  final class PlaylistService<Dispatcher: DispatcherType>: Sendable
  where Dispatcher.Scope: PlaylistDatabase {
    private let database: Dispatcher

    init(_ database: Dispatcher) { self.database = database }

    func add(_ playlist: Playlist) throws {
      try database.commit("add playlist") { tables throws in tables.playlists.insert(playlist) }
    }
  }

  struct AppDatabase: PlaylistDatabase {
    var playlists = EntityTable<Playlist>()
    var tracks = EntityTable<Track>()

    static let schema = DatabaseSchema<AppDatabase> {
      Entities(\.playlists)
      Entities(\.tracks)
    }
  }

  struct ModularState: RuledStateType { var db = AppDatabase() }

  static func modules(store: Store<ModularState, Never>) throws {
    let playlists = PlaylistService(store.detached(by: \.db))
    try playlists.add(Playlist(id: .random(), title: "Road trip"))
  }
}

private typealias Playlist = Recipes.Playlist

private protocol PlaylistDatabase: DatabaseType {
  var playlists: EntityTable<Playlist> { get set }
}

extension Recipes.Board {
  func pin(_ id: Post.ID) throws {
    try commit("pin") { state in try state.db.posts.update(id) { $0.isPublished = true } }
  }
}
