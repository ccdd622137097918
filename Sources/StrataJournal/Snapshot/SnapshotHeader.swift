package import Foundation
package import StrataBase

/// The header of a snapshot: the columns of its row.
package struct SnapshotHeader: Equatable, Sendable {
  /// The state of a snapshot.
  ///
  /// Only a verified one is used to restore, or as the new start of history when it is trimmed.
  package enum State: Int64, Sendable, Codable {
    /// Its chunks are being written.
    case writing = 0
    /// All chunks are written.
    case complete = 1
    /// It was read back, and every hash was verified; every record too, unless it is the first one.
    case verified = 2
  }

  package var revision: Revision
  /// The history that it belongs to.
  package var lineage: Lineage.ID
  /// Microseconds since 1970.
  package var time: Int64
  /// The chain at the revision, which the deltas after it continue.
  package var chain: Checksum
  package var state: State
  package var chunks: Int
  package var entities: Int
  /// The size of its chunks.
  package var bytes: Int

  /// The header without some of its chunks.
  package func without(_ chunks: [ListedChunk]) -> SnapshotHeader {
    var header = self
    for chunk in chunks {
      header.chunks -= 1
      header.entities -= chunk.count
      header.bytes -= chunk.size
    }
    return header
  }

  /// A hash over the store ID, every column and every row of the list of its chunks.
  package func hash(storeID: UUID, listing: [ListedChunk]) -> Checksum {
    var builder = ChecksumBuilder()
    builder.append(storeID.byteArray)
    for number in [revision.number, lineage.number, time] {
      builder.append(UInt64(bitPattern: number))
    }
    builder.append(chain)
    for number in [chunks, entities, bytes] { builder.append(UInt64(number)) }
    for chunk in listing {
      builder.append(chunk.table)
      builder.append(chunk.first)
      builder.append(UInt64(chunk.count))
      builder.append(UInt64(chunk.bytes))
      builder.append(chunk.hash)
    }
    return builder.finalize()
  }

  /// The hash of a chunk: over its bytes, and every layout that its records are read with.
  package static func hash(ofChunk body: [UInt8], layouts: [Int64: Checksum]) -> Checksum {
    var builder = ChecksumBuilder()
    builder.append(Checksum(of: body))
    for (id, hash) in layouts.sortedByNumber() {
      builder.append(UInt64(bitPattern: id))
      builder.append(hash)
    }
    return builder.finalize()
  }
}

/// The row of a snapshot: its header, and the hash over the header and the list of its chunks.
package typealias StoredSnapshot = (header: SnapshotHeader, hash: Checksum)
