import StrataNormalization
import TestSupport
import Testing

@Suite struct EntityTableTests {
  struct Refusal: Error, Equatable {}

  let lem = Author(id: "lem", name: "Lem")
  let ada = Author(id: "ada", name: "Ada")

  @Test func `a new table is empty`() {
    let table = EntityTable<Author>()
    #expect(table.isEmpty)
    #expect(table.count == 0)
  }

  @Test func `an inserted entity is found by its ID`() {
    var table = EntityTable<Author>()
    table.insert(lem)
    #expect(table["lem"] == lem)
    #expect(table.find(by: "lem") == lem)
  }

  @Test func `an absent ID finds nothing`() {
    let table: EntityTable = [lem]
    #expect(table["ada"] == nil)
    #expect(table.find(by: "ada") == nil)
  }

  @Test func `inserting over an entity replaces it`() {
    var table: EntityTable = [lem]
    table.insert(Author(id: "lem", name: "Stanisław"))
    #expect(Array(table) == [Author(id: "lem", name: "Stanisław")])
  }

  @Test func `of two inserted entities with one ID the later stays`() {
    var table = EntityTable<Author>()
    table.insert(contentsOf: [lem, Author(id: "lem", name: "Stanisław")])
    #expect(Array(table) == [Author(id: "lem", name: "Stanisław")])
  }

  @Test func `a table of a sequence keeps the later of two with one ID`() {
    let table = EntityTable([lem, Author(id: "lem", name: "Stanisław")])
    #expect(Array(table) == [Author(id: "lem", name: "Stanisław")])
  }

  @Test func `find(in:) keeps the order asked for and leaves absent ones out`() {
    let table: EntityTable = [lem, ada]
    #expect(table.find(in: ["ada", "eco", "lem"]) == [ada, lem])
  }

  @Test func `find(in:) gives an entity as often as it is asked for`() {
    let table: EntityTable = [lem]
    #expect(table.find(in: ["lem", "lem"]) == [lem, lem])
  }

  @Test func `ids are all IDs`() {
    let table: EntityTable = [lem, ada]
    #expect(Set(table.ids) == ["ada", "lem"])
  }

  @Test func `contains tells who is there`() {
    let table: EntityTable = [lem]
    #expect(table.contains("lem"))
    #expect(!table.contains("ada"))
  }

  @Test func `a table goes through all its entities`() {
    let table: EntityTable = [lem, ada]
    #expect(table.sorted { $0.id < $1.id } == [ada, lem])
  }

  @Test func `the estimate of a table's length is exact`() {
    let table: EntityTable = [lem, ada]
    #expect(table.underestimatedCount == 2)
  }

  @Test func `update changes the entity and returns what its closure returns`() throws {
    var table: EntityTable = [lem]
    let old = try table.update("lem") { author in
      defer { author.name = "Stanisław" }
      return author.name
    }
    #expect(old == "Lem")
    #expect(table["lem"]?.name == "Stanisław")
  }

  @Test func `update of an absent entity throws`() {
    var table = EntityTable<Author>()
    #expect(throws: EntityError.notFound(table: "authors", id: "lem")) {
      try table.update("lem") { $0.name = "Stanisław" }
    }
  }

  @Test func `update that changes the ID throws and changes nothing`() {
    var table: EntityTable = [lem]
    #expect(throws: EntityError.idChanged(table: "authors", from: "lem", to: "ada")) {
      try table.update("lem") { [ada] in $0 = ada }
    }
    #expect(table == [lem])
  }

  @Test func `update rethrows and changes nothing`() {
    var table: EntityTable = [lem]
    #expect(throws: Refusal()) {
      try table.update("lem") { author in
        author.name = "Stanisław"
        throw Refusal()
      }
    }
    #expect(table == [lem])
  }

  @Test func `updateIfExists gives the entity as it is then`() throws {
    var table: EntityTable = [lem]
    let updated = try table.updateIfExists("lem") { $0.name = "Stanisław" }
    #expect(updated == Author(id: "lem", name: "Stanisław"))
    #expect(table["lem"] == updated)
  }

  @Test func `updateIfExists of an absent entity gives nil and does not call`() throws {
    var table = EntityTable<Author>()
    let updated = try table.updateIfExists("lem") { _ in throw Refusal() }
    #expect(updated == nil)
    #expect(table.isEmpty)
  }

  @Test func `updateIfExists that changes the ID throws and changes nothing`() {
    var table: EntityTable = [lem]
    #expect(throws: EntityError.idChanged(table: "authors", from: "lem", to: "ada")) {
      try table.updateIfExists("lem") { [ada] in $0 = ada }
    }
    #expect(table == [lem])
  }

  @Test func `updateIfExists rethrows and changes nothing`() {
    var table: EntityTable = [lem]
    #expect(throws: Refusal()) { try table.updateIfExists("lem") { _ in throw Refusal() } }
    #expect(table == [lem])
  }

  @Test func `remove gives the entity back`() {
    var table: EntityTable = [lem, ada]
    #expect(table.remove("lem") == lem)
    #expect(table == [ada])
  }

  @Test func `remove of an absent entity gives nil`() {
    var table: EntityTable = [lem]
    #expect(table.remove("ada") == nil)
    #expect(table == [lem])
  }

  @Test func `remove(in:) passes over absent ones`() {
    var table: EntityTable = [lem, ada]
    table.remove(in: ["lem", "eco"])
    #expect(table == [ada])
  }

  @Test func `an entity removed and then updated if it exists stays removed`() throws {
    var table: EntityTable = [lem]
    table.remove("lem")
    #expect(try table.updateIfExists("lem") { $0.name = "Stanisław" } == nil)
    #expect(table.isEmpty)
  }

  @Test func `removeAll removes all`() {
    var table: EntityTable = [lem, ada]
    table.removeAll()
    #expect(table == [])
  }

  @Test func `an insert after removeAll stays`() {
    var table: EntityTable = [lem, ada]
    table.removeAll()
    table.insert(lem)
    #expect(table == [lem])
  }

  @Test func `a copy does not see later writes`() {
    var table: EntityTable = [lem]
    let copy = table
    table.insert(ada)
    table.remove("lem")
    #expect(copy == [lem])
  }

  @Test func `tables with the same entities are equal whatever their history`() {
    var table: EntityTable = [ada]
    table.insert(lem)
    table.remove("ada")
    #expect(table == [lem])
  }

  @Test func `tables with different entities are not equal`() {
    let table: EntityTable = [lem]
    #expect(table != [ada])
    #expect(table != [Author(id: "lem", name: "Stanisław")])
  }

  @Test func `a table prints as its name and count`() {
    let table: EntityTable = [lem, ada]
    #expect("\(table)" == "authors (2)")
  }

  @Test func `an error says what to do`() {
    let error = EntityError.notFound(table: "authors", id: "lem")
    #expect(
      "\(error)" == """
        There is no entity lem in authors. Insert it first, or use updateIfExists where it may be \
        absent.
        """
    )
  }
}
