import StrataJournal
import StrataNormalization
import StrataSchema

extension ReadView {
  /// Refuses a state from before the last one of a file with a feature that an opening brought no step for: it may have
  /// another shape.
  func checkShape(at revision: Revision) throws {
    guard revision < last.revision else { return }
    let feature = try FeatureRow.all(on: journal.connection).first
    if let feature { throw PersistenceError.Reason.needsFeature(feature.name) }
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
