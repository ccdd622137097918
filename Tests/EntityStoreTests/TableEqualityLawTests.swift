import StrataBase
import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

/// Whether two tables of one origin are equal, asked by every door, against the bytes of their entities.
@Suite struct TableEqualityLawTests {
  /// An entity whose `==` compares only the ID.
  struct Note: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "notes"

    let id: EntityID<Note>
    var text = ""
    var isDone = false
    var value = 0.0
    var place: String?

    static func == (a: Note, b: Note) -> Bool { a.id == b.id }

    /// What the entity is, of which no two differ in nothing but their bytes.
    var bytes: [UInt64] {
      text.utf8.map(UInt64.init) + [isDone ? 1 : 0, value.bitPattern]
        + (place.map { $0.utf8.map(UInt64.init) } ?? [999])
    }
  }

  struct Database: DatabaseType {
    var notes = EntityTable<Note>()

    static let schema = DatabaseSchema<Database> { Entities(\.notes) }
  }

  struct State: ExtendedStateType {
    var db = Database()
    var count = 0

    struct Extended: ExtendedType {
      let notes = Field.Computed { TableEqualityLawTests.contents(of: $0.db.notes) }
        .ifChanged(selector: \.db.notes)

      init() {}
    }
  }

  final class NoteStore: Store<State, Never>, @unchecked Sendable {}

  /// How often each door has said that the table differs.
  struct Doors: Equatable {
    var changes = 0
    var derived = 0
    var computed: [Int: [UInt64]] = [:]
  }

  struct Program {
    let store = NoteStore(initialState: State())
    var random: SeededGenerator
    var older: [EntityTable<Note>] = []

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      if seed.isMultiple(of: 2) { store.databaseHook(\.db) }
    }

    mutating func note() -> Note {
      Note(
        id: EntityID(Int.random(in: 0..<6, using: &random)),
        text: ["", "\u{E9}", "e\u{301}", "a text of more than fifteen bytes"].randomElement(
          using: &random
        ) ?? "",
        isDone: Bool.random(using: &random),
        value: [0, -0.0, .nan, -.nan].randomElement(using: &random) ?? 0,
        place: [nil, "", "a"].randomElement(using: &random) ?? nil
      )
    }

    mutating func mutate(_ notes: inout EntityTable<Note>) throws {
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2: notes.insert(note())
      case 3: notes.remove(note().id)
      case 4: if let table = older.randomElement(using: &random) { notes = table }
      // Written again, from a copy.
      case 5: for note in Array(notes) { notes.insert(note) }
      case 6: try notes.updateAll { $0.value = -$0.value }
      default: notes.apply(to: older.randomElement(using: &random))
      }
    }
  }

  static func contents(of table: EntityTable<Note>) -> [Int: [UInt64]] {
    Dictionary(uniqueKeysWithValues: table.map { ($0.id.raw, $0.bytes) })
  }

  @Test func `every door says of two tables of one origin what their bytes say`() throws {
    let first = randomSeed()
    for seed in first..<first + UInt64(loopCount("STRATA_PROGRAMS", 1_000)) {
      var program = Program(seed: seed)
      let (store, doors) = (program.store, Lock(Doors()))
      var expected = Doors(changes: 1, derived: 1)
      let sink = store.sinkState { changes in
        changes.ifChanged(\.db.notes) { _ in doors.withLock { $0.changes += 1 } }
        doors.withLock { $0.computed = changes.computed.notes }
      }
      let derived = store.derived(.map(\.db.notes)).sinkValue { _ in
        doors.withLock { $0.derived += 1 }
      }
      for _ in 0..<8 {
        let old = store.state.db.notes
        program.older.append(old)
        try store.commit { state throws in
          state.count += 1
          try program.mutate(&state.db.notes)
        }
        let new = store.state.db.notes
        let isEqual = Self.contents(of: old) == Self.contents(of: new)
        expected.computed = Self.contents(of: new)
        if !isEqual {
          expected.changes += 1
          expected.derived += 1
        }
        #expect((old == new) == isEqual, "seed \(seed)")
        #expect(store.changes.hasChanges(\.db) == !isEqual, "seed \(seed)")
        // An entity that was written again may be among the changes.
        if !isEqual { #expect(!new.changes(from: old).isEmpty, "seed \(seed)") }
        #expect(doors.withLock { $0 } == expected, "seed \(seed)")
        for table in program.older {
          let isEqual = Self.contents(of: table) == Self.contents(of: new)
          #expect((table == new) == isEqual && (new == table) == isEqual, "seed \(seed)")
          #expect(
            Database(table).applying(ChangeSet(from: Database(table), to: Database(new))).notes
              == new
          )
        }
      }
      _ = (sink, derived)
    }
  }

  @Test func `tables that were built apart are compared by the entities' own equality`() {
    let (one, other) = (
      EntityTable([Note(id: 1, text: "a")]), EntityTable([Note(id: 1, text: "b")])
    )
    #expect(one == other)
    var changed = one
    changed.insert(Note(id: 1, text: "b"))
    #expect(changed != one)
    #expect(changed == other)
  }
}

extension TableEqualityLawTests.Database {
  init(_ notes: EntityTable<TableEqualityLawTests.Note>) { self.notes = notes }
}

extension EntityTable<TableEqualityLawTests.Note> {
  /// Makes the table equal to another one, entity by entity.
  mutating func apply(to other: EntityTable?) {
    guard let other else { return }
    for change in other.changes(from: self) {
      switch change {
      case .put(let note): insert(note)
      case .remove(let id): remove(id)
      }
    }
  }
}
