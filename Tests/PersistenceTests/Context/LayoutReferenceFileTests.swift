import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataRecords
import StrataSQLite
import TestSupport
import Testing

/// The references of entities in the layouts of their tables.
struct LayoutReferenceFileTests {
  private struct Shelf: EntityType {
    static let tableName: TableName = "shelves"
    let id: EntityID<Shelf>
    var parent: Shelf.ID?
    var books: [Book.ID] = []
    var ratings: [Book.ID: Int] = [:]
    var owners: [String: Author.ID] = [:]
  }

  private struct ShelfDatabase: DatabaseType {
    var shelves = EntityTable<Shelf>()
    static let schema = DatabaseSchema<ShelfDatabase> { Entities(\.shelves) }
  }

  private struct ShelfState: StateType {
    var db = ShelfDatabase()
    var selected: Shelf.ID?
  }

  let file: TestStore

  init() throws { file = try TestStore() }

  /// The references of a table's newest layout.
  private func references(of table: String) throws -> [String] {
    let view = try ReadView(try Connection(path: file.path, mode: .readOnly))
    return view.catalog.lastLayout(of: table)?.references.map(\.description) ?? []
  }

  @Test
  func `a layout names the tables that IDs refer to, and not the entity's own`() async throws {
    let persistence = try await Persistence.open(
      at: file.path,
      initialState: ShelfState(),
      database: \.db,
      values: [PersistedValue("selected", \.selected)]
    )
    let store = Store<ShelfState, Never>(persistence)
    store.commit { state in
      state.db.shelves.insert(
        Shelf(id: "b", parent: "a", books: [1], ratings: [1: 5], owners: ["x": "ann"])
      )
      state.selected = "b"
    }
    try await persistence.close()
    #expect(
      try references(of: "shelves") == [
        "parent → shelves", "books[] → books", "ratings{key} → books", "owners{value} → authors",
      ]
    )
    #expect(try references(of: "value:selected") == ["value → shelves"])
    let tables = try Inspector(path: file.path).tables()
    let fields = tables.first { $0.name == "shelves" }?.fields ?? []
    #expect(fields.map(\.references) == [nil, "shelves", "books", "keys books", "values authors"])
    #expect(fields.first { $0.name == "parent" }?.kind == "string")
    let again = try await Persistence.open(
      at: file.path,
      initialState: ShelfState(),
      database: \.db,
      values: [PersistedValue("selected", \.selected)]
    )
    #expect(again.initialState.db == store.state.db)
    #expect(again.initialState.selected == "b")
    try await again.close()
  }

  /// An entity that can refer to others in all ways.
  private struct Node: EntityType {
    static let tableName: TableName = "nodes"
    struct Place: Codable, Equatable, Sendable { var row = 0, node: Node.ID? }
    let id: EntityID<Node>
    var title = "between the fields"
    var parent: Node.ID?
    var neighbors: [Node.ID] = []
    var counts: [Node.ID: Int] = [:]
    var names: [String: Node.ID] = [:]
    var place = Place()
    var stack: [[Node.ID]] = []
  }

  private struct NodeDatabase: DatabaseType {
    var nodes = EntityTable<Node>()
    static let schema = DatabaseSchema<NodeDatabase> { Entities(\.nodes) }
  }

  private struct NodeState: StateType { var db = NodeDatabase() }

  @Test
  func `what refers to an entity is found in every kind of field`() async throws {
    let persistence = try await Persistence.open(
      at: file.path,
      initialState: NodeState(),
      database: \.db
    )
    let store = Store<NodeState, Never>(persistence)
    // The layout has all fields from the start.
    store.commit { state in
      let place = Node.Place(row: 1, node: "y")
      state.db.nodes.insert(
        Node(
          id: "0",
          parent: "y",
          neighbors: ["xx"],
          counts: ["X": 1],
          names: ["x": "y"],
          place: place,
          stack: [["y"]]
        )
      )
    }
    try await persistence.flush()
    store.commit { state in
      for node in [
        Node(id: "x"),
        Node(id: "a", parent: "x"), Node(id: "b", neighbors: ["y", "x"]),
        Node(id: "c", parent: "y", counts: ["y": 2, "x": 1]), Node(id: "d", names: ["home": "x"]),
        Node(id: "e", place: Node.Place(row: 3, node: "x")), Node(id: "f", stack: [[], ["x"]]),
        Node(id: "g", parent: "x", neighbors: ["x"]),
      ] { state.db.nodes.insert(node) }
    }
    try await persistence.close()
    let inspector = try Inspector(path: file.path)
    let references = try inspector.references(table: "nodes", id: "x")
    let incoming = references.incoming.map { "\($0.id.text ?? "") \($0.place)" }
    #expect(
      incoming == [
        "a parent → nodes", "b neighbors[] → nodes", "c counts{key} → nodes",
        "d names{value} → nodes", "e place.node → nodes", "f stack[][] → nodes",
        "g parent → nodes",
      ]
    )
    #expect(references.outgoing.isEmpty)
    let first = try inspector.references(table: "nodes", id: "x", limit: 2)
    #expect(first.incoming.count == 2)
    #expect(first.isCut)
  }

  @Test
  func `a table of an older file gets its references with the next record, and keeps its records`()
    async throws
  {
    // As an older build wrote it: the same fields, with texts in place of IDs.
    struct OldBook: EntityType {
      typealias RawID = Int
      static let tableName: TableName = "books"
      let id: EntityID<OldBook>
      var title: String
      var author: String
      var rating: Double?
    }
    struct Old: DatabaseType {
      var books = EntityTable<OldBook>()
      static let schema = DatabaseSchema<Old> { Entities(\.books) }
    }
    struct OldState: StateType { var db = Old() }
    let old = try await Persistence.open(
      at: file.path,
      initialState: OldState(),
      database: \.db
    )
    Store<OldState, Never>(old).commit { state in
      for number in 1...3 {
        state.db.books.insert(
          OldBook(id: EntityID(number), title: "t", author: "ann", rating: 1)
        )
      }
    }
    try await old.close()
    #expect(try references(of: "books") == [])
    try await file.run([]) { store, persistence throws in
      #expect(persistence.revision == 1)
      store.commit { $0.db.books.insert(Book(id: 4, title: "t", author: "bob", rating: 2)) }
      for number in 5...200 {
        store.commit { $0.db.books.insert(Book(id: EntityID(number), author: "bob")) }
      }
    }
    #expect(try references(of: "books") == ["author → authors"])
    #expect(try Inspector(path: file.path).info().layouts == 2)
    try await file.run([]) { store, _ throws in
      #expect(store.state.db.books[1] == Book(id: 1, title: "t", author: "ann", rating: 1))
      #expect(store.state.db.books.count == 200)
    }
  }
}
