/// The number of a delta, counted from 1 without gaps; 0 is the state before the first.
public struct Revision: Hashable, Comparable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByIntegerLiteral
{
  /// The number.
  public let number: Int64

  /// Creates the revision with this number.
  public init(_ number: Int64) { self.number = number }

  /// Creates the revision with this number.
  public init(integerLiteral value: Int64) { number = value }

  /// Reads the number alone.
  public init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int64.self)
  }

  /// Writes the number alone.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  /// The one after this.
  public var next: Revision { Revision(number + 1) }

  /// The number, in digits.
  public var description: String { "\(number)" }

  /// In the order in which they happened.
  public static func < (a: Revision, b: Revision) -> Bool { a.number < b.number }
}
