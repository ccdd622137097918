import StrataBase
package import StrataJournal
import StrataSQLite

extension WriterSession {
  /// Gives a named snapshot another name.
  package func renameSnapshot(_ name: String, to newName: String) throws -> Revision {
    try transaction {
      let names = try snapshots.names()
      guard let named = names.first(where: { $0.name == name }) else {
        throw PersistenceError.Reason.noSnapshot(name, among: names.map(\.name))
      }
      if name != newName, let taken = names.first(where: { $0.name == newName }) {
        throw PersistenceError.Reason.nameTaken(newName, taken.revision)
      }
      try snapshots.rename(name, to: newName)
      return named.revision
    }
  }

  /// Removes names of snapshots, and the snapshots that only these have kept.
  package func removeSnapshots(named names: [String]) throws {
    let gone = try ReadView(connection).snapshots(keptOnlyBy: names)
    try transaction {
      for name in names { try snapshots.remove(name: name) }
      for revision in gone { try snapshots.remove(revision) }
    }
    if gone.isEmpty { return }
    while try !snapshots.removeOrphans(slice: 1_000) {}
    while try connection.incrementalVacuum(pages: 1_000) == 1_000 {}
  }
}

extension ReadView {
  /// The names of snapshots with their revisions, the oldest first.
  package var snapshotNames: [(name: String, revision: Revision)] { names }

  /// The snapshots that nothing but some names keeps.
  ///
  /// - Throws: `.noSnapshot` for a name that the store does not have.
  package func snapshots(keptOnlyBy removed: [String]) throws -> [Revision] {
    for name in removed where !names.contains(where: { $0.name == name }) {
      throw PersistenceError.Reason.noSnapshot(name, among: names.map(\.name))
    }
    let gone = Set(removed)
    let kept = names.filter { !gone.contains($0.name) }.map(\.revision)
    return Set(names.map(\.revision)).subtracting(kept + anchors.map(\.header.revision)).inOrder()
  }
}

extension JournalWriter {
  /// Gives a named snapshot another name.
  package func renameSnapshot(
    _ name: String,
    to newName: String
  ) throws(PersistenceError) -> Revision {
    try withEverythingWritten(for: .snapshotting) { session in
      let revision = try session.renameSnapshot(name, to: newName)
      try session.barrier()
      return revision
    }
  }

  /// Removes names of snapshots, and the snapshots that only these have kept.
  package func removeSnapshots(named names: [String]) throws(PersistenceError) {
    try withEverythingWritten(for: .snapshotting) { session in
      try session.removeSnapshots(named: names)
      try session.barrier()
    }
  }
}
