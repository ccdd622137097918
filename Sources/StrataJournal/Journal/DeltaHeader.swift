package import Foundation
package import StrataBase

/// The header of a delta: the columns of its row without its changes.
package struct DeltaHeader: Equatable, Sendable {
  /// The last revision it covers, which is its key.
  package var revision: Revision
  /// The first revision it covers: the same one, unless commits were merged during an I/O failure.
  package var first: Revision
  /// The history that it belongs to.
  package var lineage: Lineage.ID
  /// Microseconds since 1970; never less than that of the previous delta.
  package var time: Int64
  package var origin: Int64
  /// Which run of migrations has written it (`MigrationTrace`); nil in every other delta.
  package var trace: [UInt8]?
  package var name: String
  package var place: String
  /// The number of changes in its blocks.
  package var entities: Int
  /// The number of its blocks: the column `parts`.
  package var blocks: Int
  /// The size of its blocks.
  package var bytes: Int
  /// Who wanted the commit and why, as ``DeltaContexts`` reads it; nil where it did not say.
  package var context: [UInt8]?

  package init(
    revision: Revision,
    first: Revision,
    lineage: Lineage.ID,
    time: Int64,
    origin: Int64,
    trace: [UInt8]?,
    name: String,
    place: String,
    entities: Int,
    blocks: Int,
    bytes: Int,
    context: [UInt8]? = nil
  ) {
    self.revision = revision
    self.first = first
    self.lineage = lineage
    self.time = time
    self.origin = origin
    self.trace = trace
    self.name = name
    self.place = place
    self.context = context
    self.entities = entities
    self.blocks = blocks
    self.bytes = bytes
  }

  /// The approximate size of the delta in the file: its blocks, its name, place and context, and the rest
  /// of its row.
  package var footprint: Int {
    bytes + name.utf8.count + place.utf8.count + (context?.count ?? 0) + Self.rowBytes
  }

  /// The approximate size of a row without name, place, context and body: its numbers, its hash and its entry in
  /// SQLite's B-tree.
  static let rowBytes = 72

  /// The chain at this delta: a hash over the previous chain, the store ID, the lineage, every column, the hash of
  /// every block, and every layout that the records are read with.
  ///
  /// A context is the end of what is hashed; without one there is nothing in its place.
  package func chain(
    after previous: Checksum,
    storeID: UUID,
    blocks hashes: [Checksum],
    layouts: [Int64: Checksum]
  ) -> Checksum {
    chain(
      after: previous,
      storeID: storeID,
      blocks: hashes,
      sortedLayouts: layouts.sortedByNumber()
    )
  }

  /// The same for layouts that are sorted by their numbers.
  func chain(
    after previous: Checksum,
    storeID: UUID,
    blocks hashes: [Checksum],
    sortedLayouts: [(id: Int64, hash: Checksum)]
  ) -> Checksum {
    var builder = ChecksumBuilder(reservingCapacity: 256 + name.utf8.count + place.utf8.count)
    builder.append(previous)
    withUnsafeBytes(of: storeID.uuid) { builder.append($0) }
    builder.append(revision.number)
    builder.append(first.number)
    builder.append(lineage.number)
    builder.append(time)
    builder.append(origin)
    builder.append(UInt64(trace == nil ? 0 : 1))
    builder.append(trace ?? [])
    builder.append(name)
    builder.append(place)
    builder.append(UInt64(entities))
    builder.append(UInt64(blocks))
    builder.append(UInt64(bytes))
    for hash in hashes { builder.append(hash) }
    for (id, hash) in sortedLayouts {
      builder.append(id)
      builder.append(hash)
    }
    if let context {
      builder.append(UInt64(1))
      builder.append(context)
    }
    return builder.finalize()
  }
}

extension [Int64: Checksum] {
  /// The layouts of a delta or a chunk, as their hashes have them.
  func sortedByNumber() -> [(id: Int64, hash: Checksum)] {
    sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension DeltaHeader {
  /// The contexts of the delta's commits; none if it has no context.
  ///
  /// - Throws: `CorruptionError` if the column is not one of contexts.
  package func contexts() throws(CorruptionError) -> DeltaContexts {
    guard let context else { return DeltaContexts([]) }
    return try DeltaContexts(context, of: "delta \(revision)")
  }
}

/// A delta as read from the file.
package struct StoredDelta: Sendable {
  package var header: DeltaHeader
  package var hash: Checksum
  /// The first block; the others are read when they are needed.
  package var body: [UInt8]
}
