import Foundation
import Strata

typealias SampleStore = Store<SampleState, Never>

/// An open sample store.
struct OpenSample {
  let persistence: Persistence<SampleState, SampleDatabase>
  let store: SampleStore

  /// Opens the store at a path; its clock always returns 2026-02-02 02:40:00 UTC.
  init(
    at path: String,
    snapshots: SnapshotPolicy = SnapshotPolicy(),
    initial: SampleState = .initial
  ) async throws {
    persistence = try await Persistence.open(
      at: path,
      initialState: initial,
      database: \.db,
      configuration: PersistenceConfiguration(
        snapshots: snapshots,
        now: { Date(timeIntervalSince1970: 1_770_000_000) }
      )
    )
    store = SampleStore(persistence)
  }

  /// Makes three commits: inserts two users, inserts a note that cannot be encoded, removes Ida.
  func commitSample() async throws {
    store.commit("add users", fileID: "App/Users.swift", function: "add()", line: 12) {
      $0.db.users.insert(
        User(
          id: 2,
          name: "Delta Dora",
          email: "dora@example.org",
          tags: ["a", "b"],
          home: User.Place(city: "Zürich", floor: 3)
        )
      )
      $0.db.users.insert(User(id: 42, name: "林 Mei"))
    }
    store.commit("note", fileID: "App/Notes.swift", function: "jot()", line: 7) {
      $0.db.notes.insert(Note(id: "todo", text: "unwritable"))
    }
    store.commit("", fileID: "App/Users.swift", function: "drop()", line: 30) {
      $0.db.users.remove(1)
    }
    try await flush()
  }

  /// Flushes, and ignores the error for the note that cannot be encoded.
  func flush() async throws {
    do {
      try await persistence.flush()
    } catch {
      guard case .notPersisted = error.reason else { throw error }
    }
  }

  /// Closes the file, and ignores the error for the note that cannot be encoded.
  func close() async throws {
    do {
      try await persistence.close()
    } catch {
      guard case .notPersisted = error.reason else { throw error }
    }
  }

  /// Inserts users, each in a commit of its own.
  func commitUsers(_ ids: Range<Int>, named name: String = "User") {
    for id in ids {
      store.commit { $0.db.users.insert(User(id: EntityID(id), name: "\(name) \(id)")) }
    }
  }
}

extension Folder {
  /// A store with the sample commits that is closed.
  func closedSample() async throws -> String {
    let path = path("app.strata")
    let sample = try await OpenSample(at: path)
    try await sample.commitSample()
    try await sample.close()
    return path
  }

  /// A store whose first deltas were trimmed; the one before them has a named snapshot.
  func trimmedSample() async throws -> String {
    let path = path("app.strata")
    let policy = SnapshotPolicy(minimumJournalBytes: 1_000, minimumHistoryBytes: 1_000)
    let sample = try await OpenSample(at: path, snapshots: policy)
    try await sample.commitSample()
    try await sample.persistence.snapshot(named: "early")
    // The history that is retained is at least as large as a snapshot.
    for round in 0..<40 {
      sample.commitUsers(100..<200, named: "Reader \(round)")
      try await sample.persistence.snapshot(named: "round \(round % 2)")
    }
    try await sample.close()
    return path
  }

  /// A store that a killed writer has left behind, with commits in SQLite's WAL.
  ///
  /// It is a copy of an open store. Another process makes the copy, because closing a descriptor of a
  /// database would drop the locks that this process holds on it.
  func unclosedSample() async throws -> String {
    let origin = try Folder()
    let sample = try await OpenSample(at: origin.path("app.strata"))
    try await sample.commitSample()
    for suffix in ["", "-wal", ".lock", ".head"] {
      try await Program.run(
        "/bin/cp",
        [origin.path("app.strata\(suffix)"), path("app.strata\(suffix)")]
      )
    }
    try await sample.close()
    return path("app.strata")
  }
}
