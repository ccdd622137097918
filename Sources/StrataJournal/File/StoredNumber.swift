package import StrataBase
import StrataSQLite

/// Checks numbers where they are read from a file, so that arithmetic on them cannot overflow.
///
/// A hash protects a number from accidents only: a program that makes a file can compute it. Each limit is
/// far above what a store reaches, and far below what 64 bits hold.
package enum StoredNumber {
  /// Revisions, epochs and lineages: 2⁵³.
  package static let last: Int64 = 1 << 53
  /// Bytes, and counts of rows, entities, chunks and blocks: 2⁴⁰.
  ///
  /// What an `Int` holds, where it has 32 bits.
  package static let most = min(1 << 40, Int64(Int.max))
  /// Numbers of layouts: 2³¹.
  package static let lastLayout: Int64 = 1 << 31
  /// Times: microseconds since 1970, in the years 1 to 9999.
  package static let times: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999

  /// A number in a range; an error names the place and the number.
  private static func check(
    _ number: Int64,
    _ range: ClosedRange<Int64>,
    _ place: @autoclosure () -> String
  ) throws(CorruptionError) -> Int64 {
    guard range.contains(number) else {
      throw CorruptionError("\(place()) is \(number), which no store reaches")
    }
    return number
  }

  package static func revision(
    _ number: Int64,
    _ place: @autoclosure () -> String
  ) throws(CorruptionError) -> Revision {
    Revision(try check(number, 0...last, place()))
  }

  package static func epoch(
    _ number: Int64,
    _ place: @autoclosure () -> String
  ) throws(CorruptionError) -> Int64 {
    try check(number, 0...last, place())
  }

  package static func lineage(
    _ number: Int64,
    _ place: @autoclosure () -> String
  ) throws(CorruptionError) -> Int64 {
    try check(number, 1...last, place())
  }

  package static func count(
    _ number: Int64,
    _ place: @autoclosure () -> String
  ) throws(CorruptionError) -> Int {
    Int(try check(number, 0...most, place()))
  }

  /// The sum of such numbers over many rows.
  package static func sum(
    _ number: Int64,
    _ place: @autoclosure () -> String
  ) throws(CorruptionError) -> Int64 {
    try check(number, 0...last, place())
  }

  package static func layout(
    _ number: Int64,
    _ place: @autoclosure () -> String
  ) throws(CorruptionError) -> Int64 {
    try check(number, 0...lastLayout, place())
  }

  package static func time(
    _ number: Int64,
    _ place: @autoclosure () -> String
  ) throws(CorruptionError) -> Int64 {
    try check(number, times, place())
  }
}

extension Row {
  /// The revision in a column.
  package func revision(_ column: Int, _ place: String) throws -> Revision {
    try StoredNumber.revision(try int(column), place)
  }

  /// The checksum in a column.
  package func checksum(_ column: Int, _ place: String) throws -> Checksum {
    let bytes = try blob(column)
    guard let checksum = Checksum(bytes: bytes) else {
      throw CorruptionError("\(place) has \(bytes.count) bytes, expected 16")
    }
    return checksum
  }
}
