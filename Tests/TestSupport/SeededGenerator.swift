package import Foundation

/// Random numbers that are the same for the same seed on every platform: SplitMix64
/// (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
///
/// A test prints the seed with each failure, so that the failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator, CustomStringConvertible {
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The seed, for the comment of an expectation.
  package var description: String { "seed \(seed)" }
}

extension SeededGenerator {
  /// The generator of one step of a run: leaving out another step does not change its numbers.
  package init(seed: UInt64, step: Int) {
    var mixed = SeededGenerator(seed: seed)
    self.init(seed: mixed.next() &+ UInt64(step) &* 0xD134_2543_DE82_EF95)
  }

  /// A random UUID of version 4.
  package mutating func uuid() -> UUID {
    var bytes = UUID().uuid
    withUnsafeMutableBytes(of: &bytes) { buffer in
      for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: next()) }
      buffer[6] = buffer[6] & 0x0F | 0x40
      buffer[8] = buffer[8] & 0x3F | 0x80
    }
    return UUID(uuid: bytes)
  }
}
