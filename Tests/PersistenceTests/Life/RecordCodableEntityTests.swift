import Foundation
import Strata
import StrataInspection
import StrataPersistence
import StrataRecords
import StrataSQLite
import TestSupport
import Testing

/// Entities that write and read their records by hand: every path to and from the file does, and the
/// file has the same bytes.
struct RecordCodableEntityTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  @Test
  func `entities keep the law`() throws {
    try RecordCodableLaw.check([
      Note(id: 1, text: "a", tag: "b", place: Place(street: "c", floor: 2)), Note(id: 2, text: ""),
    ])
  }

  @Test
  func `references are written as the layout states them`() throws {
    try RecordCodableLaw.check([
      Reply(id: 1, note: 2, parent: 3, others: [4, 5]),
      Reply(id: 2, note: 7, parent: nil, others: []),
    ])
    let error = #expect(throws: RecordCodableViolation.self) {
      try RecordCodableLaw.check([RawReply(id: 1, note: 2)])
    }
    #expect(error?.description.contains("encode(record:) does not write") == true)
  }

  @Test
  func `a file has the same records, whether they are written by hand or by Codable`() async throws
  {
    let other = directory.path("other.strata")
    try await write(Self.notes, to: path)
    try await write(
      Self.notes.map {
        PlainNote(
          id: EntityID($0.id.raw),
          text: $0.text,
          tag: $0.tag,
          place: PlainNote.Place(street: $0.place.street, floor: $0.place.floor)
        )
      },
      to: other
    )
    let shown = try [path, other].map { try Inspector(path: $0).show(table: "notes") }
    #expect(shown[0].map { "\($0)" } == shown[1].map { "\($0)" })
    #expect(shown[0].count == 3)
    let deltas = try [path, other].map { try records(in: $0) }
    #expect(deltas[0] == deltas[1])
    #expect(deltas[0].count == 3)
  }

  @Test
  func `commits write by hand; restoring, history, deltas and versions read by hand`() async throws
  {
    try await write([Marking(id: 1, text: "a"), Marking(id: 2, text: "b")], to: path)
    let persistence = try await open(Marking.self, at: path)
    let store = Store<State<Marking>, Never>(persistence)
    // The first record of a table goes through Codable: it makes the layout, and shows the fields that
    // the type asks for.
    #expect(store.state.db.notes[1]?.text == "a")
    #expect(store.state.db.notes[2]?.text == "b, written, read")
    store.commit { $0.db.notes.insert(Marking(id: 3, text: "c")) }
    try await persistence.flush()
    var texts: [String] = []
    for try await delta in persistence.deltas() {
      for case .put(let note) in delta.changes.changes(of: Marking.self) { texts.append(note.text) }
    }
    #expect(texts == ["a, read", "b, written, read", "c, written, read"])
    let versions = try await persistence.history(of: Marking.ID(3))
    #expect(versions.map(\.content) == [.put(Marking(id: 3, text: "c, written, read"))])
    let notes = try Inspector(path: path).database(over: State<Marking>.Database(), at: 3).notes
    #expect(notes[1]?.text == "a, read")
    #expect(notes[3]?.text == "c, written, read")
    try await persistence.close()
  }

  @Test
  func `fields that the type does not know are kept by a put`() async throws {
    try await write(
      [LaterNote(id: 1, text: "a", priority: 1), LaterNote(id: 2, text: "b", priority: 2)],
      to: path
    )
    let persistence = try await open(Note.self, at: path)
    let store = Store<State<Note>, Never>(persistence)
    try store.commit { try $0.db.notes.update(2) { $0.text = "changed" } }
    try await persistence.close()
    let later = try await open(LaterNote.self, at: path)
    let notes = Store<State<LaterNote>, Never>(later).state.db.notes
    #expect(notes[2] == LaterNote(id: 2, text: "changed", priority: 2))
    #expect(notes[1] == LaterNote(id: 1, text: "a", priority: 1))
    try await later.close()
  }

  @Test
  func `a field that stored records lack comes from the defaults`() async throws {
    try await write(Self.notes, to: path)
    let persistence = try await open(DefaultedNote.self, at: path)
    let notes = Store<State<DefaultedNote>, Never>(persistence).state.db.notes
    #expect(notes.count == 3)
    #expect(notes[2] == DefaultedNote(id: 2, text: "two", level: 5))
    try await persistence.close()
  }

  @Test
  func `redacted and sealed tables are read as they were written`() async throws {
    let options: [TableOption<State<Note>.Database>] = [
      .redacted(\.notes) { $0.tag = nil }, .sealed(\.notes, with: ToyVault(key: 3)),
    ]
    try await write(Self.notes, to: path, options)
    #expect(try StoreBytes(path).files(holding: "second street") == [])
    let persistence = try await open(Note.self, at: path, options)
    let notes = Store<State<Note>, Never>(persistence).state.db.notes
    let expected = Self.notes.map { note in
      var note = note
      note.tag = nil
      return note
    }
    #expect(notes == EntityTable(expected))
    try await persistence.close()
  }

  private static let notes = [
    Note(id: 1, text: "one"),
    Note(id: 2, text: "two", tag: "t", place: Place(street: "second street")),
    Note(id: 3, text: "three", place: Place(street: "third", floor: 3)),
  ]

  private func open<Note: EntityType>(
    _ type: Note.Type,
    at path: String,
    _ tables: [TableOption<State<Note>.Database>] = []
  ) async throws -> Persistence<State<Note>, State<Note>.Database> {
    try await Persistence.open(
      at: path,
      initialState: State<Note>(),
      database: \.db,
      tables: tables
    )
  }

  /// One commit for each note.
  private func write<Note: EntityType>(
    _ notes: [Note],
    to path: String,
    _ tables: [TableOption<State<Note>.Database>] = []
  ) async throws {
    let persistence = try await open(Note.self, at: path, tables)
    let store = Store<State<Note>, Never>(persistence)
    for note in notes { store.commit { $0.db.notes.insert(note) } }
    try await persistence.close()
  }

  private func records(in path: String) throws -> [[UInt8]] {
    let connection = try Connection(path: path, mode: .readOnly)
    return try connection.all("SELECT body FROM delta ORDER BY revision", []) { try $0.blob(0) }
  }
}

private struct State<Note: EntityType>: StateType {
  struct Database: DatabaseType {
    var notes = EntityTable<Note>()
    static var schema: DatabaseSchema<Database> { DatabaseSchema { Entities(\.notes) } }
  }

  var db = Database()
}

private struct Place: RecordCodable, Equatable, Sendable {
  var street = ""
  var floor: Int?
}

extension Place {
  init(record: inout RecordFieldReader) throws {
    street = try record.decode("street")
    floor = try record.decodeIfPresent("floor")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("street", street)
    record.encodeIfPresent("floor", floor)
  }
}

private struct Note: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "notes"

  let id: EntityID<Note>
  var text: String
  var tag: String?
  var place = Place()
}

extension Note: RecordCodable {
  init(record: inout RecordFieldReader) throws {
    id = try record.decode("id")
    text = try record.decode("text")
    tag = try record.decodeIfPresent("tag")
    place = try record.decode("place")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("id", id)
    record.encode("text", text)
    record.encodeIfPresent("tag", tag)
    record.encode("place", place)
  }
}

private struct Reply: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "replies"

  let id: EntityID<Reply>
  var note: EntityID<Note>
  var parent: EntityID<Reply>?
  var others: [EntityID<Note>]
}

extension Reply: RecordCodable {
  init(record: inout RecordFieldReader) throws {
    id = try record.decode("id")
    note = try record.decode("note")
    parent = try record.decodeIfPresent("parent")
    others = try record.decode("others")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("id", id)
    record.encode("note", note)
    record.encodeIfPresent("parent", parent)
    record.encode("others", others)
  }
}

/// It writes a reference as a plain number.
private struct RawReply: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "replies"

  let id: EntityID<RawReply>
  var note: EntityID<Note>
}

extension RawReply: RecordCodable {
  init(record: inout RecordFieldReader) throws {
    id = try record.decode("id")
    note = try record.decode("note")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("id", id)
    record.encode("note", note.raw)
  }
}

/// The same, without a hand-written form.
private struct PlainNote: EntityType {
  struct Place: Codable, Equatable, Sendable {
    var street = ""
    var floor: Int?
  }

  typealias RawID = Int
  static let tableName: TableName = "notes"

  let id: EntityID<PlainNote>
  var text: String
  var tag: String?
  var place = Place()
}

private struct LaterNote: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "notes"

  let id: EntityID<LaterNote>
  var text: String
  var place = Place()
  var priority: Int?
}

private struct DefaultedNote: DefaultingEntityType {
  typealias RawID = Int
  static let tableName: TableName = "notes"
  static let defaults = DefaultedNote(id: 0, text: "", level: 5)

  let id: EntityID<DefaultedNote>
  var text: String
  var level: Int
}

extension DefaultedNote: RecordCodable {
  init(record: inout RecordFieldReader) throws {
    id = try record.decode("id")
    text = try record.decode("text")
    level = try record.decode("level")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("id", id)
    record.encode("text", text)
    record.encode("level", level)
  }
}

/// A type that breaks the law, and so shows which form was used.
private struct Marking: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "notes"

  let id: EntityID<Marking>
  var text: String
}

extension Marking: RecordCodable {
  init(record: inout RecordFieldReader) throws {
    id = try record.decode("id")
    let stored: String = try record.decode("text")
    text = stored + ", read"
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("id", id)
    record.encode("text", text + ", written")
  }
}
