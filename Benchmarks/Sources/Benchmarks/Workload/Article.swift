import Strata

/// An entity with eight indexes.
struct Article: EntityType {
  typealias RawID = Int64

  static let tableName: TableName = "articles"

  let id: EntityID<Article>
  var author: Int
  var section: Int
  var language: Int
  var year: Int
  var length: Int
  var rating: Int
  var editor: Int
  var slug: Int

  static let byAuthor = GroupIndex(\Article.author)
  static let bySection = GroupIndex(\Article.section)
  static let byLanguage = GroupIndex(\Article.language)
  static let byEditor = GroupIndex(\Article.editor)
  static let byYear = OrderedIndex(\Article.year)
  static let byLength = OrderedIndex(\Article.length)
  static let byRating = OrderedIndex(\Article.rating)
  static let bySlug = UniqueIndex(\Article.slug)
  static let indexes: EntityIndexes<Article> = [
    byAuthor, bySection, byLanguage, byEditor, byYear, byLength, byRating, bySlug,
  ]
}
