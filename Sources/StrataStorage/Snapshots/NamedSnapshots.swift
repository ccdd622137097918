import StrataBase
package import StrataJournal
import StrataSQLite

/// The named snapshots of a store that no program has open.
package struct NamedSnapshots: Sendable {
  /// What to do when a name is taken.
  package enum TakenName: Sendable {
    case refuse
    /// The name moves to the new snapshot.
    case move
  }

  /// Which names to remove.
  package enum Selection: Sendable, Equatable {
    case names([String])
    /// All but the newest.
    case allBut(newest: Int)
    /// Those of snapshots before a revision.
    case before(RevisionExpression)
  }

  /// The names to remove, and the snapshots that nothing else keeps.
  package struct Removal: Sendable, Equatable {
    package var names: [(name: String, revision: Revision)] = []
    /// Snapshots that lie before the journal: only a name keeps them.
    package var snapshots: [Revision] = []
    /// The size of the file before and after.
    package var bytes: (before: Int64, after: Int64)?

    package static func == (a: Removal, b: Removal) -> Bool {
      a.names.elementsEqual(b.names) { $0 == $1 } && a.snapshots == b.snapshots
        && a.bytes?.before == b.bytes?.before && a.bytes?.after == b.bytes?.after
    }
  }

  private let path: String
  private let configuration: PersistenceConfiguration

  package init(
    of path: String,
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) {
    self.path = path
    self.configuration = configuration
  }

  private func write<R>(
    _ work: (WriterSession, RestoredFile) throws -> R
  ) throws(PersistenceError) -> R {
    let path = try StorePath(path, for: .snapshotting)
    return try OwnedStore.write(path, for: .snapshotting, configuration, work)
  }

  /// Takes a snapshot of the store, unless it has one of its last revision, and gives it a name.
  ///
  /// O(file), like opening. Nothing is trimmed.
  ///
  /// Throws `.nameTaken` for a name that another revision has, unless it may move.
  package func create(
    _ name: String,
    ifTaken taken: TakenName = .refuse
  ) throws(PersistenceError) -> Revision {
    try write { session, file in
      let revision = session.written.revision
      let named = try session.snapshots.names().first { $0.name == name }
      if let named, named.revision != revision, taken == .refuse {
        throw PersistenceError.Reason.nameTaken(name, named.revision)
      }
      var maintenance = Maintenance(policy: configuration.snapshots, pins: HistoryPins())
      maintenance.start(with: file)
      if try !maintenance.hasSnapshot(session) {
        try maintenance.startSnapshot(session)
        while maintenance.isSnapshotting { _ = try maintenance.step(session) }
      }
      try session.snapshots.name(name, revision)
      return revision
    }
  }

  /// Gives a named snapshot another name.
  ///
  /// Throws `.notFound` and `.nameTaken`.
  package func rename(_ name: String, to newName: String) throws(PersistenceError) -> Revision {
    try write { session, _ in try Self.rename(name, to: newName, in: session) }
  }

  /// What ``prune(_:)`` would remove; changes nothing, and works beside a writer.
  package func plan(_ selection: Selection) throws(PersistenceError) -> Removal {
    try Inspector(path: path, on: configuration.disk).query { try $0.removal(of: selection) }
  }

  /// Removes names, and the snapshots that only these names have kept.
  ///
  /// Other snapshots stay: they belong to the history that the store keeps.
  ///
  /// Throws `.notFound` for a name that the store does not have.
  package func prune(_ selection: Selection) throws(PersistenceError) -> Removal {
    let path = try StorePath(path, for: .snapshotting)
    let before = path.fileSize + path.walSize
    var removal = try write { session, _ in try Self.remove(selection, in: session) }
    removal.bytes = (before, path.fileSize + path.walSize)
    return removal
  }
}

extension NamedSnapshots {
  static func rename(
    _ name: String,
    to newName: String,
    in session: WriterSession
  ) throws -> Revision {
    try session.transaction {
      let names = try session.snapshots.names()
      guard let named = names.first(where: { $0.name == name }) else {
        throw PersistenceError.Reason.noSnapshot(name, among: names.map(\.name))
      }
      if name != newName, let taken = names.first(where: { $0.name == newName }) {
        throw PersistenceError.Reason.nameTaken(newName, taken.revision)
      }
      try session.snapshots.rename(name, to: newName)
      return named.revision
    }
  }

  static func remove(_ selection: Selection, in session: WriterSession) throws -> Removal {
    let removal = try ReadView(session.connection).removal(of: selection)
    try session.transaction {
      for (name, _) in removal.names { try session.snapshots.remove(name: name) }
      for revision in removal.snapshots { try session.snapshots.remove(revision) }
    }
    if removal.snapshots.isEmpty { return removal }
    while try !session.snapshots.removeOrphans(slice: 1_000) {}
    while try session.connection.incrementalVacuum(pages: 1_000) == 1_000 {}
    return removal
  }
}

extension ReadView {
  /// What is removed with the names.
  fileprivate func removal(of selection: NamedSnapshots.Selection) throws -> NamedSnapshots.Removal
  {
    let selected: [(name: String, revision: Revision)]
    switch selection {
    case .names(let wanted):
      for name in wanted where !names.contains(where: { $0.name == name }) {
        throw PersistenceError.Reason.noSnapshot(name, among: names.map(\.name))
      }
      selected = names.filter { wanted.contains($0.name) }
    case .allBut(let count): selected = Array(names.dropLast(max(count, 0)))
    case .before(let expression):
      let revision = try revision(of: expression)
      selected = names.filter { $0.revision < revision }
    }
    let gone = Set(selected.map(\.name))
    let kept = Set(names.filter { !gone.contains($0.name) }.map(\.revision))
      .union(anchors.map(\.header.revision))
    let snapshots = Set(selected.map(\.revision)).subtracting(kept)
    return NamedSnapshots.Removal(names: selected, snapshots: snapshots.sorted())
  }
}

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
