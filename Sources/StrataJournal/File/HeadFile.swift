import Foundation
import StrataBase

/// The head: a small file beside the store, two slots written in turn.
///
/// A torn write damages one slot; the other still has the previous record. The head is written after
/// every transaction but synced only at openings, checkpoints and closings, so it costs no second fsync.
/// Where a sync of SQLite does not reach the medium, that of the head makes it complete.
package struct HeadFile: ~Copyable {
  private let file: OpenFile
  private let sqliteSync: Disk.SQLiteSync
  private var serial: UInt64

  /// Opens the head of a store, or makes it.
  package init(of path: StorePath, on disk: Disk = .system) throws(SystemError) {
    let file = try disk.openOrCreate(path.head, like: path.owner)
    let newest = HeadRecord.newest(in: try file.read(2 * HeadRecord.slotSize, at: 0))
    if newest == nil {
      try file.write([UInt8](repeating: 0, count: 2 * HeadRecord.slotSize), at: 0)
    }
    self.file = file
    sqliteSync = disk.sqliteSync
    serial = newest?.serial ?? 0
  }

  /// Reads a head without creating or changing anything; nil if there is none or both slots are torn.
  ///
  /// Throws if a head exists and cannot be read: it must not be ignored.
  package static func read(_ path: String, on disk: Disk = .system) throws(SystemError)
    -> HeadRecord?
  {
    guard FileIdentity(ofFileAt: path) != nil else { return nil }
    do {
      let bytes = try disk.open(path, O_RDONLY).read(2 * HeadRecord.slotSize, at: 0)
      return HeadRecord.newest(in: bytes)?.record
    } catch  where error.code == ENOENT {
      return nil
    }
  }

  package mutating func write(_ record: HeadRecord) throws(SystemError) {
    serial += 1
    let offset = Int64(serial % 2) * Int64(HeadRecord.slotSize)
    try file.write(record.slot(serial: serial), at: offset)
  }

  package func sync() throws(SystemError) { try file.sync() }

  /// Returns when what SQLite has synced is on the medium.
  ///
  /// `F_FULLFSYNC` on one file empties the cache of the whole drive. The head is on the same volume, and no descriptor
  /// of SQLite's files is needed, whose closing would drop SQLite's locks.
  package func completeSync() throws(SystemError) {
    if sqliteSync == .ordersWrites { try file.sync() }
  }
}

extension HeadFile {
  /// Writes and syncs a head for a complete and synced file: all of it is durable.
  package static func write(_ position: Position, for path: StorePath, on disk: Disk) throws {
    let mark = HeadRecord.Mark(revision: position.revision, chain: position.chain)
    var head = try HeadFile(of: path, on: disk)
    try head.write(
      HeadRecord(
        storeID: position.storeID,
        lineage: position.lineageID,
        bootID: BootID.current(),
        durable: mark,
        written: mark
      )
    )
    try head.sync()
  }
}
