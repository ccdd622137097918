import Dispatch
import Foundation
import StrataBase
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

  @Test func `a random ID of text is a UUID of version 7 in lower case`() throws {
    let id = Author.ID.random()
    let uuid = try #require(UUID(uuidString: id.raw))
    #expect(id.raw == uuid.uuidString.lowercased())
    #expect(uuid.uuid.6 >> 4 == 7)
    #expect(uuid.uuid.8 >> 6 == 2)
  }

  @Test func `random IDs sort in the order of their making`() {
    let ids = (0..<10_000).map { _ in Loan.ID.random() }
    let texts = (0..<10_000).map { _ in Author.ID.random() }
    #expect(ids.map(\.raw.uuidString) == ids.map(\.raw.uuidString).sorted())
    #expect(texts == texts.sorted())
    #expect(Set(ids).count == 10_000)
    #expect(Set(texts).count == 10_000)
  }

  @Test func `random IDs of several threads differ`() {
    let made = Lock<Set<Loan.ID>>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let ids = Set((0..<1_000).map { _ in Loan.ID.random() })
      made.withLock { $0.formUnion(ids) }
    }
    #expect(made.withLock { $0.count } == 8_000)
  }

  @Test func `a random ID made at a time starts with its milliseconds and their fraction`() throws {
    var generator = SeededGenerator(seed: 1)
    // The example of RFC 9562, appendix A.6, has this time.
    let time = Date(timeIntervalSince1970: 1_645_557_742.0005)
    let id = Loan.ID.random(at: time, using: &generator)
    #expect(id.raw.uuidString.hasPrefix("017F22E2-79B0-7800-"))
    var same = SeededGenerator(seed: 1)
    #expect(Author.ID.random(at: time, using: &same).raw == id.raw.uuidString.lowercased())
    let later = Loan.ID.random(at: time + 0.000_001, using: &generator)
    #expect(later.raw.uuidString > id.raw.uuidString)
  }

  @Test func `the clock of IDs never repeats and never goes back`() {
    var clock = UUIDClock()
    let now = Date(timeIntervalSince1970: 1_000)
    let ticks = [0, 0, -60, 0.001, 0].map { clock.next(at: now + $0) }
    let first = UUIDClock.tick(of: now)
    #expect(ticks == [first, first + 1, first + 2, first + 4_096, first + 4_097])
  }

  @Test(arguments: [-1, -.infinity, .nan] as [Double])
  func `a time before 1970 counts as 1970`(seconds: Double) {
    #expect(UUIDClock.tick(of: Date(timeIntervalSince1970: seconds)) == 0)
  }

  @Test func `a time that no UUID can hold counts as the last`() {
    #expect(UUIDClock.tick(of: Date(timeIntervalSince1970: .infinity)) == 1 << 60 - 1)
  }
}
