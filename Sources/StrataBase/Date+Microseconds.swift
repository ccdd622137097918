package import Foundation

extension Date {
  /// The date of a number of microseconds since 1970, the form of times in files.
  package init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }

  /// Whole microseconds since 1970.
  package var microseconds: Int64 { Int64((timeIntervalSince1970 * 1_000_000).rounded(.down)) }

  /// The nearest number of microseconds since 1970, which comes back from a date that was made of one.
  ///
  /// A date beyond the range has the number at its end.
  package var nearestMicrosecond: Int64 {
    let exact = (timeIntervalSince1970 * 1_000_000).rounded()
    return Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
  }
}
