import Strata

/// Adds entities to the database, one commit per batch.
final class ImportService: AppStore.ScopedDispatcher<Database>, @unchecked Sendable {
  typealias Table<Entity: EntityType> = StatePath<Database, EntityTable<Entity>>

  init(store: AppStore) {
    super.init(targetStore: store, scope: \.db)
  }

  /// The entities that are not in the table yet.
  func missing<Entity>(_ entities: [Entity], in table: Table<Entity>) -> [Entity] {
    let known = state[keyPath: table]
    return entities.filter { !known.contains($0.id) }
  }

  func add<Entity>(_ batch: some Collection<Entity>, to table: Table<Entity>) {
    commit("import \(Entity.tableName)") { db in
      db[keyPath: table].insert(contentsOf: batch)
    }
    // This changes nothing outside the session, so the file gets no delta.
    detached(from: \.session).commit("count imported") { session in
      session.imported += batch.count
    }
  }
}
