import StrataNormalization
import TestSupport
import Testing

/// A model of a social database: a dictionary for each table, without indexes, with rules that are
/// applied by searching everything.
struct SocialModel: Equatable {
  var users: [User.ID: User] = [:]
  var posts: [Post.ID: Post] = [:]
  var replies: [Reply.ID: Reply] = [:]
  var drafts: [Post.ID: Post] = [:]

  /// Applies the removal rules; false if one of them or the uniqueness of a key is violated.
  mutating func applyRules(since old: SocialModel) -> Bool {
    let goneUsers = Set(old.users.keys).subtracting(users.keys)
    let gonePosts = Set(old.posts.keys).subtracting(posts.keys)
    var goneReplies = Set(old.replies.keys).subtracting(replies.keys)
    var isSettled = false
    while !isSettled {
      isSettled = true
      for (id, reply) in replies {
        if gonePosts.contains(reply.post) || reply.answers.map(goneReplies.contains) == true {
          replies[id] = nil
          goneReplies.insert(id)
          isSettled = false
          continue
        }
        if let author = reply.author, goneUsers.contains(author) { replies[id]?.author = nil }
        replies[id]?.likedBy.subtract(goneUsers)
      }
      for (id, post) in posts {
        if let editor = post.editor, goneUsers.contains(editor) { posts[id]?.editor = nil }
      }
    }
    if posts.values.contains(where: { goneUsers.contains($0.author) }) { return false }
    let emails = users.values.compactMap(\.email)
    return emails.count == Set(emails).count
      && Set(posts.values.map(\.slug)).count == posts.count
      && Set(drafts.values.map(\.slug)).count == drafts.count
  }

  /// Whether the database holds the same, and each index equals the result of searching everything.
  func expectSame(_ database: SocialDatabase, _ comment: Testing.Comment) {
    #expect(SocialModel(database) == self, comment)
    expectIndexes(of: database.users, users, comment)
    expectIndexes(of: database.posts, posts, comment)
    expectIndexes(of: database.drafts, drafts, comment)
    expectIndexes(of: database.comments, replies, comment)
  }

  private func expectIndexes(
    of table: EntityTable<User>,
    _ model: [User.ID: User],
    _ comment: Testing.Comment
  ) {
    let byKarma = model.values.sorted { ($0.karma, $0.id) < ($1.karma, $1.id) }
    #expect(Array(table[User.byKarma]) == byKarma, comment)
    for user in model.values {
      if let email = user.email { #expect(table[User.byEmail]["\(email)"] == user, comment) }
    }
    #expect(table[User.byEmail].count == model.values.count { $0.email != nil }, comment)
  }

  private func expectIndexes(
    of table: EntityTable<Post>,
    _ model: [Post.ID: Post],
    _ comment: Testing.Comment
  ) {
    let sorted = model.values.sorted { $0.id < $1.id }
    expectGroups(table[Post.byAuthor], Dictionary(grouping: sorted, by: \.author), comment)
    let edited = sorted.filter { $0.editor != nil }
    expectGroups(table[Post.byEditor], Dictionary(grouping: edited) { $0.editor ?? "" }, comment)
    let tagged = sorted.flatMap { post in Set(post.tags).map { ($0, post) } }
    let byTag = Dictionary(grouping: tagged, by: \.0).mapValues { $0.map(\.1) }
    expectGroups(table[Post.byTag], byTag, comment)
    let dated = model.values.sorted { ($0.date, $0.id) < ($1.date, $1.id) }
    expectGroups(table[Post.timeline], Dictionary(grouping: dated, by: \.author), comment)
    #expect(Array(table[Post.byDate]) == dated, comment)
    for post in sorted { #expect(table[Post.bySlug][post.slug] == post, comment) }
    #expect(table[Post.bySlug].count == model.count, comment)
    let pinned = model.values.compactMap { post in post.place.map { ($0, post) } }
    let inOrder = pinned.sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }.map(\.1)
    #expect(Array(table[Post.pinned]) == inOrder, comment)
  }

  private func expectIndexes(
    of table: EntityTable<Reply>,
    _ model: [Reply.ID: Reply],
    _ comment: Testing.Comment
  ) {
    let sorted = model.values.sorted { $0.id < $1.id }
    expectGroups(table[Reply.byPost], Dictionary(grouping: sorted, by: \.post), comment)
    let answers = sorted.filter { $0.answers != nil }
    expectGroups(
      table[Reply.byAnswered],
      Dictionary(grouping: answers) { $0.answers ?? 0 },
      comment
    )
    let liked = sorted.flatMap { reply in reply.likedBy.map { ($0, reply) } }
    let byLiker = Dictionary(grouping: liked, by: \.0).mapValues { $0.map(\.1) }
    expectGroups(table[Reply.byLiker], byLiker, comment)
  }

  private func expectGroups<Entity, Key>(
    _ groups: EntityGroups<Entity, Key>,
    _ expected: [Key: [Entity]],
    _ comment: Testing.Comment
  ) {
    #expect(Set(groups.keys) == Set(expected.keys), comment)
    #expect(groups.count == expected.count, comment)
    for (key, entities) in expected { #expect(Array(groups[key]) == entities, comment) }
  }
}

extension SocialModel {
  init(_ database: SocialDatabase) {
    self.init(
      users: Dictionary(uniqueKeysWithValues: database.users.map { ($0.id, $0) }),
      posts: Dictionary(uniqueKeysWithValues: database.posts.map { ($0.id, $0) }),
      replies: Dictionary(uniqueKeysWithValues: database.comments.map { ($0.id, $0) }),
      drafts: Dictionary(uniqueKeysWithValues: database.drafts.map { ($0.id, $0) })
    )
  }
}
