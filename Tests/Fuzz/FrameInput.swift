import Foundation
import StrataArchiving
import StrataBase
import StrataJournal
import StrataRecords

/// The body of a frame; the magic, the length and the hash are added, as no fuzzer finds a hash.
enum FrameInput {
  static func check(_ bytes: [UInt8]) {
    _ = try? DeltaFrame(bytes)
    guard let frame = try? DeltaFrame(whole(bytes)) else { return }
    require(frame.encoded() == whole(bytes), "a frame has exactly one form")
    for block in frame.blocks {
      require((try? ChangeBlock(block)) != nil, "a block of a frame is a change block")
    }
    require((try? frame.header.contexts()) != nil, "the context of a frame can be read")
  }

  private static func whole(_ body: [UInt8]) -> [UInt8] {
    var bytes = Array("StrtFrm".utf8) + [1]
    bytes.appendVarint(UInt64(body.count))
    bytes += body
    return bytes + Checksum(of: bytes).bytes
  }

  static func seeds() throws -> [[UInt8]] {
    try [
      nil, DeltaContexts([DeltaContext(user: "ann", fields: ["a": "b"])]).encoded(),
    ].map { try body(of: try frame($0)) }
  }

  private static func body(of frame: DeltaFrame) throws -> [UInt8] {
    let bytes = frame.encoded()
    var cursor = 8
    while bytes[cursor] & 0x80 != 0 { cursor += 1 }
    return Array(bytes[(cursor + 1)..<(bytes.count - 16)])
  }

  private static func frame(_ context: [UInt8]?) throws -> DeltaFrame {
    var builder = ChangeBlockBuilder()
    var layouts: [LayoutCatalog.Row] = []
    var hashes: [Int64: Checksum] = [:]
    for (number, sample) in try Samples.records().enumerated() {
      let layout = Int64(number + 1)
      builder.put(
        try EncodedID.bytes(of: number),
        in: "books",
        layout: layout,
        record: sample.bytes
      )
      layouts.append(.init(number: layout, table: "books", layout: sample.layout))
      hashes[layout] = sample.layout.id
    }
    builder.remove(try EncodedID.bytes(of: "a"), from: "authors")
    let block = try ChangeBlock(builder.finish())
    let header = DeltaHeader(
      revision: 3,
      first: 2,
      lineage: Lineage.ID(1),
      time: 5,
      origin: 1,
      trace: nil,
      name: "name",
      place: "place",
      entities: block.entries.count,
      blocks: 1,
      bytes: block.bytes.count,
      context: context
    )
    let (store, before) = (UUID(), Checksum(of: []))
    return try DeltaFrame(
      storeID: store,
      chainBefore: before,
      header: header,
      origin: .init(number: 1, id: UUID(), opened: 4),
      tables: [.init(name: "authors", since: 0), .init(name: "books", since: 1)],
      layouts: layouts,
      blocks: [block],
      chain: header.chain(
        after: before,
        storeID: store,
        blocks: [Checksum(of: block.bytes)],
        layouts: hashes
      )
    )
  }
}
