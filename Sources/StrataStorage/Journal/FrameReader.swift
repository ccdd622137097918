import StrataBase
import StrataRecords
import StrataSQLite

/// Reads deltas of a file as frames, one by one, each verified.
package struct FrameReader {
  private let identity: StoreIdentity
  private let connection: Connection
  private let catalog: LayoutCatalog
  private let last: Revision
  private var replay: JournalReplay

  /// The frames of the deltas after a revision; throws if the journal no longer has them.
  package init(_ view: ReadView, after revision: Revision) throws {
    identity = view.identity
    connection = view.journal.connection
    catalog = view.catalog
    last = view.last.revision
    let chain =
      revision == view.last.revision ? view.last.chain : try view.chain(before: revision.next)
    replay = view.replay(after: revision, chain: chain)
  }

  /// The next frame; nil after the last delta that the view has.
  package mutating func next() throws -> DeltaFrame? {
    guard replay.revision < last else { return nil }
    let before = replay.chain
    guard let (header, blocks) = try replay.next() else { return nil }
    guard let origin = try StoreIdentity.origin(header.origin, in: connection) else {
      throw CorruptionError(
        "delta \(header.revision) names origin \(header.origin), which is not in the file"
      )
    }
    let names = Set(blocks.flatMap(\.tables)).sorted(by: DeltaFrame.isOrdered)
    return try DeltaFrame(
      storeID: identity.id,
      chainBefore: before,
      header: header,
      origin: origin,
      tables: try names.map { name in
        guard let since = try StoreIdentity.since(name, in: connection) else {
          throw CorruptionError("table \(name) is not listed in the file")
        }
        return DeltaFrame.Table(name: name, since: since)
      },
      layouts: try catalog.rows(for: blocks),
      blocks: blocks,
      chain: replay.chain
    )
  }
}

extension LayoutCatalog {
  /// The layouts of the records in blocks, and all of a table that has sealed ones.
  fileprivate func rows(for blocks: [ChangeBlock]) throws -> [DeltaFrame.LayoutRow] {
    var numbers = Set(blocks.flatMap(\.layoutNumbers))
    for number in numbers where try layout(number).isOfSealedRecords {
      numbers.formUnion(allNumbers.filter { table(of: $0) == table(of: number) })
    }
    return try numbers.sorted().map { number in
      guard let table = table(of: number) else { throw CorruptionError("no layout \(number)") }
      return DeltaFrame.LayoutRow(
        number: number,
        table: table,
        body: try layout(number).body
      )
    }
  }
}
