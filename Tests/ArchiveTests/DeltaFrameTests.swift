import Foundation
import StrataArchiving
import StrataBase
import StrataJournal
import StrataRecords
import TestSupport
import Testing

struct DeltaFrameTests {
  /// A delta with one put and one removal, all numbers small, so that the page can print it.
  static func sample(context: DeltaContext? = DeltaContext(user: "ann")) throws -> DeltaFrame {
    let layout = try Layout([
      .init("id", .scalar(.string)), .init("team", .scalar(.string), to: .table("teams")),
    ])
    var builder = ChangeBlockBuilder()
    builder.put(
      [3, 97],
      in: "users",
      layout: 1,
      record: [0b10_10_00, 1, 97, 1, 116]
    )
    builder.remove([3, 98], from: "users")
    let block = try ChangeBlock(builder.finish())
    let header = DeltaHeader(
      revision: 7,
      first: 7,
      lineage: Lineage.ID(1),
      time: 1_770_000_000_000_000,
      origin: 2,
      trace: nil,
      name: "join",
      place: "",
      entities: 2,
      blocks: 1,
      bytes: block.bytes.count,
      context: context.flatMap { DeltaContexts([$0]).encoded() }
    )
    let storeID = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    let before = Checksum(of: Array("before".utf8))
    return try DeltaFrame(
      storeID: storeID,
      chainBefore: before,
      header: header,
      origin: .init(
        number: 2,
        id: UUID(uuid: (15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)),
        opened: 1_769_999_999_000_000
      ),
      tables: [.init(name: "users", since: 0)],
      layouts: [.init(number: 1, table: "users", layout: layout)],
      blocks: [block],
      chain: header.chain(
        after: before,
        storeID: storeID,
        blocks: [Checksum(of: block.bytes)],
        layouts: [1: layout.id]
      )
    )
  }

  @Test
  func `a frame comes back from its bytes`() throws {
    for frame in [try Self.sample(), try Self.sample(context: nil)] {
      #expect(try DeltaFrame(frame.encoded()) == frame)
    }
  }

  @Test
  func `frames follow one another, and the rest of the bytes stays`() throws {
    let frame = try Self.sample()
    var bytes = (frame.encoded() + frame.encoded() + [1, 2, 3])[...]
    #expect(try DeltaFrame(readingFrom: &bytes) == frame)
    #expect(try DeltaFrame(readingFrom: &bytes) == frame)
    #expect(Array(bytes) == [1, 2, 3])
    #expect(throws: CorruptionError("no frame begins here")) {
      try DeltaFrame(readingFrom: &bytes)
    }
    #expect(Array(bytes) == [1, 2, 3])
  }

  @Test
  func `no byte of a frame can change or be missing`() throws {
    let bytes = try Self.sample().encoded()
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        #expect(throws: CorruptionError.self) { try DeltaFrame(changed) }
      }
      #expect(throws: CorruptionError.self) { try DeltaFrame(Array(bytes[..<index])) }
    }
    #expect(throws: CorruptionError("1 bytes follow a frame")) { try DeltaFrame(bytes + [0]) }
  }

  /// A forged frame has a hash of its own, so what it says is checked as well.
  @Test
  func `a forged frame with a right hash is refused`() throws {
    let bytes = try Self.sample().encoded()
    // The body begins behind the magic, the version and a length of two bytes.
    let body = Array(bytes[10..<(bytes.count - 16)])
    let sample = try Self.sample()
    #expect(try DeltaFrame(Self.frame(body)) == sample)
    for index in body.indices {
      for byte in [body[index] ^ 1, 0, 0xFF] where byte != body[index] {
        var forged = body
        forged[index] = byte
        // What no hash covers but the frame's own: the origin's UUID and time, and when a table began.
        guard let frame = try? DeltaFrame(Self.frame(forged)) else { continue }
        let isOutside = frame.origin != sample.origin || frame.tables != sample.tables
        #expect(isOutside, "byte \(index) became \(byte)")
        #expect(frame.chain == sample.chain)
      }
    }
  }

  @Test
  func `counts beyond the bytes are refused without memory for them`() throws {
    var body = [UInt8](repeating: 0, count: 32) + [7, 7, 1, 0, 2]
    body += [UInt8](repeating: 0, count: 16) + [0, 0, 0, 0]
    for rest in [[0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0, 0xFF, 0xFF, 0x7F], [0, 0, 0xFF, 0x7F]] {
      #expect(throws: CorruptionError.self) {
        try DeltaFrame(Self.frame(body + rest.map { UInt8($0) }))
      }
    }
    let tables = [UInt8](repeating: 0, count: 2 * (DeltaFrame.rowLimit + 1))
    let count: [UInt8] = [0x81, 0x80, 0x04]
    #expect(throws: CorruptionError("a frame cannot be read: tooManyEntries")) {
      try DeltaFrame(Self.frame(body + count + tables))
    }
  }

  /// A frame with this body and a right hash.
  private static func frame(_ body: [UInt8]) -> [UInt8] {
    var bytes = Array("StrtFrm".utf8) + [1]
    bytes.appendVarint(UInt64(body.count))
    bytes += body
    return bytes + Checksum(of: bytes).bytes
  }

  @Test
  func `the frame on the page of the format is this one`() throws {
    let page = try String(contentsOf: Self.page, encoding: .utf8)
    #expect(page.hexBytes(after: "A frame, of revision 7") == (try Self.sample().encoded()))
    #expect(
      page.hexBytes(after: "A layout with a reference")
        == (try Self.sample()).layouts.first?.layout.body
    )
    #expect(
      page.hexBytes(after: "A context, of a commit")
        == DeltaContexts([DeltaContext(user: "ann")]).encoded()
    )
  }

  private static var page: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("Sources/StrataStorage/StrataStorage.docc/OnDiskFormat.md")
  }
}

extension String {
  /// The bytes in the first code block after a text.
  fileprivate func hexBytes(after text: String) -> [UInt8]? {
    guard let start = range(of: text),
      let open = range(of: "```\n", range: start.upperBound..<endIndex),
      let close = range(of: "```", range: open.upperBound..<endIndex)
    else { return nil }
    let digits = self[open.upperBound..<close.lowerBound].filter { !$0.isWhitespace }
    guard digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { offset in
      let start = digits.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16) ?? 0
    }
  }
}
