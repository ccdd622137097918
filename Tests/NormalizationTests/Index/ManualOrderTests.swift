import StrataNormalization
import TestSupport
import Testing

@Suite struct ManualOrderTests {
  var posts = EntityTable((0..<10).map { Post("p\($0)") })

  @Test func `nobody is in the list at first`() {
    #expect(posts[Post.pinned].isEmpty)
  }

  @Test mutating func `what is appended is last`() throws {
    for id in ["p3", "p1", "p2"] as [Post.ID] { try posts.append(id, to: Post.pinned) }
    #expect(posts[Post.pinned].map(\.id) == ["p3", "p1", "p2"])
    try posts.append("p3", to: Post.pinned)
    #expect(posts[Post.pinned].map(\.id) == ["p1", "p2", "p3"])
  }

  @Test mutating func `several are appended in their order`() throws {
    try posts.append(contentsOf: ["p3", "p1", "p2"], to: Post.pinned)
    #expect(posts[Post.pinned].map(\.id) == ["p3", "p1", "p2"])
    try posts.append(contentsOf: ["p4", "p3", "p4"], to: Post.pinned)
    #expect(posts[Post.pinned].map(\.id) == ["p1", "p2", "p3", "p4"])
  }

  @Test mutating func `nothing is appended when one is absent`() throws {
    try posts.append("p3", to: Post.pinned)
    #expect(throws: EntityError.notFound(table: "posts", id: "absent")) {
      try posts.append(contentsOf: ["p1", "absent"], to: Post.pinned)
    }
    #expect(posts[Post.pinned].map(\.id) == ["p3"])
  }

  @Test mutating func `all leave the list and stay in the table`() throws {
    try posts.append(contentsOf: posts.ids.sorted(), to: Post.pinned)
    #expect(posts[Post.pinned].count == 10)
    posts.removeAll(from: Post.pinned)
    #expect(posts[Post.pinned].isEmpty)
    #expect(posts.count == 10)
    #expect(posts.allSatisfy { $0.place == nil })
  }

  @Test mutating func `an entity leaves the list and stays in the table`() throws {
    try posts.append("p3", to: Post.pinned)
    try posts.remove("p3", from: Post.pinned)
    #expect(posts[Post.pinned].isEmpty)
    #expect(posts["p3"] != nil)
  }

  @Test mutating func `an entity that is removed has left the list`() throws {
    for id in ["p3", "p1", "p2"] as [Post.ID] { try posts.append(id, to: Post.pinned) }
    posts.remove("p1")
    #expect(posts[Post.pinned].map(\.id) == ["p3", "p2"])
  }

  @Test mutating func `an entity that is absent is refused`() throws {
    #expect(throws: EntityError.self) { try posts.append("absent", to: Post.pinned) }
    #expect(throws: EntityError.self) { try posts.move("absent", to: 0, in: Post.pinned) }
    #expect(throws: EntityError.self) { try posts.remove("absent", from: Post.pinned) }
  }

  @Test func `moving is removing and inserting, and writes one entity`() throws {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 100)) {
      var generator = SeededGenerator(seed: seed)
      var posts = posts
      var list: [Post.ID] = []
      for _ in 0..<100 {
        let id = Post.ID("p\(Int.random(in: 0..<10, using: &generator))")
        let position = Int.random(in: 0...12, using: &generator)
        let old = posts
        try posts.move(id, to: position, in: Post.pinned)
        list.removeAll { $0 == id }
        list.insert(id, at: min(position, list.count))
        #expect(Array(posts[Post.pinned].ids) == list, "\(generator)")
        #expect(posts.changes(from: old).count <= 1, "\(generator)")
      }
    }
  }

  @Test mutating func `an entity moves between two that were given one place`() throws {
    let place = Rank(after: nil, before: nil)
    for id in ["p1", "p2", "p3", "p4"] as [Post.ID] { try posts.update(id) { $0.place = place } }
    try posts.append("p5", to: Post.pinned)
    try posts.move("p0", to: 2, in: Post.pinned)
    #expect(posts[Post.pinned].map(\.id) == ["p1", "p2", "p0", "p3", "p4", "p5"])
  }
}
