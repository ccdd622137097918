import Foundation
import StrataBase
import StrataJournal

/// The two slots of a head.
///
/// The hash of each is recomputed, or every input would be refused.
enum HeadInput {
  private static let slotSize = 512
  private static let hashed = 104

  static func check(_ bytes: [UInt8]) {
    var bytes = bytes
    for start in stride(from: 0, through: bytes.count - slotSize, by: slotSize) {
      let hash = Checksum(of: Array(bytes[start..<start + hashed])).bytes
      bytes.replaceSubrange(start + hashed..<start + hashed + hash.count, with: hash)
    }
    guard let (serial, record) = HeadRecord.newest(in: bytes) else { return }
    let slot = record.slot(serial: serial)
    guard let again = HeadRecord.newest(in: slot) else {
      return require(false, "a slot that was written can be read")
    }
    require(again.serial == serial && again.record == record, "a slot reads as it was written")
    for revision in [0, record.durable.revision, record.written.revision, Revision(.max)] {
      let position = Position(
        storeID: record.storeID,
        lineage: record.lineage,
        revision: revision,
        chain: record.durable.chain
      )
      for boot in [record.bootID, UUID()] {
        _ = HeadCheck.compare(record, recovered: position, [], bootID: boot)
      }
    }
  }

  static func seeds() -> [[UInt8]] {
    let records = [Int64(0), 7, 1 << 40].map { revision in
      HeadRecord(
        storeID: UUID(),
        lineage: Lineage.ID(revision + 1),
        bootID: UUID(),
        durable: HeadRecord.Mark(revision: Revision(revision), chain: Checksum(of: [1])),
        written: HeadRecord.Mark(revision: Revision(revision + 3), chain: Checksum(of: [2]))
      )
    }
    return records.map { $0.slot(serial: 1) }
      + [records[1].slot(serial: 8) + records[2].slot(serial: 9)]
  }
}
