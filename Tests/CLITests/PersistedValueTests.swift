import Foundation
import Strata
import Testing

/// How `strata` shows persisted values.
@Suite struct PersistedValueTests {
  let path: String
  let folder: Folder

  init() async throws {
    folder = try Folder()
    path = folder.path("app.strata")
    let persistence = try await Persistence.open(
      at: path,
      initialState: StateWithValues(),
      database: \.db,
      values: [
        PersistedValue("settings", \.settings), PersistedValue("login", \.login),
        PersistedValue("volume", \.volume),
      ],
      configuration: PersistenceConfiguration(
        now: { Date(timeIntervalSince1970: 1_770_000_000) }
      )
    )
    let store = Store<StateWithValues, Never>(persistence)
    store.commit("set", fileID: "App/Users.swift", function: "set()", line: 12) {
      $0.settings.theme = "dark"
      $0.volume = 11
      $0.db.users.insert(User(id: 1, name: "Ida"))
    }
    try await persistence.close()
  }

  @Test func `values come after the tables`() async throws {
    let tables = try await Program.strata("tables", path)
    let lines = tables.output.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.split(separator: " ").filter { !["bytes"].contains($0) }.joined(separator: " ")
    }
    #expect(
      lines.map { $0.split(separator: " ").first.map(String.init) ?? "" } == [
        "table", "notes", "users", "", "value", "value:login", "value:settings", "value:volume", "",
      ]
    )
    #expect(lines[4] == "value size fields")
    #expect(lines[6].hasSuffix("theme string, size int64"))
    #expect(lines[7].hasSuffix("int64"))
    let json = try await Program.strata("tables", path, "--json").output
    #expect(try member("1", "kind", of: json) == "entities")
    #expect(try member("3", "kind", of: json) == "value")
    #expect(try member("3", "name", of: json) == "value:settings")
  }

  @Test func `a value is shown field by field, without an ID`() async throws {
    let shown = try await Program.strata("show", path, "value:settings")
    #expect(shown == Program(status: 0, output: "theme: dark\nsize:  3\n", errors: ""))
    #expect(try await Program.strata("show", path, "value:volume").output == "11\n")
    #expect(try await Program.strata("show", path, "value:login").output == "null\n")
  }

  @Test func `the JSON of a value is the value`() async throws {
    let shown = try await Program.strata("show", path, "value:settings", "--json")
    #expect(try canonicalJSON(shown.output) == #"{"size":3,"theme":"dark"}"#)
    #expect(try await Program.strata("show", path, "value:volume", "--json").output == "11\n")
  }

  @Test func `info and log name values`() async throws {
    let info = try await Program.strata("info", path).output
    #expect(info.contains("\ntables     notes, users\nvalues     login, settings, volume\n"))
    let log = try await Program.strata("log", path).output
    #expect(
      log == """
        1  2026-02-02 02:40:00.000Z  set  App/Users.swift:12 set()
          users           +1 inserted (1)
          value:settings  changed
          value:volume    changed

        """
    )
    #expect(try await Program.strata("verify", path).status == 0)
  }
}

private struct StateWithValues: StateType {
  struct Settings: Codable, Equatable, Sendable {
    var theme = "light"
    var size = 3
  }

  var db = SampleDatabase()
  var settings = Settings()
  var login: Settings?
  var volume = 10
}
