import StrataBase
import StrataJournal
import StrataRecords
import StrataSQLite

/// Writes the deltas and snapshots of a file to a ``StoreCopy`` with some of their changes left out or replaced, and computes
/// the chain again.
///
/// Up to the first change that is not kept, deltas stay as they are, with their hashes. From there on each
/// has a new hash, and the lineage of the new file. Chunks of snapshots that have nothing of what is left out keep their
/// bytes, and snapshots share chunks as before.
struct HistoryRewriter {
  /// What to do with the context of a delta.
  enum Context {
    case kept
    /// It is removed from a delta in which a change was not kept.
    case removedFromChanged
    case removed
  }

  /// Adds to a block what stands for a change of a delta; returns false, and adds nothing, where the change is kept.
  typealias Replacement = (
    inout ChangeBlockBuilder, DeltaHeader, ChangeBlock, ChangeBlock.Entry
  ) throws -> Bool

  private let view: ReadView
  private let destination: Connection
  private let identity: StoreIdentity
  private let context: Context
  private var replay: JournalReplay
  /// The chain of the new file after the last delta.
  private(set) var chain: Checksum
  /// The first delta whose hash changes.
  private(set) var firstRewritten: Revision?
  /// How many changes were left out or replaced.
  private(set) var changes = 0
  /// How many deltas the new file has.
  var deltas: Int { replay.deltas }
  /// The group of the last snapshot.
  private var group: Revision?
  /// The chunks of the group as written, by their numbers in the file that is read; nil for a chunk that is empty now.
  private var written: [Int64: ListedChunk?] = [:]
  /// The chunks of all groups that have kept their bytes.
  private var kept: [Int64: ListedChunk] = [:]

  /// - Parameters:
  ///   - replay: The deltas of the file that is read, none of which was read.
  ///   - identity: That of the new file, with its lineages.
  ///   - chain: The chain of the new file before the first delta; nil for that of the other one.
  init(
    _ view: ReadView,
    _ replay: JournalReplay,
    to destination: Connection,
    of identity: StoreIdentity,
    chain: Checksum? = nil,
    _ context: Context
  ) {
    self.view = view
    self.replay = replay
    self.destination = destination
    self.identity = identity
    self.context = context
    self.chain = chain ?? replay.chain
    if self.chain != replay.chain { firstRewritten = replay.revision.next }
  }

  /// The chain of the new file at a revision where the other one has a chain; the same before its first delta.
  func chain(at mark: HeadRecord.Mark) throws -> Checksum {
    let journal = Journal(connection: destination)
    let delta = try journal.headers(after: mark.revision.previous, limit: 1).first
    return delta.flatMap { $0.header.revision == mark.revision ? $0.hash : nil } ?? mark.chain
  }

  /// Writes all deltas.
  ///
  /// - Parameter layouts: The hashes of layouts by their numbers in the new file.
  mutating func rewriteDeltas(
    layouts: (Set<Int64>) throws -> [Int64: Checksum],
    _ replace: Replacement
  ) throws {
    while replay.revision < view.last.revision, let (header, blocks) = try replay.next() {
      try rewrite(header, blocks, layouts, replace)
    }
    guard replay.revision == view.last.revision else {
      throw CorruptionError(
        "the journal ends at revision \(replay.revision), before \(view.last.revision)"
      )
    }
  }

  /// Writes the delta that was read last.
  private mutating func rewrite(
    _ read: DeltaHeader,
    _ blocks: [ChangeBlock],
    _ layouts: (Set<Int64>) throws -> [Int64: Checksum],
    _ replace: Replacement
  ) throws {
    var header = read
    var numbers: Set<Int64> = []
    var bodies: [[UInt8]] = []
    let before = changes
    header.entities = 0
    for block in blocks {
      var builder = ChangeBlockBuilder()
      let beforeBlock = changes
      for entry in block.entries {
        if try replace(&builder, read, block, entry) {
          changes += 1
        } else {
          builder.add(entry, of: block)
        }
      }
      numbers.formUnion(builder.layouts)
      header.entities += builder.count
      bodies.append(changes == beforeBlock ? block.bytes : builder.finish())
    }
    header.bytes = bodies.reduce(0) { $0 + $1.count }
    let dropsContext =
      switch context {
      case .kept: false
      case .removedFromChanged: changes > before && header.context != nil
      case .removed: header.context != nil
      }
    if dropsContext { header.context = nil }
    if firstRewritten != nil || changes > before || dropsContext {
      header.lineage = identity.lineage
    }
    chain = header.chain(
      after: chain,
      storeID: identity.id,
      blocks: bodies.map { Checksum(of: $0) },
      layouts: try layouts(numbers)
    )
    let journal = Journal(connection: destination)
    for (number, body) in bodies.enumerated().dropFirst() {
      try journal.appendBlock(number, of: header.revision, body)
    }
    try journal.append(header, body: bodies.first ?? [0], hash: chain)
    if chain != replay.chain, firstRewritten == nil { firstRewritten = header.revision }
  }
}

/// Snapshots.
extension HistoryRewriter {
  /// Writes a verified snapshot and its names, once the deltas are written; every chunk of it is verified first.
  ///
  /// - Parameter group: The same for all snapshots, one after the other, from which the same entities are removed.
  mutating func rewrite(
    _ snapshot: StoredSnapshot,
    group: Revision,
    without isRemoved: (_ table: String, _ id: ArraySlice<UInt8>) -> Bool
  ) throws {
    if group != self.group { written.removeAll() }
    self.group = group
    let revision = snapshot.header.revision
    let snapshots = SnapshotStore(connection: view.journal.connection)
    let copies = SnapshotStore(connection: destination)
    try snapshots.copy(
      snapshot,
      of: view.identity,
      view.catalog,
      to: copies,
      chain: try chain(at: HeadRecord.Mark(revision: revision, chain: snapshot.header.chain)),
      in: identity.lineage
    ) { chunk in
      if let known = written[chunk.id] { return known }
      let block = try snapshots.block(of: chunk, in: revision, view.catalog)
      let new = try write(chunk, block, to: copies, without: isRemoved)
      written[chunk.id] = .some(new)
      return new
    }
    for (name, named) in view.names where named == revision { try copies.name(name, revision) }
  }

  private mutating func write(
    _ chunk: ListedChunk,
    _ block: ChangeBlock,
    to copies: SnapshotStore,
    without isRemoved: (String, ArraySlice<UInt8>) -> Bool
  ) throws -> ListedChunk? {
    var builder = ChangeBlockBuilder()
    var first: [UInt8]?
    var bytes = 0
    for entry in block.entries {
      let id = block.id(of: entry)
      guard case .put(let layout, let record) = entry.change, !isRemoved(chunk.table, id) else {
        continue
      }
      builder.put(id, in: chunk.table, layout: layout, record: block.bytes[record])
      first = first ?? Array(id)
      bytes += record.count
    }
    guard let first else { return nil }
    let count = builder.count
    let isKept = count == block.entries.count
    if isKept, let known = kept[chunk.id] { return known }
    let layouts = try view.catalog.hashes(of: builder.layouts)
    let body = isKept ? block.bytes : builder.finish()
    let hash = SnapshotHeader.hash(ofChunk: body, layouts: layouts)
    let new = ListedChunk(
      id: try copies.chunk(with: body, hash: hash),
      table: chunk.table,
      first: first,
      count: count,
      bytes: bytes,
      size: body.count,
      hash: hash
    )
    if isKept { kept[chunk.id] = new }
    return new
  }
}
