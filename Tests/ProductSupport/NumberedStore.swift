package import Strata
package import StrataArchiving
import StrataInspection
package import StrataMigrating
import StrataRecords
package import TestSupport

/// A store of the first of ``FiveReleases`` whose migrations add their number to each name: a name says what ran on its
/// record, and how often.
package struct NumberedStore {
  package typealias First = FiveReleases.First

  package let directory: TemporaryDirectory
  package let path: String

  package init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  /// A store with users `u1`, `u2` ….
  package init(users count: Int) async throws {
    try self.init()
    try await FiveReleases.makeFirst(at: path, users: count)
  }

  package static let steps = (1...4).map { number in
    DataMigration("000\(number)_add", table: "users") { user in
      user["name"] = .string("\(user["name"]?.text ?? "")\(number)")
    }.reversed(table: "users") { user in
      let name = user["name"]?.text ?? ""
      guard name.hasSuffix("\(number)") else { throw NoSuchStep(name: name, number: number) }
      user["name"] = .string(String(name.dropLast()))
    }
  }

  private struct NoSuchStep: Error {
    let name: String
    let number: Int
  }

  /// Runs the first steps.
  package func migrator(_ count: Int) -> DataMigrator {
    DataMigrator(Array(Self.steps.prefix(count)), at: path)
  }

  /// Opens the store with the build that knows so many steps; nil for one whose steps something else runs.
  package func open(
    knowing count: Int?,
    _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
    archive: (any Archive)? = nil
  ) async throws -> Persistence<First.State, First.Database> {
    // A snapshot may arrive after the commits.
    var policy = ArchivePolicy()
    policy.closingLimit = .seconds(600)
    return try await Persistence.open(
      at: path,
      initialState: First.State(),
      database: \.db,
      configuration: configuration,
      with: .opening(
        migrations: count.map { Array(Self.steps.prefix($0)) },
        archive: archive,
        policy
      )
    )
  }

  /// Commits as the build does that knows so many steps.
  package func write(
    knowing count: Int?,
    _ changes: (@Sendable (inout First.State) -> Void)...
  ) async throws {
    let persistence = try await open(knowing: count)
    let store = Store<First.State, Never>(persistence)
    for change in changes { store.commit { change(&$0) } }
    try await persistence.close()
  }

  /// Commits users one by one as the build does that knows so many steps.
  package func write(knowing count: Int?, _ names: KeyValuePairs<String, String>) async throws {
    let persistence = try await open(knowing: count)
    let store = Store<First.State, Never>(persistence)
    for (id, name) in names {
      store.commit { $0.db.users.insert(First.User(id: EntityID(id), name: name)) }
    }
    try await persistence.close()
  }

  package var revision: Revision {
    get throws { Revision(try Inspector(path: path).info().revision) }
  }

  /// The names of users by their IDs.
  package func names() throws -> [String: String] { try FiveReleases.names(at: path) }

  package static func names(_ database: First.Database) -> [String: String] {
    Dictionary(uniqueKeysWithValues: database.users.map { ($0.id.raw, $0.name) })
  }
}
