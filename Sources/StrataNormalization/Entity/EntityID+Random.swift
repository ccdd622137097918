public import Foundation
import StrataBase

extension EntityID where Entity.RawID == UUID {
  /// A new ID: a UUID of version 7, which starts with the time, so IDs sort in the order of their making.
  ///
  /// ```swift
  /// let user = User(id: .random(), name: "Ada")
  /// ```
  ///
  /// Each ID that a process makes sorts after the one before, also within a millisecond and while the
  /// clock steps back. Its time can be read from it. 62 bits are random, so IDs of different devices do
  /// not meet.
  public static func random() -> EntityID { EntityID(.random()) }

  /// The ID made at a time from a source of randomness, for tests.
  ///
  /// The time counts in steps of a quarter of a microsecond, from 1970 on.
  public static func random(
    at time: Date,
    using generator: inout some RandomNumberGenerator
  ) -> EntityID {
    EntityID(UUID(tick: UUIDClock.tick(of: time), using: &generator))
  }
}

extension EntityID where Entity.RawID == String {
  /// A new ID: a UUID of version 7 as text in lower case, which starts with the time, so IDs sort in the
  /// order of their making.
  ///
  /// ```swift
  /// let user = User(id: .random(), name: "Ada")
  /// ```
  ///
  /// Each ID that a process makes sorts after the one before, also within a millisecond and while the
  /// clock steps back. Its time can be read from it. 62 bits are random, so IDs of different devices do
  /// not meet.
  public static func random() -> EntityID { EntityID(UUID.random().uuidString.lowercased()) }

  /// The ID made at a time from a source of randomness, for tests.
  ///
  /// The time counts in steps of a quarter of a microsecond, from 1970 on.
  public static func random(
    at time: Date,
    using generator: inout some RandomNumberGenerator
  ) -> EntityID {
    EntityID(UUID(tick: UUIDClock.tick(of: time), using: &generator).uuidString.lowercased())
  }
}

extension UUID {
  private static let clock = Lock(UUIDClock())

  /// A UUID of version 7 that sorts after every one made here before.
  fileprivate static func random() -> UUID {
    let tick = clock.withLock { $0.next(at: Date()) }
    var generator = SystemRandomNumberGenerator()
    return UUID(tick: tick, using: &generator)
  }

  /// Version 7 of RFC 9562: 48 bits of milliseconds, 12 bits of the fraction (section 6.2, method 3), and
  /// 62 random ones.
  fileprivate init(tick: UInt64, using generator: inout some RandomNumberGenerator) {
    var bytes = [UInt8](repeating: 0, count: 16)
    let milliseconds = tick >> 12
    for place in 0..<6 {
      bytes[place] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * place))
    }
    bytes[6] = 0x70 | UInt8(truncatingIfNeeded: tick >> 8) & 0x0F
    bytes[7] = UInt8(truncatingIfNeeded: tick)
    let random = UInt64.random(in: 0 ... .max, using: &generator)
    for place in 0..<8 { bytes[8 + place] = UInt8(truncatingIfNeeded: random >> (56 - 8 * place)) }
    bytes[8] = 0x80 | bytes[8] & 0x3F
    self = UUID(byteArray: bytes) ?? UUID()
  }
}

/// The times of UUIDs of version 7, in 4,096ths of a millisecond since 1970: each later than the one
/// before.
package struct UUIDClock: Sendable {
  /// The last time that was given out.
  private var last: UInt64 = 0

  package init() {}

  /// The tick of this time; the one after the last if that is not later.
  ///
  /// Where more are taken than there are ticks, they run ahead of the clock.
  package mutating func next(at time: Date) -> UInt64 {
    last = max(Self.tick(of: time), last + 1)
    return last
  }

  /// Times before 1970 count as 1970, and those after the year 10889 as that.
  package static func tick(of time: Date) -> UInt64 {
    let ticks = time.timeIntervalSince1970 * 4_096_000
    guard ticks > 0 else { return 0 }
    return ticks < 0x1p60 ? UInt64(ticks) : 1 << 60 - 1
  }
}
