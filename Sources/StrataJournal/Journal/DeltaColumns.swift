import Foundation
import StrataBase

/// The columns of a delta without its hash and its body, where they lie in memory.
///
/// It is what the chain is a hash over, and the only place that says so.
struct DeltaColumns {
  let revision: Int64
  let first: Int64
  let epoch: Int64
  let time: Int64
  let origin: Int64
  let key: UnsafeRawBufferPointer?
  let name: UnsafeRawBufferPointer
  let place: UnsafeRawBufferPointer
  let entities: Int
  let blocks: Int
  let bytes: Int
  let context: UnsafeRawBufferPointer?

  /// Appends what the chain at the delta is a hash over; see ``DeltaHeader/chain(after:storeID:blocks:layouts:)``.
  func appendChain(
    after previous: Checksum,
    storeID: UUID,
    blocks hashes: [Checksum],
    sortedLayouts: [(id: Int64, hash: Checksum)],
    to builder: inout ChecksumBuilder
  ) {
    builder.append(previous)
    withUnsafeBytes(of: storeID.uuid) { builder.append($0) }
    builder.append(revision)
    builder.append(first)
    builder.append(epoch)
    builder.append(time)
    builder.append(origin)
    builder.append(UInt64(key == nil ? 0 : 1))
    builder.append(key ?? UnsafeRawBufferPointer(start: nil, count: 0))
    builder.append(name)
    builder.append(place)
    builder.append(UInt64(entities))
    builder.append(UInt64(blocks))
    builder.append(UInt64(bytes))
    for hash in hashes { builder.append(hash) }
    for (id, hash) in sortedLayouts {
      builder.append(UInt64(bitPattern: id))
      builder.append(hash)
    }
    if let context {
      builder.append(UInt64(1))
      builder.append(context)
    }
  }

  /// The approximate size of the delta in the file.
  var footprint: Int {
    bytes + name.count + place.count + (context?.count ?? 0) + DeltaHeader.rowBytes
  }
}
