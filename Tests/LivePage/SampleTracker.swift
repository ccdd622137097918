#if Inspector
  import Strata
  import StrataPersistence
  import TestSupport

  /// A store that has what the views of the page must show: many versions, cleared fields, removed entities, long
  /// texts, lists, emoji, users, and a commit of a megabyte.
  struct SampleTracker {
    struct Person: EntityType {
      typealias RawID = String
      static let tableName: TableName = "people"

      let id: EntityID<Person>
      var name = ""
      var email: String?
    }

    struct Issue: EntityType {
      typealias RawID = Int
      static let tableName: TableName = "issues"

      let id: EntityID<Issue>
      var title = ""
      var state = "open"
      var assignee: Person.ID?
      var labels: [String] = []
      var note: String?
      var estimate: Double?
      var text = ""
    }

    struct Tables: DatabaseType {
      var people = EntityTable<Person>()
      var issues = EntityTable<Issue>()

      static let schema = DatabaseSchema<Tables> {
        Entities(\.people)
        Entities(\.issues)
      }
    }

    struct State: StateType {
      var db = Tables()
    }

    private let store: Store<State, Never>

    /// Makes the store at a path and closes it.
    static func make(at path: String) async throws {
      try await withPersistence(
        at: path,
        initialState: State(),
        database: \.db,
        configuration: PersistenceConfiguration(
          snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
        ),
        store: { Store<State, Never>($0) }
      ) { store in SampleTracker(store: store).commitAll() }
    }

    private func commit(
      _ name: String,
      by user: String? = nil,
      _ function: StaticString,
      _ line: UInt,
      _ body: (inout State) -> Void
    ) {
      store.commit(
        name,
        context: user.map { CommitContext(user: $0, request: "r-\(line)") },
        fileID: "Tracker/Issues.swift",
        function: function,
        line: line
      ) { body(&$0) }
    }

    private func change(_ issue: Int, _ state: inout State, _ body: (inout Issue) -> Void) {
      _ = try? state.db.issues.updateIfExists(EntityID(issue)) { body(&$0) }
    }

    private func commitAll() {
      commit("found", "found()", 3) { state in
        for name in ["ada", "ben", "cleo"] {
          state.db.people.insert(
            Person(id: EntityID(name), name: "\(name) 👩‍👩‍👧", email: "\(name)@example.org")
          )
        }
      }
      let text = String(repeating: "The quick brown fox jumps over the lazy dog 🦊. ", count: 6)
      commit("import", by: "importer", "run()", 5) { state in
        for number in 1...120 {
          state.db.issues.insert(
            Issue(
              id: EntityID(number),
              title: "Issue \(number)",
              assignee: number.isMultiple(of: 3) ? nil : "ada",
              labels: ["app", "ui", "slow"],
              note: number.isMultiple(of: 2) ? "" : "first note",
              estimate: Double(number) / 4,
              text: "\(text)😀 here.\nSecond line of \(number).\nThird line."
            )
          )
        }
      }
      // The first half of both emoji is the same one in UTF-16.
      commit("edit text", by: "ada", "edit(_:)", 21) { state in
        change(7, &state) {
          $0.text = "\(text)😁 here.\nSecond line, changed.\nThird line.\nFourth line 👩‍👩‍👦."
          $0.labels = ["app", "quick", "ui", "crash"]
        }
      }
      commit("close", by: "ben", "close()", 22) { state in
        change(7, &state) { $0.state = "closed" }
      }
      for round in 1...200 {
        commit("estimate", by: round.isMultiple(of: 7) ? "cleo" : nil, "estimate(_:)", 34) {
          state in
          change(7, &state) { $0.estimate = Double(round) }
        }
      }
      commit("clear the note", by: "cleo", "clearNote()", 41) { state in
        change(7, &state) { $0.note = nil }
      }
      commit("drop", by: "wilma", "drop(_:)", 9) { $0.db.issues.remove(9) }
      commit("attach", by: "importer", "attach()", 55) { state in
        for number in 1_000..<1_300 {
          state.db.issues.insert(
            Issue(
              id: EntityID(number),
              title: "Attached \(number)",
              text: String(repeating: "x", count: 5_000)
            )
          )
        }
      }
      for round in 1...40 {
        commit(
          round <= 20 ? "task" : "task \(round) of a long list of names",
          "task()",
          UInt(100 + round)
        ) {
          state in
          change(10 + round, &state) { $0.labels.append("task") }
        }
      }
    }
  }
#endif
