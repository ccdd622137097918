import Strata
import StrataArchive
import StrataPostgres

struct Order: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "orders"
  let id: EntityID<Order>
  var item: String
}

struct ShopDatabase: DatabaseType {
  var orders = EntityTable<Order>()
  static let schema = DatabaseSchema<ShopDatabase> { Entities(\.orders) }
}

struct ShopState: StateType {
  var db = ShopDatabase()
}

typealias ShopStore = Store<ShopState, Never>

/// One process of the shop.
struct Shop {
  /// The database of the archive.
  let url: String
  /// The file of this process.
  let file: String

  private var archive: any Archive {
    get throws { try PostgresArchive(url, store: "shop") }
  }

  /// Another process takes over, so this one refuses commits while it cannot know that it leads.
  private let policy = ArchivePolicy(lease: .seconds(1), withoutLease: .refuse)

  func lead() async throws -> Persistence<ShopState, ShopDatabase> {
    try await Persistence.open(
      at: file,
      initialState: ShopState(),
      database: \.db,
      with: [.archive(try archive, policy: policy)]
    )
  }

  func follow() async throws -> Follower<ShopState, ShopDatabase> {
    try await Persistence.follow(
      try archive,
      at: file,
      initialState: ShopState(),
      database: \.db,
      policy: policy
    )
  }
}

extension ShopStore {
  /// Places an order, and returns once the archive has it.
  func place(_ number: Int) async throws {
    try await commitDurably("place order", until: .replicated) { state in
      state.db.orders.insert(Order(id: EntityID(number), item: "item \(number)"))
    }
  }
}
