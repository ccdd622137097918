package import Foundation
package import StrataBase

/// The contents of a head: how far the writer had written, and how far that was durable.
package struct HeadRecord: Equatable, Sendable {
  /// A revision and its chain.
  package struct Mark: Hashable, Sendable {
    package var revision: Revision
    package var chain: Checksum

    package init(revision: Revision, chain: Checksum) {
      self.revision = revision
      self.chain = chain
    }
  }

  package var storeID: UUID
  package var lineage: Lineage.ID
  /// The boot during which `written` was recorded: what was written survives a process, not a boot.
  package var bootID: UUID
  package var durable: Mark
  package var written: Mark

  package init(
    storeID: UUID,
    lineage: Lineage.ID,
    bootID: UUID,
    durable: Mark,
    written: Mark
  ) {
    self.storeID = storeID
    self.lineage = lineage
    self.bootID = bootID
    self.durable = durable
    self.written = written
  }

  /// The size of a slot in bytes.
  ///
  /// Bytes 0–7 magic, 8–15 serial, 16 store ID, 32 lineage, 40 boot ID, 56 durable revision, 64 its
  /// chain, 80 written revision, 88 its chain, 104 checksum of the bytes before; the rest is 0. Numbers
  /// are big-endian.
  static let slotSize = 512
  private static let magic = Array("StrtHead".utf8)

  package func slot(serial: UInt64) -> [UInt8] {
    var bytes = Self.magic
    bytes += serial.bigEndianBytes
    bytes += storeID.byteArray + lineage.number.bigEndianBytes + bootID.byteArray
    bytes += durable.revision.number.bigEndianBytes + durable.chain.bytes
    bytes += written.revision.number.bigEndianBytes + written.chain.bytes
    bytes += Checksum(of: bytes).bytes
    return bytes + [UInt8](repeating: 0, count: Self.slotSize - bytes.count)
  }

  /// The record of a slot; nil if it is not intact, or has numbers that no store reaches.
  static func parse(_ slot: [UInt8]) -> (serial: UInt64, record: HeadRecord)? {
    guard slot.count == slotSize, slot.starts(with: magic),
      Checksum(of: Array(slot[0..<104])).bytes == Array(slot[104..<120]),
      let storeID = UUID(byteArray: Array(slot[16..<32])),
      let bootID = UUID(byteArray: Array(slot[40..<56])),
      let durableChain = Checksum(bytes: Array(slot[64..<80])),
      let writtenChain = Checksum(bytes: Array(slot[88..<104]))
    else { return nil }
    func number(_ offset: Int) -> Int64 {
      Int64(bitPattern: slot[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) })
    }
    let serial = number(8)
    guard serial >= 0, serial <= StoredNumber.last,
      [32, 56, 80].allSatisfy({ (0...StoredNumber.last).contains(number($0)) })
    else { return nil }
    let record = HeadRecord(
      storeID: storeID,
      lineage: Lineage.ID(number(32)),
      bootID: bootID,
      durable: Mark(revision: Revision(number(56)), chain: durableChain),
      written: Mark(revision: Revision(number(80)), chain: writtenChain)
    )
    return (UInt64(serial), record)
  }

  /// The newer of two slots that is intact; nil if neither is.
  package static func newest(in bytes: [UInt8]) -> (serial: UInt64, record: HeadRecord)? {
    let slots = [bytes.prefix(slotSize), bytes.dropFirst(slotSize)]
    return slots.compactMap { parse(Array($0)) }.max { $0.serial < $1.serial }
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, the most significant first.
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
