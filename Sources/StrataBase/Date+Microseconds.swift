package import Foundation

extension Date {
  /// A time of the file: microseconds since 1970.
  package init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }

  /// Whole microseconds since 1970.
  package var microseconds: Int64 { Int64((timeIntervalSince1970 * 1_000_000).rounded(.down)) }
}
