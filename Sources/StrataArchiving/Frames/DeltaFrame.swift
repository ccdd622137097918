package import Foundation
package import StrataBase
package import StrataJournal
import StrataRecords

/// A delta with all that is needed to read it elsewhere: its layouts, its tables and its origin.
///
/// ```
/// frame    the 7 bytes "StrtFrm", version (1), varint length of the body, body, hash of all before
/// body     16 bytes store ID, 16 bytes the chain before,
///          varint revision, varint first, varint lineage, zigzag time,
///          varint origin, its 16 bytes UUID, zigzag opened,
///          flags (1 a trace, 2 a context), the trace, the context: each varint length, bytes,
///          text name, text place,
///          varint count of tables, each: text name, varint since
///          varint count of layouts, each: varint number, text table, varint length, body
///          varint count of blocks, each: varint length, block
///          16 bytes chain
/// ```
///
/// Tables are those that the delta changes, sorted by name as bytes. Layouts are those of its records, and
/// all others of a table with sealed records, whose inner layouts are not visible; sorted by number. The
/// encoding is canonical: a delta has exactly one frame. The chain of a frame must follow from its contents
/// and the chain before, so it shows which frame it continues.
package struct DeltaFrame: Sendable {
  /// A row of `entity_table`.
  package struct Table: Sendable, Equatable {
    package var name: String
    package var since: Revision

    package init(name: String, since: Revision) {
      self.name = name
      self.since = since
    }
  }

  package let storeID: UUID
  /// The chain at the delta before.
  package let chainBefore: Checksum
  package let header: DeltaHeader
  package let origin: StoreIdentity.Origin
  package let tables: [Table]
  package let layouts: [LayoutCatalog.Row]
  package let blocks: [ChangeBlock]
  /// The chain at this delta.
  package let chain: Checksum

  static let magic = Array("StrtFrm".utf8)
  static let version: UInt8 = 1
  /// The most tables and the most layouts of a frame.
  package static let rowLimit = 1 << 16

  /// Checks that the parts of a delta, from a file or a frame, fit together.
  ///
  /// - Parameter isVerified: Whether the chain was computed from these blocks when they were read.
  package init(
    storeID: UUID,
    chainBefore: Checksum,
    header: DeltaHeader,
    origin: StoreIdentity.Origin,
    tables: [Table],
    layouts: [LayoutCatalog.Row],
    blocks: [ChangeBlock],
    chain: Checksum,
    isVerified: Bool = false
  ) throws(CorruptionError) {
    let place = "delta \(header.revision)"
    guard header.first <= header.revision, header.first > 0 else {
      throw CorruptionError("\(place) starts at revision \(header.first)")
    }
    guard header.blocks == blocks.count, !blocks.isEmpty,
      header.bytes == blocks.reduce(0, { $0 + $1.bytes.count }),
      header.entities == blocks.reduce(0, { $0 + $1.entries.count })
    else { throw CorruptionError("the counts of \(place) are not those of its blocks") }
    guard header.origin == origin.number else {
      throw CorruptionError(
        "\(place) names origin \(header.origin), its frame has \(origin.number)"
      )
    }
    let changed = Set(blocks.flatMap(\.tables))
    guard tables.map(\.name) == changed.sorted(by: Self.isOrdered) else {
      throw CorruptionError("the tables in the frame of \(place) are not those it changes")
    }
    guard tables.allSatisfy({ $0.since <= header.revision }) else {
      throw CorruptionError("the frame of \(place) has a table from a later revision")
    }
    var hashes: [Int64: Checksum] = [:]
    for (index, layout) in layouts.enumerated() {
      guard index == 0 || layouts[index - 1].number < layout.number, changed.contains(layout.table)
      else {
        throw CorruptionError("layout \(layout.number) does not belong in the frame of \(place)")
      }
      hashes[layout.number] = layout.layout.id
    }
    var used: [Int64: Checksum] = [:]
    for number in Set(blocks.flatMap(\.layoutNumbers)) {
      guard let hash = hashes[number] else {
        throw CorruptionError("the frame of \(place) lacks layout \(number)")
      }
      used[number] = hash
    }
    if !isVerified {
      let computed = header.chain(
        after: chainBefore,
        storeID: storeID,
        blocks: blocks.map { Checksum(of: $0.bytes) },
        layouts: used
      )
      guard computed == chain else {
        throw CorruptionError.hashMismatch(in: place, stored: chain, computed: computed)
      }
    }
    _ = try header.contexts()
    self.storeID = storeID
    self.chainBefore = chainBefore
    self.header = header
    self.origin = origin
    self.tables = tables
    self.layouts = layouts
    self.blocks = blocks
    self.chain = chain
  }

  static func isOrdered(_ a: String, before b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}

extension DeltaFrame: Equatable {
  /// Whether both have the same bytes.
  package static func == (a: Self, b: Self) -> Bool { a.chain == b.chain && a.body() == b.body() }
}

/// Writing.
extension DeltaFrame {
  /// The frame as bytes; O(bytes).
  package func encoded() -> [UInt8] {
    let body = body()
    var bytes = Self.magic
    bytes.append(Self.version)
    bytes.appendVarint(UInt64(body.count))
    bytes += body
    bytes += Checksum(of: bytes).bytes
    return bytes
  }

  private func body() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(header.bytes + 512)
    bytes += storeID.byteArray
    bytes += chainBefore.bytes
    bytes.appendVarint(UInt64(header.revision.number))
    bytes.appendVarint(UInt64(header.first.number))
    bytes.appendVarint(UInt64(header.lineage.number))
    bytes.appendZigzag(header.time)
    bytes.appendVarint(UInt64(bitPattern: origin.number))
    bytes += origin.id.byteArray
    bytes.appendZigzag(origin.opened)
    bytes.append((header.trace == nil ? 0 : 1) | (header.context == nil ? 0 : 2))
    for part in [header.trace, header.context].compactMap({ $0 }) { Self.append(part, to: &bytes) }
    bytes.appendText(header.name)
    bytes.appendText(header.place)
    bytes.appendVarint(UInt64(tables.count))
    for table in tables {
      bytes.appendText(table.name)
      bytes.appendVarint(UInt64(table.since.number))
    }
    bytes.appendVarint(UInt64(layouts.count))
    for layout in layouts {
      bytes.appendVarint(UInt64(layout.number))
      bytes.appendText(layout.table)
      Self.append(layout.layout.body, to: &bytes)
    }
    bytes.appendVarint(UInt64(blocks.count))
    for block in blocks { Self.append(block.bytes, to: &bytes) }
    return bytes + chain.bytes
  }

  private static func append(_ part: [UInt8], to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(part.count))
    bytes += part
  }
}
