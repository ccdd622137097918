import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataMigrations
import StrataSchema
import StrataStorage
import TestSupport
import Testing

/// A file with rows in nearly every table whose rows have a hash of their own.
struct HashedRowTests {
  private typealias First = FiveReleases.First

  private let app: NumberedStore
  private var directory: TemporaryDirectory { app.directory }
  private var path: String { app.path }

  init() throws { app = try NumberedStore() }

  /// Migrations run, one is taken back and runs again, an entity is erased, and a leader sends the history to an archive.
  private func make() async throws {
    func user(_ id: String) -> First.User {
      First.User(id: EntityID(id), name: id, street: nil, city: nil)
    }
    try await FiveReleases.makeFirst(at: path, users: 3)
    let migrator = app.migrator(3)
    try await migrator.up()
    try await migrator.down(to: 2)
    try await migrator.up()
    _ = try StoreErasure.run(
      at: path,
      ErasedEntities([.init(table: "users", meantBy: "u3")]),
      .leave
    )
    let leader = try await app.open(knowing: 3, archive: FolderArchive(directory.path("archive")))
    let led = Store<First.State, Never>(leader)
    for number in 1...3 { led.commit { $0.db.users.insert(user("v\(number)")) } }
    try await leader.snapshot(named: "led")
    try await leader.replicated(through: leader.revision, within: .seconds(600))
    try await leader.close()
    for name in ["a", "b", "c"] {
      let persistence = try await app.open(knowing: 3)
      let store = Store<First.State, Never>(persistence)
      store.commit { $0.db.users.insert(user(name)) }
      try await persistence.close()
    }
  }

  /// A change in each row of a column: of one bit of a number, of one letter, of one byte.
  private static func change(of column: String, in table: String) -> String {
    """
    PRAGMA ignore_check_constraints = ON;
    UPDATE \(table) SET \(column) = CASE typeof(\(column))
        WHEN 'integer' THEN (\(column) | 2) - (\(column) & 2)
        WHEN 'text' THEN char(unicode(\(column)) + 1) || substr(\(column), 2)
        ELSE CAST(substr(\(column), 2) || x'7F' AS BLOB)
      END
      WHERE \(column) IS NOT NULL;
    SELECT CASE changes() WHEN 0 THEN abs(-9223372036854775808) END
    """
  }

  @Test(arguments: HashedTable.all.map { $0.name })
  func `a row that was changed is found, refused, and salvaged`(name: String) async throws {
    let table = try #require(HashedTable.all.first { $0.name == name })
    try await make()
    func open(_ path: String, _ policy: RestorePolicy) async throws
      -> Persistence<First.State, First.Database>
    {
      try await Persistence.open(
        at: path,
        initialState: First.State(),
        database: \.db,
        configuration: PersistenceConfiguration(restore: policy),
        with: [.migrations(.external)]
      )
    }
    var changed = 0
    for column in table.columns {
      let victim = directory.path("\(column).strata")
      for suffix in ["", ".head"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: victim + suffix)
      }
      do {
        try RawSQLite.run(Self.change(of: column, in: name), on: victim)
      } catch is RawSQLite.Failure {
        // No row has a value there, or two would have the same key.
        continue
      }
      changed += 1
      let place: Comment = "\(name).\(column)"
      #expect(try !Inspector(path: victim).verify().isSound, place)
      // What names the openings is read where a delta names one.
      if name != HashedTable.origin.name {
        let error = await #expect(throws: PersistenceError.self, place) {
          _ = try await open(victim, .strict)
        }
        guard case .damaged = error?.reason else {
          Issue.record("another reason at \(name).\(column): \(String(describing: error))")
          continue
        }
      }
      // Every hash covers the ID of the store, so nothing is left.
      if (name, column) == ("store", "id") { continue }
      let salvaged = try await open(victim, .bestEffort)
      #expect(salvaged.initialState.db.users.count == 8, place)
      try await salvaged.close()
      if name == HashedTable.origin.name { continue }
      let verification = try Inspector(path: victim).verify()
      #expect(verification.isSound, "\(name).\(column): \(verification)")
    }
    let isEmpty = [HashedTable.feature, .declaredColumn].map(\.name).contains(name)
    #expect(changed > 0 || isEmpty)
  }
}
