import StrataBase
import StrataJournal
package import StrataSQLite

extension DeltaFrame {
  /// Appends the delta to a file of the same store, in one transaction: its rows are those of the file
  /// that it came from, number for number.
  ///
  /// O(bytes).
  ///
  /// - Throws: `CorruptionError` when the frame is of another store, does not continue the file, or
  ///   contradicts it; then the file is unchanged.
  package func append(to connection: Connection) throws {
    try Self.append([self], to: connection)
  }

  /// Appends deltas that follow each other, in one transaction.
  ///
  /// - Parameters:
  ///   - epoch: What the epoch of the file is raised to before, if it is lower.
  ///   - finish: What the same transaction writes after them.
  /// - Throws: `CorruptionError` for the first frame that does not fit; then the file is unchanged.
  package static func append(
    _ frames: [DeltaFrame],
    raisingEpochTo epoch: Int64 = 0,
    to connection: Connection,
    finish: () throws -> Void = {}
  ) throws {
    try connection.transaction {
      var identity = try StoreIdentity.read(connection)
      if identity.epoch < epoch {
        identity.epoch = epoch
        try identity.replace(in: connection)
      }
      try LeadershipRecord.noteFollowing(in: connection)
      let journal = Journal(connection: connection)
      var end = try End(of: identity, journal, SnapshotStore(connection: connection))
      var before: DeltaFrame?
      for frame in frames {
        try frame.append(to: journal, of: identity, after: end, before)
        end = End(revision: frame.header.revision, chain: frame.chain, time: frame.header.time)
        before = frame
      }
      try finish()
    }
  }

  /// - Parameter before: The frame that was appended before this one, whose layouts, origin and tables the
  ///   file has.
  private func append(
    to journal: Journal,
    of identity: StoreIdentity,
    after end: End,
    _ before: DeltaFrame?
  ) throws {
    try check(of: identity, after: end)
    let connection = journal.connection
    if before?.layouts != layouts {
      for layout in layouts { try LayoutCatalog.add(layout, to: connection) }
    }
    if before?.origin != origin { try StoreIdentity.add(origin, to: connection) }
    if before?.tables != tables {
      for table in tables {
        try ListedTable.add(table.name, since: table.since, to: connection)
      }
    }
    for (number, block) in blocks.enumerated().dropFirst() {
      try journal.appendBlock(number, of: header.revision, block.bytes)
    }
    try journal.append(header, body: blocks[0].bytes, hash: chain)
  }

  private func check(of identity: StoreIdentity, after end: End) throws(CorruptionError) {
    guard identity.id == storeID else {
      throw CorruptionError("the frame is of store \(storeID), the file of \(identity.id)")
    }
    guard identity.lineages.contains(where: { $0.id == header.lineage }) else {
      throw CorruptionError(
        "the frame is of lineage \(header.lineage), the file of \(identity.lineage)"
      )
    }
    guard header.first == end.revision.next else {
      throw CorruptionError(
        "the frame starts at revision \(header.first), the file ends at \(end.revision)"
      )
    }
    guard chainBefore == end.chain else {
      throw CorruptionError(
        """
        the frame continues revision \(end.revision) with the chain \(chainBefore), the file has \
        \(end.chain)
        """
      )
    }
    guard header.time >= end.time else {
      throw CorruptionError("the frame of revision \(header.revision) is older than the file")
    }
  }

  /// Where a file ends: at its last delta, or at the snapshot that it starts from.
  private struct End {
    let revision: Revision
    let chain: Checksum
    let time: Int64

    init(revision: Revision, chain: Checksum, time: Int64) {
      self.revision = revision
      self.chain = chain
      self.time = time
    }

    init(of identity: StoreIdentity, _ journal: Journal, _ snapshots: SnapshotStore) throws {
      if let (header, hash) = try journal.last() {
        self.init(revision: header.revision, chain: hash, time: header.time)
        return
      }
      guard let newest = try snapshots.all().first(where: { $0.header.state == .verified }) else {
        throw CorruptionError("the file has no verified snapshot that a frame could continue")
      }
      let header = newest.header
      self.init(revision: header.revision, chain: header.chain, time: header.time)
    }
  }
}
