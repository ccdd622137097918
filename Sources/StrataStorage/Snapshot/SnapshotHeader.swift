import Foundation
package import StrataBase

/// What a snapshot says of itself: the columns of its row.
package struct SnapshotHeader: Equatable, Sendable {
  /// How far a snapshot has come.
  ///
  /// Only a verified one is ever restored from or trimmed to.
  package enum State: Int64, Sendable, Codable {
    case writing = 0
    case complete = 1
    case verified = 2
  }

  package var revision: Revision
  package var epoch: Int64
  /// Microseconds since 1970.
  package var time: Int64
  /// The chain at the revision: where the deltas after it continue.
  package var chain: Checksum
  package var state: State
  package var chunks: Int
  package var entities: Int
  package var bytes: Int

  /// A hash over the store, every column and every chunk's hash.
  func hash(storeID: UUID, chunks hashes: [Checksum]) -> Checksum {
    var builder = ChecksumBuilder()
    builder.append(storeID.byteArray)
    for number in [revision.number, epoch, time] { builder.append(UInt64(bitPattern: number)) }
    builder.append(chain)
    for number in [chunks, entities, bytes] { builder.append(UInt64(number)) }
    for hash in hashes { builder.append(hash) }
    return builder.finalize()
  }

  /// The hash of a chunk: its bytes, and every layout its records are read with.
  static func hash(ofChunk body: [UInt8], layouts: [Int64: Checksum]) -> Checksum {
    var builder = ChecksumBuilder()
    builder.append(Checksum(of: body))
    for (id, hash) in layouts.sorted(by: { $0.key < $1.key }) {
      builder.append(UInt64(bitPattern: id))
      builder.append(hash)
    }
    return builder.finalize()
  }
}

/// A snapshot as the file lists it: its header, and the hash over it and all chunks.
package typealias StoredSnapshot = (header: SnapshotHeader, hash: Checksum)
