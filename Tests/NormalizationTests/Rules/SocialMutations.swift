import StrataNormalization
import TestSupport

/// Random edits of a social database and of its model, the same for both.
///
/// There are few IDs and keys, so that edits collide.
struct SocialMutations {
  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  mutating func mutate(
    _ database: inout SocialDatabase,
    _ model: inout SocialModel,
    older: [(SocialDatabase, SocialModel)]
  ) throws {
    switch number(below: 24) {
    case 0...3: put(post(), &database.posts, &model.posts)
    case 4...5: put(user(), &database.users, &model.users)
    case 6...8: put(reply(), &database.comments, &model.replies)
    case 9: put(post(), &database.drafts, &model.drafts)
    case 10...12: try updatePost(&database, &model)
    case 13:
      let (id, likers) = (replyID(), userID())
      try database.comments.updateIfExists(id) { $0.likedBy.insert(likers) }
      model.replies[id]?.likedBy.insert(likers)
    case 14: remove(userID(), &database.users, &model.users)
    case 15...16: remove(postID(), &database.posts, &model.posts)
    case 17: remove(replyID(), &database.comments, &model.replies)
    case 18...19: try pin(&database, &model)
    case 20: assign(&database, &model, older)
    case 21: try batch(&database, &model, older)
    case 22:
      let posts = (0..<number(below: 6)).map { _ in post() }
      database.drafts = EntityTable(posts)
      model.drafts = Dictionary(posts.map { ($0.id, $0) }) { $1 }
    default:
      database.comments.removeAll { $0.author == nil }
      model.replies = model.replies.filter { $0.value.author != nil }
    }
  }

  private func put<Entity>(
    _ entity: Entity,
    _ table: inout EntityTable<Entity>,
    _ model: inout [EntityID<Entity>: Entity]
  ) {
    table.insert(entity)
    model[entity.id] = entity
  }

  private func remove<Entity>(
    _ id: EntityID<Entity>,
    _ table: inout EntityTable<Entity>,
    _ model: inout [EntityID<Entity>: Entity]
  ) {
    table.remove(id)
    model[id] = nil
  }

  private mutating func updatePost(
    _ database: inout SocialDatabase,
    _ model: inout SocialModel
  ) throws {
    let (id, new) = (postID(), post())
    let change: (inout Post) -> Void = { post in
      post.author = new.author
      post.tags = new.tags
      post.date = new.date
    }
    try database.posts.updateIfExists(id, change)
    if var post = model.posts[id] {
      change(&post)
      model.posts[id] = post
    }
  }

  private mutating func pin(_ database: inout SocialDatabase, _ model: inout SocialModel) throws {
    let (id, position) = (postID(), number(below: 4))
    guard database.posts.contains(id) else { return }
    switch number(below: 3) {
    case 0: try database.posts.append(id, to: Post.pinned)
    case 1: try database.posts.move(id, to: position, in: Post.pinned)
    default: try database.posts.remove(id, from: Post.pinned)
    }
    // The table chooses the place; `ManualOrderTests` check it.
    for post in database.posts { model.posts[post.id]?.place = post.place }
  }

  private mutating func assign(
    _ database: inout SocialDatabase,
    _ model: inout SocialModel,
    _ older: [(SocialDatabase, SocialModel)]
  ) {
    guard let (old, oldModel) = older.randomElement(using: &generator) else { return }
    switch number(below: 4) {
    case 0: (database.posts, model.posts) = (old.posts, oldModel.posts)
    case 1: (database.drafts, model.drafts) = (old.posts, oldModel.posts)
    case 2:
      database.comments = EntityTable(old.comments.shuffled(using: &generator))
      model.replies = oldModel.replies
    default: (database, model) = (old, oldModel)
    }
  }

  private mutating func batch(
    _ database: inout SocialDatabase,
    _ model: inout SocialModel,
    _ older: [(SocialDatabase, SocialModel)]
  ) throws {
    let isAborted = number(below: 2) == 0
    var (edited, mutations) = (model, self)
    do {
      try database.performBatchUpdates { context in
        for _ in 0..<3 {
          var whole = SocialDatabase()
          whole.posts = context.posts
          whole.users = context.users
          whole.comments = context.comments
          whole.drafts = context.drafts
          try mutations.mutate(&whole, &edited, older: older)
          context.posts = whole.posts
          context.users = whole.users
          context.comments = whole.comments
          context.drafts = whole.drafts
        }
        if isAborted { try context.abort() }
      }
      model = edited
    } catch is BatchAborted {}
    generator = mutations.generator
  }

  private mutating func userID() -> User.ID { User.ID("u\(number(below: 5))") }
  private mutating func postID() -> Post.ID { Post.ID("p\(number(below: 8))") }
  private mutating func replyID() -> Reply.ID { Reply.ID(number(below: 12)) }

  private mutating func user() -> User {
    let email = number(below: 3) == 0 ? nil : "e\(number(below: 12))"
    return User(id: userID(), email: email, karma: Double(number(below: 4)))
  }

  private mutating func post() -> Post {
    Post(
      postID().raw,
      by: userID(),
      editor: number(below: 2) == 0 ? userID() : nil,
      tags: (0..<number(below: 4)).map { _ in "t\(number(below: 4))" },
      slug: "s\(number(below: 30))",
      date: number(below: 5)
    )
  }

  private mutating func reply() -> Reply {
    Reply(
      id: replyID(),
      post: postID(),
      author: number(below: 3) == 0 ? nil : userID(),
      answers: number(below: 2) == 0 ? nil : replyID(),
      likedBy: number(below: 2) == 0 ? [userID()] : []
    )
  }
}
