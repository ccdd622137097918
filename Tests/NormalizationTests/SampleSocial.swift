import StrataNormalization

/// The sample domain of indexes, rules and relations: people write posts and comments.
struct User: EntityType {
  static let tableName: TableName = "users"

  let id: EntityID<User>
  var name = ""
  var email: String?
  var karma = 0.0

  static let byEmail = UniqueIndex(\User.email, named: "email")
  static let byKarma = OrderedIndex(\User.karma)
  static let indexes: EntityIndexes<User> = [byEmail, byKarma]
}

struct Post: EntityType {
  static let tableName: TableName = "posts"

  let id: EntityID<Post>
  var author: User.ID
  var editor: User.ID?
  var tags: [String] = []
  var slug: String
  var date: Int
  var place: Rank?

  init(
    _ id: String,
    by author: User.ID = "ada",
    editor: User.ID? = nil,
    tags: [String] = [],
    slug: String? = nil,
    date: Int = 0
  ) {
    self.id = EntityID(id)
    self.author = author
    self.editor = editor
    self.tags = tags
    self.slug = slug ?? id
    self.date = date
  }

  static let byAuthor = GroupIndex(\Post.author)
  static let byEditor = GroupIndex(\Post.editor)
  static let byTag = GroupIndex(each: \Post.tags)
  static let timeline = GroupIndex(\Post.author, sortedBy: \.date)
  static let bySlug = UniqueIndex(\Post.slug)
  static let byDate = OrderedIndex(\Post.date)
  static let pinned = ManualOrder(\Post.place)
  static let indexes: EntityIndexes<Post> = [
    byAuthor, byEditor, byTag, timeline, bySlug, byDate, pinned,
  ]

  static let itsAuthor = Relation(\Post.author, in: \SocialDatabase.users)
  static let itsEditor = Relation(\Post.editor, in: \SocialDatabase.users)
  static let itsComments = Relation(Reply.byPost, in: \SocialDatabase.comments)
}

struct Reply: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "comments"

  let id: EntityID<Reply>
  var post: Post.ID
  var author: User.ID?
  var answers: Reply.ID?
  var likedBy: Set<User.ID> = []

  static let byPost = GroupIndex(\Reply.post)
  static let byAuthor = GroupIndex(\Reply.author)
  static let byAnswered = GroupIndex(\Reply.answers)
  static let byLiker = GroupIndex(each: \Reply.likedBy)
  static let indexes: EntityIndexes<Reply> = [byPost, byAuthor, byAnswered, byLiker]
}

/// Authors of posts cannot be removed, comments are removed with their post, and the author and the
/// likes of a comment are cleared.
struct SocialDatabase: DatabaseType {
  var users = EntityTable<User>()
  var posts = EntityTable<Post>()
  var comments = EntityTable<Reply>()
  var drafts = EntityTable<Post>()

  // Random edits write references in any order; `ExistenceTests` check existence.
  static let schema = DatabaseSchema<SocialDatabase> {
    Entities(\.users)
    Entities(\.posts)
    Entities(\.comments)
    Entities(\.drafts, named: "drafts")
    References(
      from: \.posts,
      Post.byAuthor,
      to: \.users,
      onRemoval: .restrict,
      existence: .unchecked
    )
    References(
      from: \.posts,
      Post.byEditor,
      to: \.users,
      onRemoval: .nullify(\.editor),
      existence: .unchecked
    )
    References(
      from: \.comments,
      Reply.byPost,
      to: \.posts,
      onRemoval: .cascade,
      existence: .unchecked
    )
    References(
      from: \.comments,
      Reply.byAnswered,
      to: \.comments,
      onRemoval: .cascade,
      existence: .unchecked
    )
    References(
      from: \.comments,
      Reply.byAuthor,
      to: \.users,
      onRemoval: .nullify(\.author),
      existence: .unchecked
    )
    References(
      from: \.comments,
      Reply.byLiker,
      to: \.users,
      onRemoval: .nullify(\.likedBy),
      existence: .unchecked
    )
  }
}
