import Foundation
import Strata
import StrataJournal
import StrataPersistence
import TestSupport
import Testing

/// Lists of values with a programming mistake.
struct ValueMistakeTests {
  @Test
  func `an empty name traps with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PersistedValue<SettingsState>("", \.volume)
    }
    #expect(result?.standardErrorContent.text.contains("must have a name") == true)
  }

  @Test
  func `two values of one name trap with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try SettingsFile()
      _ = try await file.open(values: [
        PersistedValue("x", \.volume), PersistedValue("x", \.recent),
      ])
    }
    #expect(result?.standardErrorContent.text.contains("under the name \"x\"") == true)
  }

  @Test
  func `a value in the database traps with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try SettingsFile()
      _ = try await Persistence.open(
        at: file.path,
        initialState: FlaggedState(),
        database: \.db,
        values: [PersistedValue("flag", \.db.flag)]
      )
    }
    #expect(result?.standardErrorContent.text.contains("is in the database") == true)
  }

  @Test
  func `a table with the name of a value is refused with the remedy`() async throws {
    let directory = try TemporaryDirectory()
    let error = await #expect(throws: PersistenceError.self) {
      try await Persistence.open(
        at: directory.path("app.strata"),
        initialState: FlaggedState(),
        database: \.misnamed
      )
    }
    #expect(error?.reason == .reservedName("value:books"))
    #expect(error?.description.contains("named: \"other_name\"") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
  }
}

struct FlaggedState: StateType {
  struct Flagged: DatabaseType {
    var books = EntityTable<Book>()
    var flag = false
    static let schema = DatabaseSchema<Flagged> { Entities(\.books) }
  }

  struct Misnamed: DatabaseType {
    var books = EntityTable<Book>()
    static let schema = DatabaseSchema<Misnamed> { Entities(\.books, named: "value:books") }
  }

  var db = Flagged()
  var misnamed = Misnamed()
  var noBooks = NoBooks()
}
