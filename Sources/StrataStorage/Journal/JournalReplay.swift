import Foundation
package import StrataBase
import StrataRecords

/// Goes through the deltas after a point one by one and proves each: no gap, the chain unbroken.
package struct JournalReplay {
  private let journal: Journal
  private let catalog: LayoutCatalog
  private let identity: StoreIdentity
  /// The last delta that was proved, or where it began.
  package private(set) var revision: Revision
  package private(set) var chain: Checksum
  private(set) var deltas = 0
  package private(set) var bytes: Int64 = 0
  /// Read ahead, the next one last.
  private var ahead: [DeltaRow] = []

  /// How many bytes are read ahead: with none, what cannot be read costs nothing before it.
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

  /// The next delta with all its parts, or nil at the end.
  ///
  /// - Throws: `CorruptionError` where the run breaks.
  package mutating func next() throws -> (header: DeltaHeader, parts: [ChangeBlock])? {
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
    let parts = try readParts(of: row)
    let expected = header.chain(
      after: chain,
      storeID: identity.id,
      parts: parts.map { Checksum(of: $0.bytes) },
      sortedLayouts: try layouts(of: parts)
    )
    guard expected == row.hash else {
      throw CorruptionError("the delta at revision \(header.revision) has another hash")
    }
    revision = header.revision
    chain = row.hash
    deltas += 1
    bytes += Int64(header.footprint)
    return (header, parts)
  }

  /// Lays all further deltas over an overlay, up to `last` if given.
  mutating func replay(into overlay: inout Overlay, through last: Revision? = nil) throws {
    while last.map({ revision < $0 }) ?? true, let (_, parts) = try next() {
      for part in parts { overlay.add(part) }
    }
  }

  /// Mostly one layout, so there is neither a set nor a dictionary.
  private func layouts(of parts: [ChangeBlock]) throws -> [(id: Int64, hash: Checksum)] {
    var numbers = parts.first?.layoutNumbers ?? []
    if parts.count > 1 { numbers = Set(parts.flatMap(\.layoutNumbers)).sorted() }
    return try numbers.map { ($0, try catalog.layout($0).id) }
  }

  private func readParts(of row: DeltaRow) throws -> [ChangeBlock] {
    let revision = row.header.revision
    var parts: [ChangeBlock] = []
    for number in 0..<row.header.parts {
      let body = number == 0 ? row.body : try journal.part(number, of: revision)
      let place = "part \(number) of the delta at revision \(revision)"
      guard let body else { throw CorruptionError("\(place) is missing") }
      parts.append(try ChangeBlock(body, of: place))
    }
    return parts
  }
}
