import StrataJournal
import StrataNormalization
import StrataSchema

extension ReadView {
  /// Refuses a state from before migrations that this build does not know.
  func checkShape(at revision: Revision) throws {
    let rows = try DataLedger.entries(on: journal.connection)
    guard let row = rows.first(where: { Revision($0.revision) > revision }) else { return }
    throw PersistenceError.Reason.beforeMigration(row.name)
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
