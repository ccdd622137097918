package import Foundation

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
