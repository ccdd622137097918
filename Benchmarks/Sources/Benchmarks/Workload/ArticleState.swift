import Strata

/// Eight tables of an entity with eight indexes.
struct ArticleDatabase: DatabaseType {
  var drafts = EntityTable<Article>()
  var submitted = EntityTable<Article>()
  var reviewed = EntityTable<Article>()
  var accepted = EntityTable<Article>()
  var published = EntityTable<Article>()
  var corrected = EntityTable<Article>()
  var withdrawn = EntityTable<Article>()
  var archived = EntityTable<Article>()

  static let schema = DatabaseSchema<ArticleDatabase> {
    Entities(\.drafts, named: "drafts")
    Entities(\.submitted, named: "submitted")
    Entities(\.reviewed, named: "reviewed")
    Entities(\.accepted, named: "accepted")
    Entities(\.published, named: "published")
    Entities(\.corrected, named: "corrected")
    Entities(\.withdrawn, named: "withdrawn")
    Entities(\.archived, named: "archived")
  }
}

/// A state with such a database, and a property beside it.
struct ArticleState: StateType {
  var db = ArticleDatabase()
  var openDocuments = 0

  /// Each table has `count` articles.
  init(count: Int) {
    let articles = (0..<count).map { number in
      Article(
        id: EntityID(Int64(number)),
        author: number % 97,
        section: number % 11,
        language: number % 5,
        year: 1990 + number % 35,
        length: number % 4_001,
        rating: number % 10,
        editor: number % 23,
        slug: number
      )
    }
    let tables: [WritableKeyPath<ArticleDatabase, EntityTable<Article>>] = [
      \.drafts, \.submitted, \.reviewed, \.accepted, \.published, \.corrected, \.withdrawn,
      \.archived,
    ]
    for table in tables { db[keyPath: table] = EntityTable(articles) }
  }
}

final class ArticleStore: Store<ArticleState, Never>, @unchecked Sendable {}
