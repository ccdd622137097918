import StrataBase
import StrataJournal

/// The times that commits get: those of the clock, and never one before the last.
///
/// | the clock is | the time of a commit |
/// | --- | --- |
/// | at the last time or after it | the clock's |
/// | up to a minute behind it | the last time again, until the clock is there |
/// | further behind it | the last time, and what has passed since by monotonic time |
///
/// So an age that is summed from these times grows while the clock is wrong, and is never more than what has passed. A
/// process that starts again counts on from the last time in the file. Pure.
package struct CommitTimes {
  /// The last time, in microseconds since 1970.
  package private(set) var last: Int64
  /// Since when times are held, by both clocks; nil while they are the clock's.
  private var hold: (time: Int64, start: ContinuousClock.Instant)?

  package init(after last: Int64) { self.last = last }

  /// The time of the next commit.
  ///
  /// - Parameters:
  ///   - now: What the clock says, in microseconds since 1970.
  ///   - instant: The monotonic time; read only while times are held.
  package mutating func next(
    _ now: Int64,
    _ instant: @autoclosure () -> ContinuousClock.Instant
  ) -> Int64 {
    guard HeldTimes.isAhead(last, of: now) else {
      hold = nil
      last = max(now, last)
      return last
    }
    let instant = instant()
    guard let hold else {
      hold = (last, instant)
      return last
    }
    let passed = max(0, hold.start.duration(to: instant).microseconds)
    let (time, overflows) = hold.time.addingReportingOverflow(passed)
    if !overflows { last = min(max(last, time), StoredNumber.times.upperBound) }
    return last
  }
}
