import StrataJournal
import StrataNormalization

extension ReadView {
  /// Refuses a state that is separated from the last one by a migration of the data: it has another shape.
  func checkShape(at revision: Revision) throws {
    let boundaries = try MigrationBoundaries(in: journal.connection).after(revision)
    guard let first = boundaries.first else { return }
    throw PersistenceError.Reason.beforeMigration(first.migration, revision)
  }

  /// The database at a revision, as this build's types, and the values that the file had by then.
  func contents<Database: DatabaseType>(
    at revision: Revision,
    over initial: Database,
    _ policy: StoragePolicy,
    _ path: StorePath,
    _ unknownFields: UnknownFieldsPolicy = .ignored
  ) throws -> (database: Database, values: ChangeSet, carried: CarriedFields) {
    try read(at: revision) { merge in
      var decoder = try DatabaseDecoder<Database>(
        known: tables,
        of: identity.id,
        policy,
        as: .inspecting,
        at: path,
        unknownFields: unknownFields
      )
      try merge.withSource { try decoder.decode($0, catalog) }
      return (decoder.database(over: initial), decoder.values, decoder.carried)
    }.contents
  }
}
