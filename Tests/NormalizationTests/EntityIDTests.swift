import Foundation
import StrataNormalization
import TestSupport
import Testing

@Suite struct EntityIDTests {
  func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  @Test func `an ID made of text is a text literal`() {
    let id: Author.ID = "lem"
    #expect(id == EntityID("lem"))
  }

  @Test func `an ID made of a number is a number literal`() {
    let id: Book.ID = 42
    #expect(id == EntityID(42))
  }

  @Test func `an ID gives its raw value`() throws {
    let uuid = UUID()
    #expect(Loan.ID(uuid).raw == uuid)
  }

  @Test func `an ID prints as its raw value`() {
    let author: Author.ID = "lem"
    let book: Book.ID = 42
    #expect(["\(author)", "\(book)"] == ["lem", "42"])
  }

  @Test func `an ID made of text is coded as the text`() throws {
    #expect(try json(["lem"] as [Author.ID]) == #"["lem"]"#)
  }

  @Test func `an ID made of a number is coded as the number`() throws {
    #expect(try json([42] as [Book.ID]) == "[42]")
  }

  @Test func `an ID made of a UUID is coded as the UUID`() throws {
    let uuid = UUID()
    #expect(try json([Loan.ID(uuid)]) == json([uuid]))
  }

  @Test func `an ID is coded as its encoder codes the raw type`() throws {
    let data = Data([1, 2, 3])
    #expect(try json([Blob.ID(data)]) == json([data]))
  }

  @Test func `decoding reverses encoding`() throws {
    let ids = [Blob.ID(Data([1, 2, 3])), Blob.ID(Data())]
    let decoded = try JSONDecoder().decode([Blob.ID].self, from: JSONEncoder().encode(ids))
    #expect(decoded == ids)
  }

  @Test func `an entity is coded with its ID as a plain field`() throws {
    let json = #"{"id":"lem","name":"Lem"}"#
    let author = try JSONDecoder().decode(Author.self, from: Data(json.utf8))
    #expect(author == Author(id: "lem", name: "Lem"))
  }

  @Test func `IDs are ordered as their raw values`() {
    let ids: [Book.ID] = [10, 9, 1]
    #expect(ids.sorted() == [1, 9, 10])
  }
}
