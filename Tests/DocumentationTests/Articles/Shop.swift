import Foundation
import Strata

// What the pages call User, Post, AppState and AppStore, where they do not say more about them.

struct User: EntityType {
  static let tableName: TableName = "users"
  let id: EntityID<User>
  var name = ""
  var email = ""
  var password = ""
}

struct Post: EntityType {
  static let tableName: TableName = "posts"
  let id: EntityID<Post>
  var author: User.ID
  var slug: String
  var date: Date
  var isPublished = false

  static let byAuthor = GroupIndex(\Post.author, sortedBy: \.date)
  static let bySlug = UniqueIndex(\Post.slug)
  /// The published ones only.
  static let published = GroupIndex(
    { (post: Post) -> Bool? in post.isPublished ? true : nil },
    named: "published"
  )
  static let indexes: EntityIndexes<Post> = [byAuthor, bySlug, published]
}

struct Draft: EntityType {
  static let tableName: TableName = "drafts"
  let id: EntityID<Draft>
  var text = ""
}

struct Letter: EntityType {
  static let tableName: TableName = "letters"
  let id: EntityID<Letter>
  var text = ""
}

struct Order: EntityType {
  static let tableName: TableName = "orders"
  let id: EntityID<Order>
}

struct Cart: Sendable {
  let order: Order.ID
}

struct Database: DatabaseType {
  var users = EntityTable<User>()
  var posts = EntityTable<Post>()
  var drafts = EntityTable<Draft>()
  var letters = EntityTable<Letter>()
  var orders = EntityTable<Order>()

  static let schema = DatabaseSchema<Database> {
    Entities(\.users)
    Entities(\.posts)
    Entities(\.drafts)
    Entities(\.letters)
    Entities(\.orders)
  }

  mutating func place(_ cart: Cart) throws -> Order.ID {
    orders.insert(Order(id: cart.order))
    return cart.order
  }
}

struct Settings: Codable, Equatable, Sendable {
  var volume = 5
}

struct Login: Equatable, Sendable {
  var myInfo: User?
}

struct ProfileState: Equatable, Sendable {
  var name = ""
}

struct AppState: StateType {
  var db = Database()
  var items: [Int] = []
  var factor = 1
  var name = ""
  var profile = ProfileState()
  var settings = Settings()
  var loggedIn = Login()
}

typealias AppStore = Store<AppState, Never>

enum Answer {
  case accepted(Order.ID)
}

func answer(_ answer: Answer) async {}

final class Editor: AppStore.Dispatcher, @unchecked Sendable {
  func rename(_ id: User.ID, to name: String) {
    commit("rename") { state in
      if var user = state.db.users[id] {
        user.name = name
        state.db.users.insert(user)
      }
    }
  }
}
