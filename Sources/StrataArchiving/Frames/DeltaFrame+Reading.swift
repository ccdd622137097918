import Foundation
import StrataBase
package import StrataJournal
import StrataRecords

extension DeltaFrame {
  /// Reads the frame at the front of untrusted bytes, and removes it from them.
  ///
  /// The hash of the frame is verified first, then its contents. O(bytes).
  ///
  /// - Parameter before: The frame before this one, whose layouts need not be parsed again.
  /// - Throws: `CorruptionError` with what is wrong; then `bytes` is unchanged.
  package init(
    readingFrom bytes: inout ArraySlice<UInt8>,
    after before: DeltaFrame? = nil
  ) throws(CorruptionError) {
    let (body, end) = try Self.checkedBody(bytes)
    var contents = FrameContents()
    do throws(RecordError) {
      try bytes[body].withCursor { cursor throws(RecordError) in try contents.read(&cursor) }
    } catch {
      throw CorruptionError("a frame cannot be read: \(error)")
    }
    try self.init(contents, after: before)
    bytes = bytes[end...]
  }

  /// Reads bytes that are one frame.
  package init(_ bytes: [UInt8]) throws(CorruptionError) {
    var rest = bytes[...]
    try self.init(readingFrom: &rest)
    guard rest.isEmpty else { throw CorruptionError("\(rest.count) bytes follow a frame") }
  }

  /// Where the body of a frame is, and where the frame ends, once its hash was verified.
  private static func checkedBody(
    _ bytes: ArraySlice<UInt8>
  ) throws(CorruptionError) -> (body: Range<Int>, end: Int) {
    guard bytes.starts(with: magic) else { throw CorruptionError("no frame begins here") }
    let body: Range<Int>
    do throws(RecordError) {
      body = try bytes.dropFirst(magic.count).withCursor { cursor throws(RecordError) in
        let start = cursor.offset
        let version = try cursor.byte()
        guard version == Self.version else { throw .badTag(version, at: start) }
        return try cursor.block()
      }
    } catch {
      if case .badTag(let version, _) = error {
        throw CorruptionError(
          "a frame has version \(version); this build knows \(Self.version)"
        )
      }
      throw CorruptionError("a frame cannot be read: \(error)")
    }
    let end = body.upperBound + 16
    guard end <= bytes.endIndex, let stored = Checksum(bytes: Array(bytes[body.upperBound..<end]))
    else { throw CorruptionError("a frame ends after \(bytes.count) bytes, before its hash") }
    let computed = Checksum(of: Array(bytes[bytes.startIndex..<body.upperBound]))
    guard stored == computed else {
      throw CorruptionError.hashMismatch(in: "a frame", stored: stored, computed: computed)
    }
    return (body, end)
  }

  private init(
    _ contents: FrameContents,
    after before: DeltaFrame?
  ) throws(CorruptionError) {
    func number(_ value: UInt64) -> Int64 { Int64(clamping: value) }
    var blocks: [ChangeBlock] = []
    for body in contents.blocks { blocks.append(try ChangeBlock(body, of: "a block of a frame")) }
    guard let storeID = UUID(byteArray: contents.storeID),
      let originID = UUID(byteArray: contents.originID),
      let chainBefore = Checksum(bytes: contents.chainBefore),
      let chain = Checksum(bytes: contents.chain)
    else { throw CorruptionError("a frame cannot be read: an ID or a hash is cut off") }
    var tables: [Table] = []
    for (name, since) in contents.tables {
      let since = try StoredNumber.revision(number(since), "the beginning of a table in a frame")
      tables.append(Table(name: name, since: since))
    }
    var layouts: [LayoutCatalog.Row] = []
    for (id, table, body) in contents.layouts {
      let id = try StoredNumber.layout(number(id), "the number of a layout in a frame")
      let known = before?.layouts.first { $0.number == id && $0.layout.body == body }
      if let known {
        layouts.append(LayoutCatalog.Row(number: id, table: table, layout: known.layout))
        continue
      }
      do throws(RecordError) {
        layouts.append(LayoutCatalog.Row(number: id, table: table, layout: try Layout(body: body)))
      } catch {
        throw CorruptionError("layout \(id) of a frame cannot be read: \(error)")
      }
    }
    let header = DeltaHeader(
      revision: try StoredNumber.revision(number(contents.revision), "the revision of a frame"),
      first: try StoredNumber.revision(number(contents.first), "the first revision of a frame"),
      lineage: Lineage.ID(
        try StoredNumber.lineage(number(contents.lineage), "the lineage of a frame")
      ),
      time: try StoredNumber.time(contents.time, "the time of a frame"),
      origin: Int64(bitPattern: contents.origin),
      trace: contents.trace,
      name: contents.name,
      place: contents.place,
      entities: blocks.reduce(0) { $0 + $1.entries.count },
      blocks: blocks.count,
      bytes: blocks.reduce(0) { $0 + $1.bytes.count },
      context: contents.context
    )
    try self.init(
      storeID: storeID,
      chainBefore: chainBefore,
      header: header,
      origin: StoreIdentity.Origin(
        number: header.origin,
        id: originID,
        opened: try StoredNumber.time(contents.opened, "the time of the opening in a frame")
      ),
      tables: tables,
      layouts: layouts,
      blocks: blocks,
      chain: chain
    )
  }
}

/// The parts of a frame's body in their order, before anything was checked but their lengths.
private struct FrameContents {
  var storeID: [UInt8] = []
  var chainBefore: [UInt8] = []
  var (revision, first, lineage): (UInt64, UInt64, UInt64) = (0, 0, 0)
  var time: Int64 = 0
  var origin: UInt64 = 0
  var originID: [UInt8] = []
  var opened: Int64 = 0
  var trace: [UInt8]?
  var context: [UInt8]?
  var name = ""
  var place = ""
  var tables: [(name: String, since: UInt64)] = []
  var layouts: [(number: UInt64, table: String, body: [UInt8])] = []
  var blocks: [[UInt8]] = []
  var chain: [UInt8] = []

  mutating func read(_ cursor: inout ByteCursor) throws(RecordError) {
    storeID = try cursor.bytes(16)
    chainBefore = try cursor.bytes(16)
    revision = try cursor.varint()
    first = try cursor.varint()
    lineage = try cursor.varint()
    time = try cursor.zigzag()
    origin = try cursor.varint()
    originID = try cursor.bytes(16)
    opened = try cursor.zigzag()
    let start = cursor.offset
    let flags = try cursor.byte()
    guard flags < 4 else { throw .badTag(flags, at: start) }
    if flags & 1 != 0 { trace = try cursor.part() }
    if flags & 2 != 0 { context = try cursor.part() }
    name = try cursor.text()
    place = try cursor.text()
    for _ in 0..<(try count(&cursor)) { tables.append((try cursor.text(), try cursor.varint())) }
    for _ in 0..<(try count(&cursor)) {
      layouts.append((try cursor.varint(), try cursor.text(), try cursor.part()))
    }
    for _ in 0..<(try cursor.count()) { blocks.append(try cursor.part()) }
    chain = try cursor.bytes(16)
    guard cursor.remaining == 0 else { throw .trailingBytes(at: cursor.offset) }
  }

  private func count(_ cursor: inout ByteCursor) throws(RecordError) -> Int {
    let count = try cursor.count()
    guard count <= DeltaFrame.rowLimit else { throw .tooManyEntries }
    return count
  }
}

extension ByteCursor {
  /// The bytes behind their length.
  fileprivate mutating func part() throws(RecordError) -> [UInt8] {
    let range = try block()
    return Array(self[range])
  }
}
