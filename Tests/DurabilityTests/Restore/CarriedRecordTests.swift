import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Records that a build cannot decode are kept byte for byte until their ID is put or removed.
struct CarriedRecordTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open<Database: DatabaseType>(
    _ type: Database.Type,
    _ policy: RestorePolicy
  ) async throws -> Persistence<Shop<Database>, Database> {
    try await Persistence.open(
      at: path,
      initialState: Shop(db: Database()),
      database: \.db,
      configuration: PersistenceConfiguration(restore: policy)
    )
  }

  /// Makes a store with three records whose prices are texts.
  private func makeStore() async throws {
    let persistence = try await open(Texts.self, .strict)
    Store<Shop<Texts>, Never>(persistence).commit { state in
      state.db.items = [
        TextItem(id: "a", price: "cheap"), TextItem(id: "b", price: "dear"),
        TextItem(id: "c", price: "free"),
      ]
    }
    try await persistence.close()
  }

  @Test
  func `strict refuses a record it cannot read, and names it`() async throws {
    try await makeStore()
    let before = try StoreBytes(path)
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await open(Numbers.self, .strict)
    }
    guard case .undecodable(let table, let id, _) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(table == "items")
    #expect(["a", "b", "c"].contains(id))
    #expect(try StoreBytes(path) == before)
  }

  @Test
  func `best effort leaves them out, reports them, and keeps them across snapshots`() async throws {
    try await makeStore()
    let persistence = try await open(Numbers.self, .bestEffort)
    #expect(persistence.initialState.db.items.isEmpty)
    #expect(persistence.report.outcome == .restoredWithLoss)
    let loss = try #require(persistence.report.loss)
    #expect(loss.undecodable.map(\.id).sorted() == ["a", "b", "c"])
    #expect(loss.undecodable.allSatisfy { $0.table == "items" && !$0.detail.isEmpty })
    #expect(loss.undecodableCount == 3)
    #expect(loss.damage == nil)
    #expect(loss.quarantine == nil)
    #expect(try Inspector(path: path).info().lineages.count == 1)
    let store = Store<Shop<Numbers>, Never>(persistence)
    store.commit { $0.db.items.insert(NumberItem(id: "b", price: 7)) }
    store.commit { $0.db.items.insert(NumberItem(id: "c", price: 8)) }
    store.commit { $0.db.items.remove("c") }
    try await persistence.snapshot(named: "carried")
    try await persistence.close()

    let again = try await open(Numbers.self, .bestEffort)
    #expect(again.report.snapshotRevision == 4)
    #expect(again.initialState.db.items == [NumberItem(id: "b", price: 7)])
    #expect(again.report.loss?.undecodable.map(\.id) == ["a"])
    try await again.close()

    let older = try await open(Texts.self, .bestEffort)
    #expect(older.initialState.db.items == [TextItem(id: "a", price: "cheap")])
    #expect(older.report.loss?.undecodable.map(\.id) == ["b"])
    try await older.close()
  }

  @Test
  func `only the first thousand are reported one by one`() async throws {
    let persistence = try await open(Texts.self, .strict)
    Store<Shop<Texts>, Never>(persistence).commit { state in
      for number in 0..<1_200 {
        state.db.items.insert(TextItem(id: EntityID("\(number)"), price: "?"))
      }
    }
    try await persistence.close()
    let again = try await open(Numbers.self, .bestEffort)
    #expect(again.report.loss?.undecodable.count == 1_000)
    #expect(again.report.loss?.undecodableCount == 1_200)
    try await again.close()
  }

  @Test
  func `a version that cannot be read is given as such, and the others of the entity as they are`()
    async throws
  {
    try await makeStore()
    let persistence = try await open(Numbers.self, .bestEffort)
    let store = Store<Shop<Numbers>, Never>(persistence)
    store.commit { $0.db.items.insert(NumberItem(id: "a", price: 7)) }
    store.commit { $0.db.items.remove("a") }
    let versions = try await persistence.history(of: EntityID<NumberItem>("a"))
    #expect(versions.map(\.revision) == [1, 2, 3])
    #expect(versions.dropFirst().map(\.content) == [.put(NumberItem(id: "a", price: 7)), .removed])
    #expect(versions.first?.entity == nil)
    let asDelta = await #expect(throws: PersistenceError.self) {
      for try await _ in persistence.deltas(from: 1, to: 1) {}
    }
    guard case .undecodable(let detail) = versions.first?.content else {
      Issue.record("another content: \(versions)")
      return
    }
    #expect(detail.contains("price") && detail.contains("record a of table items"))
    guard case .undecodable("items", _, _) = asDelta?.reason else {
      Issue.record("another reason: \(String(describing: asDelta))")
      return
    }
    try await persistence.close()
  }
}

private struct Shop<Database: DatabaseType>: StateType {
  var db: Database
}

private struct Texts: DatabaseType {
  var items = EntityTable<TextItem>()
  static let schema = DatabaseSchema<Texts> { Entities(\.items) }
}

private struct TextItem: EntityType {
  static let tableName: TableName = "items"
  let id: EntityID<TextItem>
  var price: String
}

private struct Numbers: DatabaseType {
  var items = EntityTable<NumberItem>()
  static let schema = DatabaseSchema<Numbers> { Entities(\.items) }
}

private struct NumberItem: EntityType {
  static let tableName: TableName = "items"
  let id: EntityID<NumberItem>
  var price: Int
}
