/// The 64-bit hash function XXH64: fast, evenly distributed, not cryptographic.
///
/// Implements the specification (`github.com/Cyan4973/xxHash`, `doc/xxhash_spec.md`) in one pass,
/// O(bytes).
package enum XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// The hash of some bytes under a seed.
  package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    let count = bytes.count
    var offset = 0
    var hash: UInt64
    if count >= 32 {
      var a = seed &+ prime1 &+ prime2
      var b = seed &+ prime2
      var c = seed
      var d = seed &- prime1
      repeat {
        a = round(a, word(bytes, offset))
        b = round(b, word(bytes, offset &+ 8))
        c = round(c, word(bytes, offset &+ 16))
        d = round(d, word(bytes, offset &+ 24))
        offset &+= 32
      } while offset &+ 32 <= count
      hash = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
      hash = merge(merge(merge(merge(hash, a), b), c), d)
    } else {
      hash = seed &+ prime5
    }
    hash &+= UInt64(count)
    while offset &+ 8 <= count {
      hash = rotate(hash ^ round(0, word(bytes, offset)), 27) &* prime1 &+ prime4
      offset &+= 8
    }
    if offset &+ 4 <= count {
      let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash = rotate(hash ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
      offset &+= 4
    }
    while offset < count {
      hash = rotate(hash ^ (UInt64(bytes[offset]) &* prime5), 11) &* prime1
      offset &+= 1
    }
    hash = (hash ^ (hash >> 33)) &* prime2
    hash = (hash ^ (hash >> 29)) &* prime3
    return hash ^ (hash >> 32)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    (value &<< bits) | (value &>> (64 &- bits))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotate(lane &+ input &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }
}
