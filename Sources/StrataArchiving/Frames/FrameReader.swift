package import StrataBase
package import StrataJournal
import StrataRecords
import StrataSQLite

/// Reads deltas of a file as frames, one by one, each verified.
package struct FrameReader {
  private let identity: StoreIdentity
  private let connection: Connection
  private let catalog: LayoutCatalog
  private let last: Revision
  private var replay: JournalReplay
  /// Read for earlier frames and kept: the rows do not change.
  private var origins: [Int64: StoreIdentity.Origin] = [:]
  private var tables: [String: DeltaFrame.Table] = [:]
  private var layouts: [Set<Int64>: [LayoutCatalog.Row]] = [:]

  /// The frames of the deltas after a revision; throws if the journal no longer has them.
  ///
  /// - Parameter bytes: How many bytes of them are read at a time, about.
  package init(_ view: ReadView, after revision: Revision, bytes: Int = 1 << 20) throws {
    identity = view.identity
    connection = view.journal.connection
    catalog = view.catalog
    last = view.last.revision
    let chain =
      revision == view.last.revision ? view.last.chain : try view.chain(before: revision.next)
    replay = view.replay(after: revision, chain: chain, readingAhead: bytes)
  }

  /// The chain at the last delta that was read, or where reading starts.
  package var chain: Checksum { replay.chain }

  /// The next frame; nil after the last delta that the view has.
  package mutating func next() throws -> DeltaFrame? {
    guard replay.revision < last else { return nil }
    let before = replay.chain
    guard let (header, blocks) = try replay.next() else { return nil }
    let names = Set(blocks.flatMap(\.tables)).sorted(by: DeltaFrame.isOrdered)
    return try DeltaFrame(
      storeID: identity.id,
      chainBefore: before,
      header: header,
      origin: try origin(of: header),
      tables: try names.map { try table($0) },
      layouts: try layouts(of: blocks),
      blocks: blocks,
      chain: replay.chain,
      isVerified: true
    )
  }
}

extension FrameReader {
  private mutating func origin(of header: DeltaHeader) throws -> StoreIdentity.Origin {
    if let known = origins[header.origin] { return known }
    guard let origin = try StoreIdentity.origin(header.origin, in: connection) else {
      throw CorruptionError(
        "delta \(header.revision) names origin \(header.origin), which is not in the file"
      )
    }
    origins[header.origin] = origin
    return origin
  }

  private mutating func table(_ name: String) throws -> DeltaFrame.Table {
    if let known = tables[name] { return known }
    guard let since = try ListedTable.named(name, in: connection)?.since else {
      throw CorruptionError("table \(name) is not listed in the file")
    }
    let table = DeltaFrame.Table(name: name, since: since)
    tables[name] = table
    return table
  }

  private mutating func layouts(of blocks: [ChangeBlock]) throws -> [LayoutCatalog.Row] {
    let numbers = Set(blocks.flatMap(\.layoutNumbers))
    if let known = layouts[numbers] { return known }
    let rows = try catalog.rows(of: numbers)
    layouts[numbers] = rows
    return rows
  }
}

extension LayoutCatalog {
  /// These layouts, and all of a table that has sealed ones among them.
  fileprivate func rows(of numbers: Set<Int64>) throws -> [LayoutCatalog.Row] {
    var numbers = numbers
    for number in numbers where try layout(number).isOfSealedRecords {
      numbers.formUnion(allNumbers.filter { table(of: $0) == table(of: number) })
    }
    return try numbers.sorted().map { number in
      guard let table = table(of: number) else { throw CorruptionError("no layout \(number)") }
      return LayoutCatalog.Row(number: number, table: table, layout: try layout(number))
    }
  }
}
