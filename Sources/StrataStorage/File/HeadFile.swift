package import Foundation
package import StrataBase

/// What a head says: how far the writer had written, and how far that was surely on disk.
package struct HeadRecord: Equatable, Sendable {
  /// A revision and the chain there.
  package struct Mark: Equatable, Sendable {
    package var revision: Revision
    package var chain: Checksum

    package init(revision: Revision, chain: Checksum) {
      self.revision = revision
      self.chain = chain
    }
  }

  package var storeID: UUID
  package var epoch: Int64
  /// Of the boot during which `written` was true: what was written survives a process, not a boot.
  package var bootID: UUID
  package var durable: Mark
  package var written: Mark

  package init(storeID: UUID, epoch: Int64, bootID: UUID, durable: Mark, written: Mark) {
    self.storeID = storeID
    self.epoch = epoch
    self.bootID = bootID
    self.durable = durable
    self.written = written
  }

  /// Bytes 0–7 magic, 8–15 serial, 16 store id, 32 epoch, 40 boot id, 56 durable revision, 64 its
  /// chain, 80 written revision, 88 its chain, 104 checksum of the bytes before; the rest is 0.
  ///
  /// Numbers are big-endian.
  static let slotSize = 512
  private static let magic = Array("StrtHead".utf8)

  package func slot(serial: UInt64) -> [UInt8] {
    var bytes = Self.magic
    bytes += serial.bigEndianBytes
    bytes += storeID.byteArray + epoch.bigEndianBytes + bootID.byteArray
    bytes += durable.revision.number.bigEndianBytes + durable.chain.bytes
    bytes += written.revision.number.bigEndianBytes + written.chain.bytes
    bytes += Checksum(of: bytes).bytes
    return bytes + [UInt8](repeating: 0, count: Self.slotSize - bytes.count)
  }

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
    let record = HeadRecord(
      storeID: storeID,
      epoch: number(32),
      bootID: bootID,
      durable: Mark(revision: Revision(number(56)), chain: durableChain),
      written: Mark(revision: Revision(number(80)), chain: writtenChain)
    )
    return (UInt64(bitPattern: number(8)), record)
  }

  /// What two slots say: the newer one that is whole; nil when neither is.
  package static func newest(in bytes: [UInt8]) -> (serial: UInt64, record: HeadRecord)? {
    let slots = [bytes.prefix(slotSize), bytes.dropFirst(slotSize)]
    return slots.compactMap { parse(Array($0)) }.max { $0.serial < $1.serial }
  }
}

/// The head: a small file beside the store, two slots written in turn.
///
/// A torn write costs one slot; the other still says what was true just before. It is written after
/// every transaction but synced only at checkpoint, snapshot and close, so it costs no second fsync.
struct HeadFile: ~Copyable {
  private let file: OpenFile
  private var serial: UInt64

  init(opening path: String, on disk: Disk = .system) throws(SystemError) {
    let file = try disk.open(path, O_RDWR | O_CREAT)
    let newest = HeadRecord.newest(in: try file.read(2 * HeadRecord.slotSize, at: 0))
    if newest == nil {
      try file.write([UInt8](repeating: 0, count: 2 * HeadRecord.slotSize), at: 0)
    }
    self.file = file
    serial = newest?.serial ?? 0
  }

  /// Reads a head without creating or changing anything; nil when there is none or both are torn.
  ///
  /// Throws where there is one that the disk does not give: what it says must not be passed over.
  static func read(_ path: String, on disk: Disk = .system) throws(SystemError) -> HeadRecord? {
    guard FileIdentity(ofFileAt: path) != nil else { return nil }
    let bytes = try disk.open(path, O_RDONLY).read(2 * HeadRecord.slotSize, at: 0)
    return HeadRecord.newest(in: bytes)?.record
  }

  mutating func write(_ record: HeadRecord) throws(SystemError) {
    serial += 1
    let offset = Int64(serial % 2) * Int64(HeadRecord.slotSize)
    try file.write(record.slot(serial: serial), at: offset)
  }

  func sync() throws(SystemError) { try file.sync() }
}

extension HeadFile {
  /// Writes a synced head for a file that was made whole elsewhere: all of it is durable.
  static func write(_ position: Position, for path: StorePath, on disk: Disk) throws {
    let mark = HeadRecord.Mark(revision: position.revision, chain: position.chain)
    var head = try HeadFile(opening: path.head, on: disk)
    try head.write(
      HeadRecord(
        storeID: position.storeID,
        epoch: position.epoch,
        bootID: BootID.current(),
        durable: mark,
        written: mark
      )
    )
    try head.sync()
  }

  /// The epoch of a copy whose history was cut: above that of the copied file, and above that of the store
  /// whose place it takes, as far as its head says.
  static func epoch(
    afterCutting identity: StoreIdentity,
    at path: StorePath,
    on disk: Disk
  ) throws -> Int64 {
    let head = try read(path.head, on: disk)
    let before = head.flatMap { $0.storeID == identity.id ? $0.epoch : nil } ?? 0
    return max(identity.epoch, before) + 1
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, the most significant first.
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
