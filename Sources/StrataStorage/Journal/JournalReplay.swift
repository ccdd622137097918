import Foundation
package import StrataBase
import StrataRecords

/// Reads the deltas after a point one by one and verifies each: no gap, and an unbroken chain.
package struct JournalReplay {
  private let journal: Journal
  private let catalog: LayoutCatalog
  private let identity: StoreIdentity
  /// The revision of the last verified delta, or of the start.
  package private(set) var revision: Revision
  package private(set) var chain: Checksum
  private(set) var deltas = 0
  package private(set) var bytes: Int64 = 0
  /// Deltas that were read ahead, in reverse order.
  private var ahead: [StoredDelta] = []

  /// How many bytes are read ahead.
  ///
  /// With 0, a delta that cannot be read does not fail the ones before it.
  private let readAhead: Int

  init(
    after revision: Revision,
    chain: Checksum,
    of identity: StoreIdentity,
    in journal: Journal,
    _ catalog: LayoutCatalog,
    readingAhead readAhead: Int = 1 << 20
  ) {
    self.readAhead = readAhead
    self.journal = journal
    self.catalog = catalog
    self.identity = identity
    self.revision = revision
    self.chain = chain
  }

  /// The next delta with all its blocks; nil at the end.
  ///
  /// - Throws: `CorruptionError` at a gap or a broken chain.
  package mutating func next() throws -> (header: DeltaHeader, blocks: [ChangeBlock])? {
    if ahead.isEmpty {
      ahead = try journal.deltas(after: revision, upTo: readAhead).reversed()
    }
    guard let row = ahead.popLast() else { return nil }
    let header = row.header
    guard header.first == revision.next, header.revision >= header.first else {
      throw CorruptionError(
        "the journal has no delta between revisions \(revision) and \(header.first)"
      )
    }
    let blocks = try readBlocks(of: row)
    let expected = header.chain(
      after: chain,
      storeID: identity.id,
      blocks: blocks.map { Checksum(of: $0.bytes) },
      sortedLayouts: try layouts(of: blocks)
    )
    guard expected == row.hash else {
      throw CorruptionError.hashMismatch(
        in: "delta \(header.revision)",
        stored: row.hash,
        computed: expected
      )
    }
    revision = header.revision
    chain = row.hash
    deltas += 1
    bytes += Int64(header.footprint)
    return (header, blocks)
  }

  /// Adds all further deltas to an overlay, up to `last` if given.
  mutating func replay(into overlay: inout Overlay, through last: Revision? = nil) throws {
    while last.map({ revision < $0 }) ?? true, let (_, blocks) = try next() {
      for block in blocks { overlay.add(block) }
    }
  }

  /// Mostly there is one layout, so this uses neither a set nor a dictionary.
  private func layouts(of blocks: [ChangeBlock]) throws -> [(id: Int64, hash: Checksum)] {
    var numbers = blocks.first?.layoutNumbers ?? []
    if blocks.count > 1 { numbers = Set(blocks.flatMap(\.layoutNumbers)).sorted() }
    return try numbers.map { ($0, try catalog.layout($0).id) }
  }

  private func readBlocks(of row: StoredDelta) throws -> [ChangeBlock] {
    let revision = row.header.revision
    var blocks: [ChangeBlock] = []
    for number in 0..<row.header.blocks {
      let body = number == 0 ? row.body : try journal.block(number, of: revision)
      let place = "block \(number) of delta \(revision)"
      guard let body else { throw CorruptionError("\(place) is missing") }
      blocks.append(try ChangeBlock(body, of: place))
    }
    return blocks
  }
}
