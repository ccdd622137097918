import StrataBase
import StrataJournal
import StrataRecords

/// What to do with a change when a delta is written to another file.
enum RewrittenChange {
  case kept
  /// The same without the key that the record had before.
  case detached
  case removed
  /// A removal of what had the key before.
  case replacedByRemoval
  /// A put with another record.
  case replaced(layout: Int64, record: [UInt8])
}

/// Writes deltas to another file with some of their changes left out or replaced, and computes the chain
/// again.
///
/// Up to the first change that is not kept, deltas stay as they are, with their hashes. From there on each
/// has a new hash, and the lineage of the new file.
struct DeltaRewriter {
  /// What to do with the context of a delta.
  enum Context {
    case kept
    /// It is removed from a delta in which a change was not kept.
    case removedFromChanged
    case removed
  }

  private let journal: Journal
  private let identity: StoreIdentity
  private let context: Context
  /// The chain after the last delta.
  private(set) var chain: Checksum
  private(set) var revision: Revision
  /// The first delta whose hash changes.
  private(set) var firstRewritten: Revision?
  /// How many changes were left out or replaced.
  private(set) var changes = 0
  private(set) var deltas = 0

  /// - Parameters:
  ///   - journal: That of the new file.
  ///   - identity: That of the new file, with its lineages.
  ///   - chain: The chain before the first delta.
  ///   - stored: The chain there in the file that is read.
  init(
    to journal: Journal,
    of identity: StoreIdentity,
    after revision: Revision,
    chain: Checksum,
    stored: Checksum,
    _ context: Context
  ) {
    self.journal = journal
    self.identity = identity
    self.context = context
    self.chain = chain
    self.revision = revision
    if chain != stored { firstRewritten = revision.next }
  }

  /// Writes the next delta.
  ///
  /// - Parameters:
  ///   - hash: Its hash in the file that is read.
  ///   - layouts: The hashes of layouts by their numbers in the new file.
  mutating func append(
    _ header: DeltaHeader,
    _ blocks: [ChangeBlock],
    hash: Checksum,
    layouts: (Set<Int64>) throws -> [Int64: Checksum],
    _ rewrite: (ChangeBlock, ChangeBlock.Entry) throws -> RewrittenChange
  ) throws {
    var header = header
    var numbers: Set<Int64> = []
    var bodies: [[UInt8]] = []
    (header.entities, header.bytes) = (0, 0)
    let before = changes
    for block in blocks {
      var builder = ChangeBlockBuilder()
      let left = try fill(&builder, from: block, rewrite)
      numbers.formUnion(builder.layouts)
      header.entities += builder.count
      let body = left == 0 ? block.bytes : builder.finish()
      header.bytes += body.count
      bodies.append(body)
      changes += left
    }
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
    let hashes = bodies.map { Checksum(of: $0) }
    let computed = header.chain(
      after: chain,
      storeID: identity.id,
      blocks: hashes,
      layouts: try layouts(numbers)
    )
    for (number, body) in bodies.enumerated().dropFirst() {
      try journal.appendBlock(number, of: header.revision, body)
    }
    try journal.append(header, body: bodies.first ?? [0], hash: computed)
    if computed != hash, firstRewritten == nil { firstRewritten = header.revision }
    (chain, revision) = (computed, header.revision)
    deltas += 1
  }

  /// Adds the changes of a block to a builder; returns how many were not kept.
  private func fill(
    _ builder: inout ChangeBlockBuilder,
    from block: ChangeBlock,
    _ rewrite: (ChangeBlock, ChangeBlock.Entry) throws -> RewrittenChange
  ) throws -> Int {
    var left = 0
    for entry in block.entries {
      let (table, id) = (block.table(of: entry), block.id(of: entry))
      switch (try rewrite(block, entry), entry.change) {
      case (.removed, _): left += 1
      case (.replacedByRemoval, _):
        left += 1
        builder.remove(id, from: table)
      case (.replaced(let layout, let record), _):
        left += 1
        builder.put(id, in: table, layout: layout, record: record, former: block.former(of: entry))
      case (.detached, .put(let layout, let record)):
        left += 1
        builder.put(id, in: table, layout: layout, record: block.bytes[record])
      case (.kept, .put(let layout, let record)):
        builder.put(
          id,
          in: table,
          layout: layout,
          record: block.bytes[record],
          former: block.former(of: entry)
        )
      case (.kept, .remove), (.detached, .remove): builder.remove(id, from: table)
      case (.kept, .notPersisted), (.detached, .notPersisted):
        builder.markNotPersisted(id, in: table)
      }
    }
    return left
  }
}
