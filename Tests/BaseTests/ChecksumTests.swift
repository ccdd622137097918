import StrataBase
import Testing

@Suite struct ChecksumTests {
  @Test func `XXH64 gives the published hashes`() {
    for (length, hashes) in XXH64Vectors.table {
      let found = XXH64Vectors.buffer[..<length].withUnsafeBytes { bytes in
        XXH64Vectors.seeds.map { XXH64.hash(bytes, seed: $0) }
      }
      #expect(found == hashes, "length \(length)")
    }
  }

  @Test func `XXH64 does not depend on where the bytes lie`() {
    for start in 0..<8 {
      let moved = [UInt8](repeating: 0, count: start) + XXH64Vectors.buffer[..<100]
      let found = moved.withUnsafeBytes {
        XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[start...]), seed: 0)
      }
      #expect(found == XXH64Vectors.table[100].hashes[0])
    }
  }

  @Test func `a checksum is both hashes, big-endian`() {
    #expect(Checksum.algorithm == 1)
    #expect(Checksum.secondSeed == XXH64Vectors.seeds[2])
    for (length, hashes) in XXH64Vectors.table {
      let checksum = Checksum(of: Array(XXH64Vectors.buffer[..<length]))
      let expected = [hashes[0], hashes[2]].flatMap { hash in
        (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * $0)) }
      }
      #expect(checksum.bytes == expected)
      #expect(Checksum(bytes: expected) == checksum)
    }
    #expect(Checksum(of: []).description == "ef46db3751d8e99962f1b292b806358a")
  }

  @Test(arguments: [0, 15, 17])
  func `bytes of another number are no checksum`(count: Int) {
    #expect(Checksum(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }

  @Test func `one flipped bit changes both halves`() {
    let bytes = Array(XXH64Vectors.buffer[..<97])
    let original = Checksum(of: bytes)
    for bit in 0..<97 * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      let other = Checksum(of: flipped)
      #expect(other.bytes[..<8] != original.bytes[..<8])
      #expect(other.bytes[8...] != original.bytes[8...])
    }
  }

  @Test func `a builder tells apart what only differs in where values end`() {
    func checksum(_ build: (inout ChecksumBuilder) -> Void) -> Checksum {
      var builder = ChecksumBuilder()
      build(&builder)
      return builder.finalize()
    }
    let checksums = [
      checksum {
        $0.append("ab"); $0.append("c")
      },
      checksum {
        $0.append("a"); $0.append("bc")
      },
      checksum { $0.append("abc") },
      checksum {
        $0.append("abc"); $0.append("")
      },
      checksum {
        $0.append([] as [UInt8]); $0.append("abc")
      },
      checksum {
        $0.append(3 as UInt64); $0.append(0x63_6261 as UInt64)
      },
    ]
    #expect(Set(checksums).count == checksums.count)
  }

  @Test func `a builder hashes the bytes it documents`() {
    let inner = Checksum(of: [1])
    var builder = ChecksumBuilder(reservingCapacity: 64)
    builder.append(0x0102 as UInt64)
    builder.append(-2 as Int64)
    builder.append([9, 8])
    builder.append("é")
    builder.append(inner)
    let bytes: [UInt8] =
      [2, 1, 0, 0, 0, 0, 0, 0, 254, 255, 255, 255, 255, 255, 255, 255]
      + [2, 0, 0, 0, 0, 0, 0, 0, 9, 8, 2, 0, 0, 0, 0, 0, 0, 0, 0xc3, 0xa9] + inner.bytes
    #expect(builder.finalize() == Checksum(of: bytes))
  }
}
