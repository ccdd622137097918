import StrataBase
package import StrataInspection
package import StrataJournal
package import StrataStorage

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
    try write { session, _ in try session.renameSnapshot(name, to: newName) }
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
    var removal = try write { session, _ in
      let removal = try ReadView(session.connection).removal(of: selection)
      try session.removeSnapshots(named: removal.names.map(\.name))
      return removal
    }
    removal.bytes = (before, path.fileSize + path.walSize)
    return removal
  }
}

extension ReadView {
  /// What is removed with the names.
  fileprivate func removal(of selection: NamedSnapshots.Selection) throws -> NamedSnapshots.Removal
  {
    let names = snapshotNames
    let wanted: [String]
    switch selection {
    case .names(let named): wanted = named
    case .allBut(let count): wanted = names.dropLast(max(count, 0)).map(\.name)
    case .before(let expression):
      let revision = try revision(of: expression)
      wanted = names.filter { $0.revision < revision }.map(\.name)
    }
    let gone = Set(wanted)
    return NamedSnapshots.Removal(
      names: names.filter { gone.contains($0.name) },
      snapshots: try snapshots(keptOnlyBy: wanted)
    )
  }
}
