/// How long before the last of some times the first one was, by clocks that may have been wrong.
///
/// ```swift
/// var age = HistoryAge(since: snapshot.time)
/// for delta in deltas { age.add(delta.time) }
/// age.microseconds
/// ```
///
/// A clock that jumps ahead by years makes a delta of a minute ago look years old. History that is trimmed for that is gone,
/// and history that is kept for too long only takes space. So an age may be too small, and not too large by more than a day
/// for each jump: between two neighbouring times at most one day counts, and a step back counts as nothing.
///
/// It needs nothing but the stored times, so each process finds the same. Of some deltas fewer times may be known, such as
/// those of the snapshots between them; the age is then smaller still. Pure.
package struct HistoryAge: Equatable, Sendable {
  /// What counts between two neighbouring times at most.
  package static let longestGap: Int64 = 86_400_000_000

  /// The age of the first time when the last one was.
  package private(set) var microseconds: Int64 = 0
  private var last: Int64

  /// - Parameter time: The first time, in microseconds since 1970.
  package init(since time: Int64) { last = time }

  /// Adds the next time.
  package mutating func add(_ time: Int64) {
    defer { last = time }
    guard time > last else { return }
    let (gap, gapOverflows) = time.subtractingReportingOverflow(last)
    let counted = gapOverflows ? Self.longestGap : min(gap, Self.longestGap)
    let (sum, sumOverflows) = microseconds.addingReportingOverflow(counted)
    microseconds = sumOverflows ? .max : sum
  }
}

extension Duration {
  /// Whole microseconds; `Int64.max` if there are more.
  package var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflows ? .max : whole &+ attoseconds / 1_000_000_000_000
  }
}
