import Foundation
package import StrataBase

/// What a delta says of itself, without what it changed: the columns of its row.
package struct DeltaHeader: Equatable, Sendable {
  /// The last revision it covers; its key.
  package var revision: Revision
  /// The first revision it covers: the same, unless commits were merged while the disk refused.
  package var first: Revision
  package var epoch: Int64
  /// Microseconds since 1970, never less than the delta before.
  package var time: Int64
  package var origin: Int64
  package var key: [UInt8]?
  package var name: String
  package var place: String
  package var entities: Int
  package var parts: Int
  package var bytes: Int

  /// About how many bytes of the file the delta takes: what it changed, its name and place, and the
  /// rest of its row.
  var footprint: Int { bytes + name.utf8.count + place.utf8.count + Self.rowBytes }

  /// The numbers and the hash of a row, and what SQLite needs to find it.
  static let rowBytes = 72

  /// The chain here: a hash over the chain before, the store, every column, every part, and every
  /// layout that a part's records are read with.
  func chain(
    after previous: Checksum,
    storeID: UUID,
    parts: [Checksum],
    layouts: [Int64: Checksum]
  ) -> Checksum {
    chain(
      after: previous,
      storeID: storeID,
      parts: parts,
      sortedLayouts: layouts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    )
  }

  /// The same with the layouts in the order of their numbers.
  func chain(
    after previous: Checksum,
    storeID: UUID,
    parts: [Checksum],
    sortedLayouts: [(id: Int64, hash: Checksum)]
  ) -> Checksum {
    var builder = ChecksumBuilder(reservingCapacity: 256 + name.utf8.count + place.utf8.count)
    builder.append(previous)
    withUnsafeBytes(of: storeID.uuid) { builder.append($0) }
    for number in [revision.number, first.number, epoch, time, origin] {
      builder.append(UInt64(bitPattern: number))
    }
    builder.append(UInt64(key == nil ? 0 : 1))
    builder.append(key ?? [])
    builder.append(name)
    builder.append(place)
    for number in [entities, self.parts, bytes] { builder.append(UInt64(number)) }
    for part in parts { builder.append(part) }
    for (id, hash) in sortedLayouts {
      builder.append(UInt64(bitPattern: id))
      builder.append(hash)
    }
    return builder.finalize()
  }
}

/// A delta as read from the file.
package struct DeltaRow: Sendable {
  package var header: DeltaHeader
  package var hash: Checksum
  /// The first part; the others are read when they are needed.
  package var body: [UInt8]
}
