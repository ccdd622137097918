import Foundation
import Strata
import StrataJournal
package import StrataPersistence
package import StrataStorage

/// A store with an author whose ID, name and commit contexts are words that are nowhere else.
///
/// The author is in several snapshots and deltas, and is removed at the end. All other commits are those of a
/// script.
package struct PlantedStore {
  package static let id = Author.ID("planted-id-7f3a")
  package static let name = "planted name"
  package static let words = [
    "planted-id-7f3a", "planted name", "planted argument", "planted user",
  ]
  /// The revisions of the commits that change the author.
  package static let planted: Set<Int64> = [5, 21, 44, 60]
  package static let last: Int64 = 80

  package let directory: TemporaryDirectory
  package let path: String
  package let script = LibraryScript(seed: 9)

  /// - Parameter removal: The revision at which the author is removed; 0 for none.
  package init(removal: Int64 = 60) async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    let persistence = try await open()
    let store = LibraryStore(persistence)
    for number in 1...Self.last {
      let isPlanted = Self.planted.contains(number)
      let context = CommitContext(
        user: isPlanted ? "planted user \(number)" : "user \(number)",
        fields: ["argument": isPlanted ? "planted argument" : "argument \(number)"]
      )
      store.commit("step \(number)", context: context) { [script] state in
        script.commit(number, to: &state.db)
        Self.plant(number, removal, in: &state.db)
      }
      // The free pages of removed snapshots had the author too.
      if number % 10 == 0 { try await persistence.snapshot(named: "at \(number % 20)") }
      if number == 50 { try await persistence.snapshot(named: "kept") }
    }
    try await persistence.close()
  }

  /// A copy of a store that is made once.
  package static func copy() async throws -> PlantedStore {
    try PlantedStore(copying: try await template.value)
  }

  private static let template = Task { try await PlantedStore() }

  private init(copying original: PlantedStore) throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    for suffix in ["", ".head"] {
      try FileManager.default.copyItem(atPath: original.path + suffix, toPath: path + suffix)
    }
  }

  private static func plant(_ number: Int64, _ removal: Int64, in db: inout LibraryDatabase) {
    guard planted.contains(number) else { return }
    if number == removal {
      db.authors.remove(id)
    } else {
      db.authors.insert(Author(id: id, name: "\(name) \(number)"))
    }
  }

  package func open(
    _ configure: (inout PersistenceConfiguration) -> Void = { _ in }
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(
      snapshots: SnapshotPolicy(minimumJournalBytes: 4_000, minimumHistoryBytes: 1 << 40)
    )
    configure(&configuration)
    return try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  /// The database at a revision, without the author.
  package func model(at revision: Int64) -> LibraryDatabase {
    var db = script.database(after: revision)
    db.authors.remove(Self.id)
    return db
  }

  /// The planted words that are in the bytes of the store's files, which must not be open in this process.
  package func wordsInFiles() throws -> [String] {
    let url = URL(fileURLWithPath: path)
    var found: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
    where name.hasPrefix(url.lastPathComponent) {
      let file = directory.url.appendingPathComponent(name)
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory),
        !isDirectory.boolValue
      else { continue }
      let bytes = try Data(contentsOf: file)
      for word in Self.words where bytes.range(of: Data(word.utf8)) != nil {
        found.append("\(name): \(word)")
      }
    }
    return found
  }
}
