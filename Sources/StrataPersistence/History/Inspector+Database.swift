package import StrataJournal
package import StrataNormalization

extension Inspector {
  /// The database at a kept revision, as this build's types.
  ///
  /// O(entities).
  ///
  /// Throws `.notReached`, `.trimmed` or `.merged` for a revision that was never made, was trimmed,
  /// or lies inside a run of merged commits.
  package func database<Database: DatabaseType>(
    over initial: Database,
    at revision: Revision,
    tables: [TableOption<Database>] = []
  ) throws(PersistenceError) -> Database {
    try query { view in
      try view.contents(at: revision, over: initial, StoragePolicy(tables), path).database
    }
  }
}
