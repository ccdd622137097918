package import StrataJournal

extension JournalWriter {
  /// Erases entities that are not in the database any more.
  package func erase(
    _ entities: ErasedEntities,
    _ references: ReferencePolicy
  ) throws(PersistenceError) -> ErasureReport {
    try flush(through: queue.lastRevision)
    _ = try requireSession(for: .erasing)
    do {
      return try replaceFile { store, didReplace in
        try StoreErasure(
          store: store,
          entities: entities,
          presence: .refuse,
          references: references
        ).run(didReplace)
      }
    } catch {
      throw PersistenceError(.erasing, path: path.file, wrapping: error)
    }
  }

  /// Gives a named snapshot another name.
  package func renameSnapshot(
    _ name: String,
    to newName: String
  ) throws(PersistenceError) -> Revision {
    try withEverythingWritten(for: .snapshotting) { session in
      let revision = try NamedSnapshots.rename(name, to: newName, in: session)
      try session.barrier()
      return revision
    }
  }

  /// Removes names of snapshots, and the snapshots that only these have kept.
  package func removeSnapshots(named names: [String]) throws(PersistenceError) {
    try withEverythingWritten(for: .snapshotting) { session in
      _ = try NamedSnapshots.remove(.names(names), in: session)
      try session.barrier()
    }
  }
}

extension ReadView {
  /// The names of snapshots with their revisions, the oldest first.
  package var snapshotNames: [(name: String, revision: Revision)] { names }
}
