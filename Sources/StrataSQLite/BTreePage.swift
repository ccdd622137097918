/// The structure of one page of a B-tree (`sqlite.org/fileformat2.html#b_tree_pages`), checked.
///
/// ```
/// header   on page 1 after 100 bytes: type (2, 5 interior; 10, 13 leaf; 2, 10 of an index), first
///          freeblock (2 bytes), count of cells (2), start of the cells (2; 0 is 65536), count of
///          fragmented bytes; of an interior page the rightmost child (4)
/// offsets  2 bytes for each cell
/// cells    and freeblocks: offset of the next one (2), size (2)
/// ```
///
/// SQLite trusts the free space that a page states, and writes there. So every byte of the content area
/// must belong to exactly one cell, freeblock or fragment.
struct BTreePage {
  /// Why a page is refused, without its number.
  struct Flaw: Error {
    let reason: String
  }

  let isIndex: Bool
  let isLeaf: Bool
  /// The pages below it, in order.
  private(set) var children: [Int] = []
  /// The first pages of payloads that do not fit into it.
  private(set) var overflows: [Int] = []

  private let bytes: [UInt8]
  private let usable: Int

  /// Reads a page and checks its structure; O(its cells).
  ///
  /// - Parameter reserved: the bytes at its end that SQLite does not use.
  init(_ bytes: [UInt8], isFirst: Bool, reserved: Int) throws(Flaw) {
    self.bytes = bytes
    usable = bytes.count - reserved
    let start = isFirst ? 100 : 0
    switch bytes[start] {
    case 2: (isIndex, isLeaf) = (true, false)
    case 5: (isIndex, isLeaf) = (false, false)
    case 10: (isIndex, isLeaf) = (true, true)
    case 13: (isIndex, isLeaf) = (false, true)
    default: throw Flaw(reason: "is no page of a table or index")
    }
    let count = bytes.number(at: start + 3, bytes: 2)
    let offsets = start + (isLeaf ? 8 : 12)
    var content = bytes.number(at: start + 5, bytes: 2)
    if content == 0 { content = 65536 }
    guard offsets + 2 * count <= content, content <= usable else {
      throw Flaw(reason: "states a wrong start of its content")
    }
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(count)
    for index in 0..<count {
      let offset = bytes.number(at: offsets + 2 * index, bytes: 2)
      guard offset >= content, offset + 4 <= usable else {
        throw Flaw(reason: "has a cell outside its content")
      }
      ranges.append(offset..<offset + (try readCell(at: offset)))
    }
    if !isLeaf { children.append(bytes.number(at: start + 8, bytes: 4)) }
    try addFreeblocks(from: bytes.number(at: start + 1, bytes: 2), within: content, to: &ranges)
    try Self.check(ranges, content..<usable, fragments: Int(bytes[start + 7]))
  }

  /// Notes the page below a cell and the page it continues on; returns its size.
  private mutating func readCell(at start: Int) throws(Flaw) -> Int {
    var offset = start
    if !isLeaf {
      children.append(bytes.number(at: offset, bytes: 4))
      offset += 4
    }
    if !isLeaf, !isIndex {
      _ = try varint(&offset)
      return max(4, offset - start)
    }
    let payload = try varint(&offset)
    if !isIndex { _ = try varint(&offset) }
    let local = try localSize(of: payload)
    offset += local
    if UInt64(local) < payload {
      guard offset + 4 <= usable else { throw Flaw(reason: "has a cell beyond its end") }
      overflows.append(bytes.number(at: offset, bytes: 4))
      offset += 4
    }
    return max(4, offset - start)
  }

  /// How much of a payload is in the page; section 1.6 of the format.
  private func localSize(of payload: UInt64) throws(Flaw) -> Int {
    let most = isIndex ? (usable - 12) * 64 / 255 - 23 : usable - 35
    if payload <= UInt64(most) { return Int(payload) }
    guard payload <= UInt64(Int32.max) else {
      throw Flaw(reason: "has a cell of an impossible size")
    }
    let least = (usable - 12) * 32 / 255 - 23
    let size = least + (Int(payload) - least) % (usable - 4)
    return size <= most ? size : least
  }

  private func varint(_ offset: inout Int) throws(Flaw) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<9 {
      guard offset < usable else { throw Flaw(reason: "has a cell beyond its end") }
      let byte = bytes[offset]
      offset += 1
      if index == 8 { return number << 8 | UInt64(byte) }
      number = number << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { break }
    }
    return number
  }

  private func addFreeblocks(
    from first: Int,
    within content: Int,
    to ranges: inout [Range<Int>]
  ) throws(Flaw) {
    var offset = first
    while offset != 0 {
      guard offset >= content, offset + 4 <= usable else {
        throw Flaw(reason: "has a freeblock outside its content")
      }
      let next = bytes.number(at: offset, bytes: 2)
      let size = bytes.number(at: offset + 2, bytes: 2)
      guard size >= 4, next == 0 || next >= offset + size else {
        throw Flaw(reason: "has freeblocks out of order")
      }
      ranges.append(offset..<offset + size)
      offset = next
    }
  }

  private static func check(
    _ ranges: [Range<Int>],
    _ content: Range<Int>,
    fragments: Int
  ) throws(Flaw) {
    var end = content.lowerBound
    var unused = 0
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard range.lowerBound >= end, range.upperBound <= content.upperBound else {
        throw Flaw(reason: "uses bytes of its content twice")
      }
      unused += range.lowerBound - end
      end = range.upperBound
    }
    unused += content.upperBound - end
    guard unused == fragments else {
      throw Flaw(reason: "states \(fragments) fragmented bytes and has \(unused)")
    }
  }
}
