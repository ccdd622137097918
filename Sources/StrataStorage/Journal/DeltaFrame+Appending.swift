import StrataBase
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
    try connection.transaction {
      let identity = try StoreIdentity.read(connection)
      let journal = try Journal(connection: connection)
      let end = try Self.end(of: identity, journal, SnapshotStore(connection: connection))
      guard identity.id == storeID else {
        throw CorruptionError("the frame is of store \(storeID), the file of \(identity.id)")
      }
      guard header.epoch <= identity.epoch else {
        throw CorruptionError(
          "the frame is of epoch \(header.epoch), the file of \(identity.epoch)"
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
      for layout in layouts { try LayoutCatalog.add(layout, to: connection) }
      try StoreIdentity.add(origin, to: connection)
      for table in tables {
        try StoreIdentity.addTable(table.name, since: table.since, to: connection)
      }
      for (number, block) in blocks.enumerated().dropFirst() {
        try journal.appendBlock(number, of: header.revision, block)
      }
      try journal.append(header, body: blocks[0], hash: chain)
    }
  }

  /// Where the file ends: at its last delta, or at the snapshot that it starts from.
  private static func end(
    of identity: StoreIdentity,
    _ journal: Journal,
    _ snapshots: SnapshotStore
  ) throws -> (revision: Revision, chain: Checksum, time: Int64) {
    if let (header, hash) = try journal.last() { return (header.revision, hash, header.time) }
    guard let newest = try snapshots.all().first(where: { $0.header.state == .verified }) else {
      throw CorruptionError("the file has no verified snapshot that a frame could continue")
    }
    return (newest.header.revision, newest.header.chain, newest.header.time)
  }
}
