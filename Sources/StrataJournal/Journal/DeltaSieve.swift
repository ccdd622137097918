import Foundation
import StrataBase
import StrataRecords
import StrataSQLite

/// Verifies deltas where they lie in SQLite's memory, and passes over those that change none of some entities.
///
/// Most deltas of a long journal change other entities than the one that a person asks for. Copying and decoding
/// each costs several times as much as its hash. What the sieve does not pass, for whatever reason, is read and
/// verified as any other delta by ``JournalReplay``, which reports what is wrong with it.
struct DeltaSieve {
  /// A delta that was verified and passed over.
  struct Passed {
    let revision: Revision
    let hash: Checksum
    let footprint: Int
  }

  private let storeID: UUID
  private let catalog: LayoutCatalog
  private let wanted: [EntityKey]
  private var builder = ChecksumBuilder(reservingCapacity: 1_024)
  private var numbers: [Int64] = []
  private var layouts: [(id: Int64, hash: Checksum)] = []
  private var hashes: [Checksum] = []

  /// For more entities than this, comparing each costs more than decoding.
  static let mostEntities = 16

  init(_ wanted: [EntityKey], storeID: UUID, catalog: LayoutCatalog) {
    self.wanted = wanted
    self.storeID = storeID
    self.catalog = catalog
  }

  /// The delta of a row if it follows a revision, has its hash, and changes none of the entities; else nil.
  mutating func pass(
    _ row: borrowing Row,
    after revision: Revision,
    _ chain: Checksum
  ) throws -> Passed? {
    try Journal.withColumns(of: row) { columns, hash, block in
      guard columns.first == revision.number + 1, columns.blocks == 1,
        columns.bytes == block.count, columns.isPlain, let hash = Checksum(stored: hash)
      else { return nil }
      numbers.removeAll(keepingCapacity: true)
      guard ChangeBlock.changesNone(of: wanted, in: block, layouts: &numbers), findLayouts() else {
        return nil
      }
      hashes.removeAll(keepingCapacity: true)
      hashes.append(Checksum(of: block))
      builder.removeAll()
      columns.appendChain(
        after: chain,
        storeID: storeID,
        blocks: hashes,
        sortedLayouts: layouts,
        to: &builder
      )
      guard builder.finalize() == hash else { return nil }
      return Passed(
        revision: Revision(columns.revision),
        hash: hash,
        footprint: columns.footprint
      )
    }
  }

  /// Finds the hashes of the layouts with the numbers; mostly they are those of the delta before.
  private mutating func findLayouts() -> Bool {
    if numbers.elementsEqual(layouts.lazy.map(\.id)) { return true }
    layouts.removeAll(keepingCapacity: true)
    for number in numbers {
      guard let layout = try? catalog.layout(number) else { return false }
      layouts.append((number, layout.id))
    }
    return true
  }
}

extension DeltaColumns {
  /// Whether its numbers are in the ranges of ``StoredNumber``, and its texts are surely UTF-8.
  fileprivate var isPlain: Bool {
    revision >= first && revision <= StoredNumber.last && (0...StoredNumber.last).contains(epoch)
      && StoredNumber.times.contains(time) && (0...Int(StoredNumber.most)).contains(entities)
      && name.isASCII && place.isASCII
  }
}
