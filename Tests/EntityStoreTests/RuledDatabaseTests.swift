import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

private struct Guest: EntityType {
  static let tableName: TableName = "guests"
  let id: EntityID<Guest>
  var email: String

  static let byEmail = UniqueIndex(\Guest.email)
  static let indexes: EntityIndexes<Guest> = [byEmail]
}

private struct Room: EntityType {
  static let tableName: TableName = "rooms"
  let id: EntityID<Room>
}

private struct Hotel: DatabaseType {
  var guests = EntityTable<Guest>()
  var rooms = EntityTable<Room>()
  var suites = EntityTable<Room>()

  static let schema = DatabaseSchema<Hotel> {
    Entities(\.guests)
    Entities(\.rooms)
    Entities(\.suites, named: "suites")
  }
}

private struct HotelState: RuledStateType { var db = Hotel() }

private struct OpenHotelState: StateType { var db = Hotel() }

private typealias HotelStore = Store<HotelState, Never>

/// The rules of a database in a state that is ruled, and in one that is not.
@Suite struct RuledDatabaseTests {
  private let store = HotelStore(initialState: HotelState())
  private let guests: HotelStore.TableDispatcher<Guest>
  private let rooms: HotelStore.TableDispatcher<Room>
  private let refused = Recorder<RefusedCommit>()

  init() throws {
    guests = HotelStore.TableDispatcher<Guest>(targetStore: store, table: \.db.guests)
    rooms = guests.detached(to: \.db.rooms)
    store.refusedCommitHandler = { [refused] in refused.record($0) }
    store.databaseHook(\.db)
    try guests.insert(Guest(id: "ada", email: "a@x"))
  }

  private func expectViolation(_ commit: () throws -> Void) {
    #expect(throws: RuleViolation.self) { try commit() }
    #expect(store.changes.version == 1)
    #expect(refused.elements.isEmpty)
  }

  @Test func `a commit that breaks a rule throws where its closure cannot`() {
    expectViolation { try store.commit { $0.db.guests.insert(Guest(id: "b", email: "a@x")) } }
    expectViolation { try guests.commit { $0.insert(Guest(id: "b", email: "a@x")) } }
    expectViolation { try guests.insert(Guest(id: "b", email: "a@x")) }
  }

  @Test func `a commit over two tables throws`() {
    expectViolation {
      try rooms.commit(with: guests) { rooms, guests in
        rooms.insert(Room(id: "1"))
        guests.insert(Guest(id: "b", email: "a@x"))
      }
    }
    #expect(store.state.db.rooms.isEmpty)
  }

  @Test func `a commit over three tables throws`() {
    let suites = rooms.detached(to: \.db.suites)
    expectViolation {
      try rooms.commit(with: guests, suites) { rooms, guests, suites in
        rooms.insert(Room(id: "1"))
        guests.insert(Guest(id: "b", email: "a@x"))
        suites.insert(Room(id: "2"))
      }
    }
    #expect(store.state.db.rooms.isEmpty)
    #expect(store.state.db.suites.isEmpty)
  }

  @Test func `a commit over two tables that breaks no rule returns its value`() throws {
    let count = try rooms.commit(with: guests, "check in") { rooms, guests in
      rooms.insert(Room(id: "1"))
      guests.insert(Guest(id: "b", email: "b@x"))
      return rooms.count + guests.count
    }
    #expect(count == 3)
    #expect(store.changes.traces.first?.name == "check in")
  }

  @Test func `for another state the violation is rolled back and reported`() throws {
    let store = Store<OpenHotelState, Never>(initialState: OpenHotelState())
    store.refusedCommitHandler = { [refused] in refused.record($0) }
    store.databaseHook(\.db)
    let id = store.commit("book") { state -> Guest.ID in
      state.db.guests = [Guest(id: "a", email: "x"), Guest(id: "b", email: "x")]
      return "b"
    }
    #expect(store.state.db.guests[id] == nil)
    #expect(store.changes.version == 0)
    let violation = RuleViolation.notUnique(
      table: "guests",
      index: "email",
      key: "x",
      ids: ["a", "b"]
    )
    #expect(refused.elements.map { $0.error as? RuleViolation } == [violation])
    let text = refused.elements.map(\.description).joined()
    #expect(
      text.hasSuffix(
        """
        was refused: a and b in guests have the same key x of the unique index "guests.email". \
        Give all but one of them another key, or remove them. \
        Store<OpenHotelState, Never> is unchanged.
        """
      )
    )
  }
}
