#if Macros
  import Foundation
  import Strata
  import Testing

  @Entity("readers")
  private struct Reader {
    let id: EntityID<Reader>
    var name: String
    var email: String?
    var address: Address
    var plan = Plan.free
  }

  @Record
  private struct Address: Equatable {
    var street: String
    var city: String
  }

  @Record
  private enum Plan: Equatable {
    case free
    case paid(until: Date, seats: Int)
  }

  @Entity("articles")
  private struct Article {
    static let byAuthor = GroupIndex(\Article.author)
    static let indexes: EntityIndexes<Article> = [byAuthor]

    typealias RawID = Int64

    let id: EntityID<Article>
    var author: EntityID<Reader>
    var text: String
  }

  /// The entity of README.md.
  @Entity("notes")
  private struct Note {
    let id: EntityID<Note>
    var text: String
  }

  /// The entity of the tutorial.
  @Entity("books")
  private struct Book {
    let id: EntityID<Book>
    var title: String
    var author: String
  }

  /// The examples of the page "Entities by macro".
  struct EntityMacroPage {
    @Test func `readers have the records of Codable`() throws {
      let address = Address(street: "Main Street", city: "Arlington")
      try RecordCodableLaw.check([
        Reader(id: "1", name: "Ada", email: nil, address: address),
        Reader(
          id: "2",
          name: "Grace",
          email: "g@example.org",
          address: address,
          plan: .paid(until: Date(timeIntervalSinceReferenceDate: 0), seats: 3)
        ),
      ])
    }

    @Test func `the other examples have the records of Codable too`() throws {
      try RecordCodableLaw.check([Note(id: "1", text: "a")])
      try RecordCodableLaw.check([Book(id: "1", title: "Momo", author: "Michael Ende")])
      try RecordCodableLaw.check([Article(id: 1, author: "1", text: "a")])
    }
  }
#endif
