package import StrataNormalization

extension Inspector {
  /// The database at a revision that is kept, as this build's types.
  ///
  /// O(entities).
  ///
  /// Throws `.notFound` for a revision that was never made, was trimmed, or lies inside a run of
  /// merged commits.
  package func database<Database: DatabaseType>(
    over initial: Database,
    at revision: Revision
  ) throws(PersistenceError) -> Database {
    try answer { view in
      let base = view.verified.first { $0.header.revision <= revision }
      let isKept = view.anchors.contains { $0.header.revision == base?.header.revision }
      guard let base, isKept || base.header.revision == revision,
        revision <= view.last.revision
      else {
        throw PersistenceError(.inspecting, path: path.file, .notFound("revision \(revision)"))
      }
      var overlay = Overlay()
      var replay = view.replay(after: base.header)
      try replay.replay(into: &overlay, through: revision)
      guard replay.revision == revision else {
        throw PersistenceError(.inspecting, path: path.file, .notFound("revision \(revision)"))
      }
      var fold = Fold(try view.cursor(base), overlay)
      var loaders = try TableLoaders(
        for: Database.schema,
        in: Set(try StoreIdentity.tables(of: access.connection))
      )
      while let run = try fold.nextRun() { try loaders.load(run, view.catalog, path) }
      return loaders.database(over: initial)
    }
  }
}
