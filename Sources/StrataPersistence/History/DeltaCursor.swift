import StrataBase
import StrataJournal
import StrataNormalization

/// How far an iteration of the journal has come, and where it ends.
struct DeltaCursor: Sendable {
  /// The last delta that was read; at the start, the revision before the first.
  private(set) var revision: Revision
  private var chain: Checksum
  private let last: Revision

  private static var pageBytes: Int64 { 1 << 20 }

  init(from first: Revision?, to last: Revision?, _ view: ReadView) throws {
    self.last = last ?? view.last.revision
    let start = max(first ?? view.anchors.last?.header.revision.next ?? 1, 1)
    // Nothing was ever committed, or all of the journal was just merged into a snapshot.
    if first == nil, start > view.last.revision {
      (revision, chain) = (self.last, view.last.chain)
      return
    }
    revision = start.previous
    chain = try view.chain(before: start)
    if self.last >= start { try view.checkIsEnd(self.last) }
  }

  /// The next deltas, about a megabyte of them, and the cursor after them; no deltas at the end.
  func page<Database>(
    _ view: ReadView,
    _ decoder: DatabaseDecoder<Database>
  ) throws -> (deltas: [Delta], next: DeltaCursor) {
    var next = self
    var deltas: [Delta] = []
    var replay = view.replay(after: revision, chain: chain)
    while replay.revision < last, replay.bytes < Self.pageBytes,
      let (header, blocks) = try replay.next()
    {
      deltas.append(try decoder.decode(header, blocks, view.catalog))
    }
    (next.revision, next.chain) = (replay.revision, replay.chain)
    return (deltas, next)
  }
}
