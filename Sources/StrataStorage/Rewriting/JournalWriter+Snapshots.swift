package import StrataJournal

extension JournalWriter {
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
