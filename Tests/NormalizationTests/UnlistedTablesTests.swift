import StrataNormalization
import Testing

private struct Social: Equatable, Sendable {
  var posts = EntityTable<Post>()
  var archive = EntityTable<Post>()
}

/// A property wrapper, whose storage has another name than the property.
@propertyWrapper
private struct Kept<Value: Equatable & Sendable>: Equatable, Sendable {
  var wrappedValue: Value
}

@Suite struct UnlistedTablesTests {
  @Test func `a schema that lists every table is accepted`() throws {
    try SocialDatabase.checkSchema()
    struct Nested: DatabaseType {
      var users = EntityTable<User>()
      var social = Social()
      var title = "not a table"
      static let schema = DatabaseSchema<Nested> {
        Entities(\.users)
        Entities(\.social.posts)
        Entities(\.social.archive, named: "archive")
      }
    }
    try Nested.checkSchema()
  }

  @Test func `a table that is left out is named with the line to add`() {
    struct Partial: DatabaseType {
      var users = EntityTable<User>()
      var posts = EntityTable<Post>()
      static let schema = DatabaseSchema<Partial> { Entities(\.users) }
    }
    let error = #expect(throws: UnlistedTables.self) { try Partial.checkSchema() }
    #expect(error?.properties == ["posts"])
    #expect(error?.lines == [#"Entities(\.posts)"#])
    #expect(
      error?.description == #"""
        The schema of Partial does not list \.posts, so nothing of it would be stored. Add to the \#
        schema: Entities(\.posts)
        """#
    )
  }

  @Test func `two tables of one entity type, nested and wrapped, get lines with names`() {
    struct Partial: DatabaseType {
      var posts = EntityTable<Post>()
      var social = Social()
      @Kept(wrappedValue: EntityTable<User>()) var users
      static let schema = DatabaseSchema<Partial> { Entities(\.posts) }
    }
    let error = #expect(throws: UnlistedTables.self) { try Partial.checkSchema() }
    #expect(error?.properties == ["social.posts", "social.archive", "users.wrappedValue"])
    #expect(
      error?.lines == [
        #"Entities(\.social.posts, named: "social_posts")"#,
        #"Entities(\.social.archive, named: "social_archive")"#,
        #"Entities(\.users.wrappedValue)"#,
      ]
    )
  }

  @Test func `tables that are copies of one are distinguished`() {
    struct Copies: DatabaseType {
      private static let empty = EntityTable<Post>()
      var listed = Copies.empty
      var unlisted = Copies.empty
      static let schema = DatabaseSchema<Copies> { Entities(\.listed) }
    }
    let error = #expect(throws: UnlistedTables.self) { try Copies.checkSchema() }
    #expect(error?.properties == ["unlisted"])
  }
}
